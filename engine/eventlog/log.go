package eventlog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"

	"github.com/dsh-hcl/dsh/engine/event"
)

// Options are the effects of a log.
type Options struct {
	Files Files
	Now   func() int64 // Unix milliseconds
}

// Observer is told each event after it was written. It must not block: it runs
// on the writer's goroutine.
type Observer func(event.Event)

// Log is a session log open for writing. It is not safe for concurrent use; its
// owner holds the session's Lock.
type Log struct {
	path      string
	opts      Options
	header    Header
	file      File // nil until the first append of a new log
	size      int64
	next      int64 // seq of the next event
	sum       hash.Hash
	dirty     bool // written since the last sync
	closed    bool
	broken    bool
	observers []Observer
}

// New prepares a log that does not exist yet. Nothing is on disk before the
// first Append, which makes the file appear whole.
func New(path string, h Header, opts Options) *Log {
	h.Version = Version
	return &Log{path: path, header: h, opts: opts, sum: sha256.New()}
}

// Open opens a log for appending and cuts off a torn last line. The caller holds
// the session's lock. Errors: *CorruptError, *VersionError, *ReadOnlyError,
// *WriteError and those of the file system.
func Open(path string, opts Options) (*Log, *Scan, error) {
	var l *Log
	scan, err := collect(func(visit func(event.Event, int64) error) (w *Walked, err error) {
		l, w, err = OpenWalk(path, opts, visit)
		return w, err
	})
	return l, scan, err
}

// OpenWalk is Open that hands out the events as Walk does. When visit returns an
// error, the file is not opened for writing and nothing is cut.
func OpenWalk(path string, opts Options, visit func(e event.Event, start int64) error) (*Log, *Walked, error) {
	sum := sha256.New()
	w, err := walkFile(opts.Files, path, sum, visit)
	if err != nil {
		return nil, w, err
	}
	f, err := opts.Files.Open(path)
	if err != nil {
		return nil, w, err
	}
	if w.Torn {
		if err := errors.Join(f.Truncate(w.Committed), f.Sync()); err != nil {
			return nil, w, &WriteError{path, "append", errors.Join(err, f.Close())}
		}
	}
	return &Log{path: path, header: w.Header, opts: opts, file: f, size: w.Committed, next: int64(w.Events), sum: sum}, w, nil
}

// Path returns the path of the file.
func (l *Log) Path() string { return l.path }

// Header returns the session header.
func (l *Log) Header() Header { return l.header }

// Observe adds an observer. One that panics is isolated: the others are told all
// the same, and onPanic, which may be nil, gets what it panicked with.
func (l *Log) Observe(o Observer, onPanic func(any)) {
	l.observers = append(l.observers, func(e event.Event) {
		defer func() {
			if r := recover(); r != nil && onPanic != nil {
				onPanic(r)
			}
		}()
		o(e)
	})
}

// Append writes entries as consecutive lines, in one write, and returns the
// events they became; the caller owns the slice. A turn/end gets the digest of
// the bytes before it. Nothing is durable until Sync returns; do not act on the
// events before that. Errors: ErrClosed, ErrBroken, *WriteError, after which the
// file is as it was before or the log is broken.
func (l *Log) Append(entries ...event.Entry) ([]event.Event, error) {
	return l.AppendAt(l.opts.Now(), entries...)
}

