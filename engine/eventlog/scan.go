package eventlog

import (
	"crypto/sha256"

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

// collect keeps what a walk hands out.
func collect(walk func(visit func(event.Event, int64) error) (*Walked, error)) (*Scan, error) {
	s := &Scan{}
	w, err := walk(func(e event.Event, start int64) error {
		s.Events = append(s.Events, e)
		s.Starts = append(s.Starts, start)
		return nil
	})
	s.Header, s.Committed, s.Torn = w.Header, w.Committed, w.Torn
	return s, err
}

// ScanText reads the text of a log; all events share it, so that one event keeps
// the whole text alive. path is for errors. Errors: *CorruptError; *VersionError.
// With a *CorruptError the scan holds everything before the damage.
func ScanText(path, content string) (*Scan, error) {
	return collect(func(visit func(event.Event, int64) error) (*Walked, error) {
		return WalkText(path, content, visit)
	})
}

// WalkText is Walk over the text of a log, which all events share.
func WalkText(path, content string, visit func(e event.Event, start int64) error) (*Walked, error) {
	return walk(path, &text{rest: content}, visit)
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
