package diag

import "bytes"

// Sources holds the text of the files that diagnostics point into, by
// Range.File. A file that is not in it is reported without a snippet.
type Sources map[string][]byte

// line is one line of a source, without its ending. start is the byte offset of
// its first byte in the file.
type line struct {
	number int
	start  int
	text   []byte
}

// lines returns the lines that r touches, at least one when the source is known
// and r lies in it. An end at the very start of a line does not touch that line.
func (s Sources) lines(r Range) []line {
	src, ok := s[r.File]
	if !ok || r.IsZero() || r.Start.Byte < 0 || r.Start.Byte > len(src) {
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