// append writes entries; times gives the time of each.
func (l *Log) append(times func(i int) int64, entries []event.Entry) ([]event.Event, error) {
	if l.closed {
		return nil, ErrClosed
	}
	if l.broken {
		return nil, ErrBroken
	}
	if len(entries) == 0 {
		return nil, nil
	}
	var buf []byte
	if l.size == 0 {
		buf = append(append(buf, l.header.Raw()...), '\n')
	}
	events := make([]event.Event, len(entries))
	// The digest runs along; what does not get written takes it back, a payload that
	// panics included.
	before, written := l.cloneSum(), false
	defer func() {
		if !written {
			l.sum = before
		}
	}()
	l.sum.Write(buf)
	for i, entry := range entries {
		if s, ok := entry.Payload.(event.Sealer); ok {
			entry.Payload = s.Sealed(hex.EncodeToString(l.sum.Sum(nil)))
		}
		events[i] = event.New(l.next+int64(i), times(i), entry)
		at := len(buf)
		buf = append(append(buf, events[i].Line()...), '\n')
		l.sum.Write(buf[at:])
	}
	if err := l.write(buf); err != nil {
		return nil, err
	}
	written = true
	l.size += int64(len(buf))
	l.next += int64(len(entries))
	for _, e := range events {
		for _, o := range l.observers {
			o(e)
		}
	}
	return events, nil
}

// AppendAt is Append with a fixed time in Unix milliseconds, for repair, whose
// events carry the time of the last real one.
func (l *Log) AppendAt(ms int64, entries ...event.Entry) ([]event.Event, error) {
	return l.append(func(int) int64 { return ms }, entries)
}

// Carry is Append for events of another log: each keeps its time and its data, in
// canonical form; a turn/end gets the digest of this log. Errors: those of Append,
// and of an event that cannot be carried (see event.Event.Entry).
func (l *Log) Carry(events ...event.Event) ([]event.Event, error) {
	entries := make([]event.Entry, len(events))
	for i, e := range events {
		var err error
		if entries[i], err = e.Entry(); err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}
	return l.append(func(i int) int64 { return events[i].Time }, entries)
}

func (l *Log) cloneSum() hash.Hash {
	c, err := l.sum.(hash.Cloner).Clone()
	if err != nil {
		panic("eventlog: sha256 cannot be cloned: " + err.Error())
	}
	return c
}

func (l *Log) write(buf []byte) error {
	if l.file == nil {
		// Everything of a new file is durable at once.
		if err := l.opts.Files.Publish(l.path, buf); err != nil {
			return &WriteError{l.path, "create", err}
		}
		f, err := l.opts.Files.Open(l.path)
		if err != nil {
			l.broken = true
			return &WriteError{l.path, "create", err}
		}
		l.file = f
		return nil
	}
	n, err := l.file.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	if err == nil {
		l.dirty = true
		return nil
	}
	// Take back what arrived, so that the next line is not glued to half a line.
	if terr := errors.Join(l.file.Truncate(l.size), l.file.Sync()); terr != nil {
		l.broken = true
		err = errors.Join(err, terr)
	}
	return &WriteError{l.path, "append", err}
}

// Sync makes everything appended so far durable. After a failed sync nobody can
// say what is on disk, so the log is broken then.
func (l *Log) Sync() error {
	if l.closed {
		return ErrClosed
	}
	if l.broken {
		return ErrBroken
	}
	if !l.dirty {
		return nil
	}
	err := l.file.Sync()
	if err == nil {
		err = l.present()
	}
	if err != nil {
		l.broken = true
		return &WriteError{l.path, "sync", err}
	}
	l.dirty = false
	return nil
}

// errGone is a log whose name no longer leads to the file that is written.
var errGone = errors.New("the log was removed or replaced while it was written; what was written since is lost")

// present makes sure that what was synced can be found: a file without its name is
// no durable record.
func (l *Log) present() error {
	f, ok := l.file.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return nil // not a file of the disk
	}
	open, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(l.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(open, named) {
		return errGone
	}
	return err
}

// Next is the seq of the next event. To an observer, all events of one Append are
// written: the last of them is the one before Next.
func (l *Log) Next() int64 { return l.next }

// Size is the length of the file in bytes.
func (l *Log) Size() int64 { return l.size }

// Close syncs and closes the file. It may be called twice.
func (l *Log) Close() error {
	if l.closed {
		return nil
	}
	var err error
	if !l.broken && l.dirty {
		err = l.Sync()
	}
	l.closed = true
	l.observers = slices.Clip(l.observers[:0])
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
	}
	return err
}
