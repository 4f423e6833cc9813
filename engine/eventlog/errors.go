package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"
)

// ErrClosed is returned by a log after Close.
var ErrClosed = errors.New("session log is closed")

// ErrBroken is returned by a log whose last write or sync failed in a way that
// could not be undone; the session can be resumed by opening it anew.
var ErrBroken = errors.New("session log cannot be written any more")

// VersionError says that a log has a version this program does not know. Got is
// its version, Text the same as it is written where that is no integer.
type VersionError struct {
	Got  int64
	Text string
}

func (e *VersionError) Error() string {
	got := e.Text
	if got == "" {
		got = strconv.FormatInt(e.Got, 10)
	}
	return fmt.Sprintf("the log has format version %s; this dsh reads versions 0 and %d and writes version %d", got, Version, Version)
}

// StableCode returns the error's code.
func (e *VersionError) StableCode() string { return "LOG_VERSION" }

// ReadOnlyError says that a log of an older version was to be written. It can be
// read; a session goes on from it as a fork or an import of it.
type ReadOnlyError struct {
	Path    string
	Version int64
}

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s has format version %d, which this dsh reads and never writes (it writes version %d): fork the session or import it, and go on with that", e.Path, e.Version, Version)
}

// StableCode returns the error's code.
func (e *ReadOnlyError) StableCode() string { return "LOG_READ_ONLY" }

// SeqError says that an event is not the next one. Got is -1 when it has no seq.
type SeqError struct{ Want, Got int64 }

func (e *SeqError) Error() string {
	if e.Got < 0 {
		return fmt.Sprintf("the line is no event with seq %d", e.Want)
	}
	return fmt.Sprintf("seq is %d, not %d, which is the next one", e.Got, e.Want)
}

// CorruptError says that a log is damaged before its last line. Line is 1-based,
// the header being line 1; Offset is the byte offset in the file of the first
// byte that cannot be right; Readable is the number of events before it, all of
// which can still be read.
type CorruptError struct {
	Path     string
	Line     int
	Offset   int64
	Readable int
	Err      error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s: line %d, byte %d: %v; %d events before it can be read", e.Path, e.Line, e.Offset, e.Err, e.Readable)
}

// Unwrap returns what is wrong with the line.
func (e *CorruptError) Unwrap() error { return e.Err }

// StableCode returns the error's code.
func (e *CorruptError) StableCode() string { return "LOG_CORRUPT" }

// ChangedError says that a log was to be written which is not what was written to
// it before: the digest that a turn's end recorded does not fit the bytes before
// it. It can be read and verified, and repaired, or forked before that. Turn is the
// turn, Offset the offset of the line of its turn/end. Good is the seq of the last
// turn/end before it, whose digest fits, -1 for none; Keep is the length in bytes of
// the log up to and including its line, or of the first line.
type ChangedError struct {
	Path   string
	ID     string
	Turn   int64
	Offset int64
	Good   int64
	Keep   int64
}

func (e *ChangedError) Error() string {
	advice := fmt.Sprintf("No turn before it is known to be as it was: `dsh sessions repair %s` keeps its first line, and the log as it is beside it", e.ID)
	if e.Good >= 0 {
		advice = fmt.Sprintf("`dsh sessions repair %s` keeps it up to event %d, where the last turn that was not changed ends, and the log as it is beside it; `dsh run --fork %s@%d` goes on from there and leaves it as it is",
			e.ID, e.Good, e.ID, e.Good)
	}
	return fmt.Sprintf("%s was changed after it was written: turn %d recorded another digest of the bytes before byte %d. %s", e.Path, e.Turn, e.Offset, advice)
}

// StableCode returns the error's code.
func (e *ChangedError) StableCode() string { return "LOG_CHANGED" }

// RedactedError says that a log was to be written, or gone on from, in which an
// export replaced texts.
type RedactedError struct {
	Path  string
	Texts int64
}

func (e *RedactedError) Error() string {
	return fmt.Sprintf("%s is a redacted export: %d of its texts are not what was written. It can be read; nothing goes on from it", e.Path, e.Texts)
}

// StableCode returns the error's code.
func (e *RedactedError) StableCode() string { return "LOG_REDACTED" }

// WriteError says that an append or a sync failed. Nothing of the batch counts as
// written.
type WriteError struct {
	Path string
	Op   string // "create", "append" or "sync"
	Err  error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("session log %s: %s: %v", e.Path, e.Op, e.Err)
}

// Unwrap returns the cause, such as "no space left on device".
func (e *WriteError) Unwrap() error { return e.Err }

// StableCode returns the error's code.
func (e *WriteError) StableCode() string { return "LOG_WRITE" }

// SpecialFileError says that in the place of a log or of its lock lies what is no
// regular file, and was not opened: a pipe would let its reader wait for ever.
type SpecialFileError struct {
	Path string
	Mode fs.FileMode
}

func (e *SpecialFileError) Error() string {
	what := "a device"
	switch {
	case e.Mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case e.Mode&fs.ModeSymlink != 0:
		what = "a link"
	case e.Mode&fs.ModeSocket != 0:
		what = "a socket"
	case e.Mode.IsDir():
		what = "a folder"
	}
	return fmt.Sprintf("%s is %s, where a regular file belongs", e.Path, what)
}

// StableCode returns the error's code.
func (e *SpecialFileError) StableCode() string { return "FILE_SPECIAL" }

// BusyError says that another writer holds the session. Since is zero when the
// holder did not say.
type BusyError struct {
	Path  string // of the log
	PID   int64
	Host  string
	Since time.Time
}

func (e *BusyError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d on %s since %s", e.PID, e.Host, e.Since.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("session is in use by %s (%s)", who, e.Path)
}

// StableCode returns the error's code.
func (e *BusyError) StableCode() string { return "LOCK_BUSY" }
