package store

import (
	"errors"
	"fmt"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// BoundaryError says that a session cannot be forked at a place. Code is
// INVALID_BOUNDARY for a place that the session does not have, OPEN_TURN for one
// that is not the end of a turn. Last is the seq of the last turn/end, -1 for none.
type BoundaryError struct {
	Code string
	Seq  int64
	Last int64
}

func (e *BoundaryError) Error() string {
	advice := "it has no turn that has ended"
	if e.Last >= 0 {
		advice = fmt.Sprintf("its last turn ends at event %d", e.Last)
	}
	if e.Code == "OPEN_TURN" {
		return fmt.Sprintf("event %d is not the end of a turn; %s", e.Seq, advice)
	}
	return fmt.Sprintf("the session has no event %d; %s", e.Seq, advice)
}

// StableCode returns the error's code.
func (e *BoundaryError) StableCode() string { return e.Code }

// Fork begins a session that goes on from another one: with its events up to and
// including the turn/end at boundary, or, when boundary is negative, up to its last
// turn/end; from a session in which no turn has ended, with none. h is the child's
// header; parent and seed length are filled in. The parent may be of version 0 and
// may be in use; it is only read. Errors: *BoundaryError, those of Create and of
// reading the parent.
func (s *Store) Fork(parent Entry, boundary int64, h eventlog.Header) (*Session, error) {
	var events []event.Event
	last, beyond := int64(-1), false
	allowed := s.allowed(parent.Header)
	enough := errors.New("enough")
	visit := func(e event.Event, start int64) error {
		if boundary >= 0 && e.Seq > boundary {
			beyond = true
			if last == boundary {
				return enough
			}
			if e.Type == "turn/end" {
				last = e.Seq
			}
			return nil
		}
		if err := allowed(e); err != nil {
			return &eventlog.CorruptError{Path: parent.Path, Line: len(events) + 2, Offset: start, Readable: len(events), Err: err}
		}
		events = append(events, e)
		if e.Type == "turn/end" {
			last = e.Seq
		}
		return nil
	}
	// What goes on from a log says nothing that the log was not written to say.
	walk := eventlog.WalkWritten
	if parent.Header.Version != eventlog.Version {
		walk = eventlog.WalkFile
	}
	if _, err := walk(s.log.Files, parent.Path, visit); err != nil && !errors.Is(err, enough) {
		return nil, err
	}
	switch {
	case boundary < 0:
		boundary = last
	case boundary >= int64(len(events)) && !beyond:
		return nil, &BoundaryError{"INVALID_BOUNDARY", boundary, last}
	case events[boundary].Type != "turn/end":
		return nil, &BoundaryError{"OPEN_TURN", boundary, last}
	}
	h.Parent = parent.Header.ID
	return s.seeded(h, events[:boundary+1])
}

// Import takes the text of a log of the reference, version 0, into the store as a
// session of this program: all its events, and what closes a turn that a crash cut. h is
// the new session's header; name stands for the log in errors. Errors: those of Create
// and of reading the log.
func (s *Store) Import(name, text string, h eventlog.Header) (*Session, error) {
	scan, err := eventlog.ScanText(name, text)
	if err != nil {
		return nil, err
	}
	h.Parent = scan.Header.ID
	out, err := s.seeded(h, scan.Events)
	if err != nil {
		return nil, err
	}
	if err := out.closeTurn(); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	s.date(out.Log.Path(), out.State.LastTime())
	out.noter.pending = true
	return out, nil
}

// seeded creates a session that begins with events of another one.
func (s *Store) seeded(h eventlog.Header, events []event.Event) (*Session, error) {
	h.SeedLength = int64(len(events))
	out, err := s.Create(h)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return out, nil
	}
	err = out.Carry(events...)
	if err == nil {
		err = out.Log.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// closeTurn appends what closes a turn that a crash cut, and syncs it.
func (s *Session) closeTurn() error {
	closers := s.State.Closers()
	if len(closers) == 0 {
		return nil
	}
	events, err := s.Log.AppendAt(s.State.LastTime(), closers...)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := s.State.Apply(e); err != nil {
			return err
		}
	}
	s.Repaired = len(events)
	return s.Log.Sync()
}
