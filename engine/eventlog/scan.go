package eventlog

import (
	"crypto/sha256"
	"errors"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
)

// Scan is what a log file holds.
type Scan struct {
	Header Header
	Events []event.Event
	// Committed is the length in bytes of the whole lines; Torn says that the
	// file goes on behind them with a line that a crash cut.
	Committed int64
	Torn      bool
	// Starts holds, for each event, the byte offset of its line.
	Starts []int64
}

// ScanText reads the text of a log. path is for errors. Errors: *CorruptError;
// *VersionError. With a *CorruptError the scan holds everything before the
// damage.
func ScanText(path, text string) (*Scan, error) {
	s := &Scan{}
	corrupt := func(line int, at int64, err error) error {
		var syntax *canon.SyntaxError
		if errors.As(err, &syntax) {
			at += int64(syntax.Offset)
		}
		return &CorruptError{Path: path, Line: line, Offset: at, Readable: len(s.Events), Err: err}
	}
	n := strings.IndexByte(text, '\n')
	if n < 0 {
		return s, corrupt(1, 0, &event.ShapeError{Reason: "no session header"})
	}
	h, err := ParseHeader(text[:n])
	if err != nil {
		var version *VersionError
		if errors.As(err, &version) {
			return s, err
		}
		return s, corrupt(1, 0, err)
	}
	s.Header = h
	pos := n + 1
	for line := 2; pos < len(text); line++ {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			s.Torn = true
			break
		}
		raw := text[pos : pos+end]
		e, err := event.Parse(raw)
		last := pos+end+1 == len(text)
		if err != nil {
			if _, jerr := canon.Parse(raw); last && jerr != nil {
				s.Torn = true
				break
			}
			s.Committed = int64(pos)
			return s, corrupt(line, int64(pos), err)
		}
		if e.Seq != int64(len(s.Events)) {
			s.Committed = int64(pos)
			return s, corrupt(line, int64(pos), &event.ShapeError{Reason: "seq is not the next one"})
		}
		s.Events = append(s.Events, e)
		s.Starts = append(s.Starts, int64(pos))
		pos += end + 1
	}
	s.Committed = int64(pos)
	return s, nil
}

// Read scans the log at path without taking the lock. The events share one copy
// of the file's text.
func Read(files Files, path string) (*Scan, string, error) {
	b, err := files.Read(path)
	if err != nil {
		return nil, "", err
	}
	text := string(b)
	s, err := ScanText(path, text)
	return s, text, err
}

// Digest returns the SHA-256 of text.
func Digest(text string) [32]byte { return sha256.Sum256([]byte(text)) }
