package diag

import (
	"bytes"
	"unicode/utf8"
)

// Sources holds the text of the files that diagnostics point into, by
// Range.File. A file that is not in it is reported without a snippet.
type Sources map[string][]byte

// clamp moves a range into its source, so that a diagnostic which was made for
// another version of a file is still shown somewhere.
func (s Sources) clamp(r Range) Range {
	n := len(s[r.File])
	r.Start.Byte = min(max(0, r.Start.Byte), n)
	r.End.Byte = min(max(r.Start.Byte, r.End.Byte), n)
	return r
}

// around is the lines of a subject, or those of its context when that contains
// the subject.
func (s Sources) around(subject, context Range) []line {
	if context.File == subject.File && context.Start.Byte <= subject.Start.Byte && context.End.Byte >= subject.End.Byte {
		return s.lines(s.clamp(context))
	}
	return s.lines(subject)
}

// maxCode bounds, in bytes, what a report for programs shows of a source: many
// problems may stand in one line.
const maxCode = 4096

// clip cuts a text around a byte out of one that is longer than a snippet
// may be, at whole characters, and returns where it begins.
func clip(text []byte, from int) ([]byte, int) {
	if len(text) <= maxCode {
		return text, 0
	}
	start := max(0, min(from-maxCode/4, len(text)-maxCode))
	end := min(len(text), start+maxCode)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[start:end], start
}

// line is one line of a source, without its ending. start is the byte offset of
// its first byte in the file.
type line struct {
	number int
	start  int
	text   []byte
}

// lines returns the lines that a clamped range touches, at least one when the
// source is known. An end at the very start of a line does not touch that line.
func (s Sources) lines(r Range) []line {
	src, ok := s[r.File]
	if !ok || r.IsZero() {
		return nil
	}
	start := bytes.LastIndexByte(src[:r.Start.Byte], '\n') + 1
	number := 1 + bytes.Count(src[:start], []byte{'\n'})
	var out []line
	for {
		length := bytes.IndexByte(src[start:], '\n')
		end := len(src)
		if length >= 0 {
			end = start + length
		}
		out = append(out, line{number: number, start: start, text: bytes.TrimSuffix(src[start:end], []byte{'\r'})})
		if length < 0 || end+1 >= r.End.Byte {
			return out
		}
		start, number = end+1, number+1
	}
}
