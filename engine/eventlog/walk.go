package eventlog

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
)

// Walked is what a walk over a log found besides the events it handed out.
type Walked struct {
	Header Header
	// Events is the number of events handed out. Committed is the length in bytes
	// of the header and their lines; Torn says that the file goes on behind them
	// with a line that a crash cut, TornBytes long.
	Events    int
	Committed int64
	Torn      bool
	TornBytes int64
}

// Walk reads a log line by line and hands out each event with the byte offset of
// its line. It holds one line at a time: what is kept of a log is what visit
// keeps. An error of visit ends the walk and is returned as it is; the event it
// was given does not count. Other errors: *CorruptError; *VersionError; those of
// the reader. path is for errors. What was found so far is returned beside an
// error.
func Walk(path string, r io.Reader, visit func(e event.Event, start int64) error) (*Walked, error) {
	return walk(path, newStream(r, nil), visit)
}

// WalkFile walks the log at path without taking the lock.
func WalkFile(files Files, path string, visit func(e event.Event, start int64) error) (*Walked, error) {
	return walkFile(files, path, nil, visit)
}

// WalkWritten is WalkFile for whoever is about to go on from what the log says: a
// *ChangedError when a turn's end recorded another digest of the bytes before it.
func WalkWritten(files Files, path string, visit func(e event.Event, start int64) error) (*Walked, error) {
	return walkFile(files, path, sha256.New(), visit)
}

// walkFile is WalkFile that, with a sum, writes the committed bytes into it and
// refuses a version that is not written.
func walkFile(files Files, path string, sum hash.Hash, visit func(e event.Event, start int64) error) (*Walked, error) {
	r, err := openReader(files, path)
	if err != nil {
		return &Walked{}, err
	}
	defer r.Close()
	return walk(path, newStream(r, sum), visit)
}

// openReader opens a log for reading, as a stream where files can.
func openReader(files Files, path string) (io.ReadCloser, error) {
	if s, ok := files.(interface {
		Stream(path string) (io.ReadCloser, error)
	}); ok {
		return s.Stream(path)
	}
	b, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

// lines is a text that is read line by line.
type lines interface {
	// next returns the next line without its line feed; whole is false for a line
	// that has none. At the end of the text the error is io.EOF.
	next() (line string, whole bool, err error)
	// more reports whether there is anything behind the line that next returned.
	more() bool
	// keep says that the line that next returned, which is whole, is committed.
	keep()
}

// walk is the scan of a log; Walk and ScanText are it over a stream and a text.
func walk(path string, src lines, visit func(e event.Event, start int64) error) (*Walked, error) {
	w := &Walked{}
	corrupt := func(line int, at int64, err error) error {
		var syntax *canon.SyntaxError
		if errors.As(err, &syntax) {
			at += int64(syntax.Offset)
		}
		return &CorruptError{Path: path, Line: line, Offset: at, Readable: w.Events, Err: err}
	}
	first, whole, err := src.next()
	if err != nil && err != io.EOF {
		return w, err
	}
	if !whole {
		return w, corrupt(1, 0, &event.ShapeError{Reason: "no session header"})
	}
	if w.Header, err = ParseHeader(first); err != nil {
		var version *VersionError
		if errors.As(err, &version) {
			return w, err
		}
		return w, corrupt(1, 0, err)
	}
	if s, ok := src.(*stream); ok && s.sum != nil {
		switch {
		case w.Header.Version != Version:
			return w, &ReadOnlyError{Path: path, Version: w.Header.Version}
		case w.Header.Redacted > 0:
			return w, &RedactedError{Path: path, Texts: w.Header.Redacted}
		}
	}
	src.keep()
	w.Committed = int64(len(first)) + 1
	// The last turn/end whose digest fits, and where its line ends.
	good, keep := int64(-1), w.Committed
	parse, torn := event.Parse, tornLine
	if w.Header.Version == 0 {
		parse, torn = event.ParseVersion0, tornVersion0
	}
	for number := 2; ; number++ {
		line, whole, err := src.next()
		if err == io.EOF {
			return w, nil
		}
		if err != nil {
			return w, err
		}
		if !whole {
			w.Torn, w.TornBytes = true, int64(len(line))
			return w, nil
		}
		e, err := parse(line)
		if err != nil {
			if !src.more() && torn(line, err) {
				w.Torn, w.TornBytes = true, int64(len(line))+1
				return w, nil
			}
			return w, corrupt(number, w.Committed, err)
		}
		if e.Seq != int64(w.Events) {
			return w, corrupt(number, w.Committed, &SeqError{Want: int64(w.Events), Got: e.Seq})
		}
		vouched := false
		if s, ok := src.(*stream); ok && s.sum != nil && e.Type == "turn/end" {
			// Nobody writes behind a log that is not what was written.
			if recorded, _ := e.Data.Get("logSha256").Text(); recorded != hex.EncodeToString(s.sum.Sum(nil)) {
				turn, _ := e.Data.Get("turn").Int()
				return w, &ChangedError{Path: path, ID: w.Header.ID, Turn: turn, Offset: w.Committed, Good: good, Keep: keep}
			}
			vouched = true
		}
		if err := visit(e, w.Committed); err != nil {
			return w, err
		}
		src.keep()
		w.Events++
		w.Committed += int64(len(line)) + 1
		if vouched {
			good, keep = e.Seq, w.Committed
		}
	}
}

// tornLine reports whether the last line of a file, which cannot be read, may be
// one that a crash cut: it is not JSON.
func tornLine(line string, _ error) bool {
	_, err := canon.Parse(line)
	return err != nil
}

// tornVersion0 is the same for version 0, which takes any JSON object for an
// event, and nothing else.
func tornVersion0(string, error) bool { return true }

// stream is lines of a reader. It holds one line at a time, and a digest of those
// that were kept.
type stream struct {
	r    *bufio.Reader
	line []byte    // the line that next returned, with its line feed
	long []byte    // for lines that do not fit the reader's buffer
	sum  hash.Hash // nil where the log is not to be written
}

func newStream(r io.Reader, sum hash.Hash) *stream {
	return &stream{r: bufio.NewReaderSize(r, 1<<18), sum: sum}
}

func (s *stream) next() (string, bool, error) {
	line, err := s.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		s.long = append(s.long[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = s.r.ReadSlice('\n')
			s.long = append(s.long, line...)
		}
		line = s.long
	}
	s.line = line
	switch {
	case err == nil:
		return string(line[:len(line)-1]), true, nil
	case err == io.EOF && len(line) > 0:
		return string(line), false, nil
	}
	return "", false, err
}

func (s *stream) keep() {
	if s.sum != nil {
		s.sum.Write(s.line)
	}
}

// more may move the buffer that line lies in, which is not kept then.
func (s *stream) more() bool {
	_, err := s.r.Peek(1)
	return err == nil
}

// text is lines of a string, which shares it.
type text struct {
	rest string
}

func (t *text) next() (string, bool, error) {
	if t.rest == "" {
		return "", false, io.EOF
	}
	n := strings.IndexByte(t.rest, '\n')
	if n < 0 {
		line := t.rest
		t.rest = ""
		return line, false, nil
	}
	line := t.rest[:n]
	t.rest = t.rest[n+1:]
	return line, true, nil
}

func (t *text) more() bool { return t.rest != "" }

func (t *text) keep() {}
