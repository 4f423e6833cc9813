package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/session"
)

// Summary is what a person recognises a session by. Title is the last one it was
// given; Prompt the beginning of its first prompt, in one line.
type Summary struct{ Title, Prompt string }

// maxPromptSummary bounds the prompt of a summary, in bytes.
const maxPromptSummary = 80

// Summarise reads a session's summary. It walks the log, since a title may have
// been given at any time; a log that is damaged gives what comes before.
func (s *Store) Summarise(e Entry) Summary {
	var out Summary
	// The error is the business of whoever opens the session.
	_, _ = s.Walk(e, func(ev event.Event, _ int64) error {
		out.add(ev)
		return nil
	})
	return out
}

// add takes the next event of a session.
func (s *Summary) add(e event.Event) {
	switch e.Type {
	case "session/title":
		s.Title, _ = e.Data.Get("title").Text()
	case "user/message":
		if s.Prompt == "" {
			if m, ok := e.Message(); ok {
				s.Prompt = OneLine(m.Content.Text())
			}
		}
	}
}

// OneLine is the beginning of a text with its white space folded, at most 80 bytes
// long, as a session is recognised by.
func OneLine(s string) string {
	const limit = maxPromptSummary
	if len(s) > 8*limit {
		s = s[:8*limit]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) <= limit {
		return s
	}
	cut := limit - len("…")
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}

// SetTitle gives a session a title. Errors: those of Resume.
func (s *Store) SetTitle(e Entry, title string) error {
	open, err := s.Resume(e)
	if err != nil {
		return err
	}
	_, err = open.Append(event.Entry{Payload: event.SessionTitle{Title: title}})
	return errors.Join(err, open.Close())
}

// Remove deletes a session for good, with what repairs kept of it. The log need not be
// readable. Errors: *eventlog.BusyError while somebody writes it.
func (s *Store) Remove(e Entry) error {
	lock, err := eventlog.Acquire(e.Path, s.holder())
	if err != nil {
		return err
	}
	if now, err := readEntry(e.Path); err == nil && e.Header.CreatedAt != 0 && (now.Header.ID != e.Header.ID || now.Header.Cwd != e.Header.Cwd) {
		return errors.Join(fmt.Errorf("%s is not the session that was listed; nothing is removed", e.Path), lock.Release())
	}
	// The log goes last: as long as it is there, the session can be found and removed.
	err = removeBackups(e.Path)
	if err == nil {
		err = os.Remove(e.Path)
	}
	// The lock's file goes while it is held: whoever waits for it finds no log.
	if rerr := os.Remove(strings.TrimSuffix(e.Path, filepath.Ext(e.Path)) + ".lock"); err == nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = rerr
	}
	if err == nil {
		_ = s.note(goneLine(s.keyAt(e.Path)))
	}
	return errors.Join(err, lock.Release())
}

// removeBackups deletes the copies that repairs of a log kept.
func removeBackups(path string) error {
	copies, err := filepath.Glob(globQuote(path) + damaged + "*")
	if err != nil {
		return err
	}
	for _, c := range copies {
		if strings.Trim(c[len(path)+len(damaged):], "0123456789") == "" {
			err = errors.Join(err, os.Remove(c))
		}
	}
	return err
}

// damaged stands between the name of a log and the number of a copy that a repair kept.
const damaged = ".damaged-"

// Repair is what repairing a session did. Of Damage and Changed one is set when
// something was dropped.
type Repair struct {
	Damage  *eventlog.CorruptError // a line that cannot be right
	Changed *eventlog.ChangedError // a digest that does not fit
	Kept    int                    // events that stay
	Lines   int                    // lines that are no longer in the log
	Dropped int64                  // their bytes
	Backup  string                 // path of the log as it was, "" when nothing was dropped
	Closed  int                    // events that closed a turn which was cut
}

// Repair makes a damaged session usable. Everything before a line that cannot be right
// stays; of a log whose digests do not fit, what the last turn/end vouches for whose
// own does. The log as it was is kept beside it, and a turn that is open then is closed.
// A log without damage is only closed. Errors: *eventlog.ReadOnlyError,
// *eventlog.RedactedError, *eventlog.BusyError, *eventlog.VersionError and those of the
// file system; a log whose first line is damaged cannot be repaired.
func (s *Store) Repair(e Entry) (Repair, error) {
	if err := writable(e.Path); err != nil {
		return Repair{}, err
	}
	lock, err := eventlog.Acquire(e.Path, s.holder())
	if err != nil {
		return Repair{}, err
	}
	r, err := s.cutDamage(e)
	if err := errors.Join(err, lock.Release()); err != nil {
		return r, err
	}
	open, err := s.Resume(e)
	if err != nil {
		return r, err
	}
	open.noter.pending = true
	r.Closed = open.Repaired
	r.Kept = int(open.State.Next()) - r.Closed
	return r, open.Close()
}

// Sound reports why nobody could go on from a session: the errors of Resume, but for
// those of the lock. It only reads.
func (s *Store) Sound(e Entry) error {
	_, err := eventlog.WalkWritten(s.log.Files, e.Path, into(session.NewState(e.Header.SeedLength), e, s.allowed(e.Header)))
	return err
}

// cutDamage replaces a damaged log by its beginning.
func (s *Store) cutDamage(e Entry) (Repair, error) {
	var r Repair
	err := s.Sound(e)
	if !errors.As(err, &r.Damage) && !errors.As(err, &r.Changed) {
		return Repair{}, err
	}
	if r.Damage != nil && r.Damage.Line <= 1 {
		return Repair{}, fmt.Errorf("nothing can be kept: %w", err)
	}
	text, err := s.log.Files.Read(e.Path)
	if err != nil {
		return Repair{}, err
	}
	keep := 0
	if r.Changed != nil {
		keep = int(min(r.Changed.Keep, int64(len(text))))
	} else {
		keep = before(text, r.Damage)
	}
	if r.Backup, err = s.backup(e.Path, text); err != nil {
		return Repair{}, err
	}
	if err := eventlog.Replace(e.Path, text[:keep]); err != nil {
		return Repair{}, err
	}
	dropped := text[keep:]
	r.Lines, r.Dropped = bytes.Count(dropped, []byte{'\n'}), int64(len(dropped))
	if !bytes.HasSuffix(dropped, []byte{'\n'}) {
		r.Lines++
	}
	return r, nil
}

// before is the length of a log's text up to the line in which the damage lies.
func before(text []byte, damage *eventlog.CorruptError) int {
	keep := bytes.LastIndexByte(text[:min(damage.Offset, int64(len(text)))], '\n') + 1
	for bytes.Count(text[:keep], []byte{'\n'}) >= damage.Line {
		keep = bytes.LastIndexByte(text[:keep-1], '\n') + 1
	}
	return keep
}

// backup keeps a copy of a log under a name that is not taken yet.
func (s *Store) backup(path string, text []byte) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprint(path, damaged, n)
		err := s.log.Files.Publish(name, text)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return name, err
	}
}

// Adopt takes the text of a whole log of this version into the store, byte for byte,
// under its own id; name stands for it in errors. It is read first; damage is refused, and
// what Sound finds is not looked for. Errors: fs.ErrExist when the store has that session;
// those of reading a log.
func (s *Store) Adopt(name, text string) (Entry, error) {
	scan, err := eventlog.ScanText(name, text)
	if err != nil {
		return Entry{}, err
	}
	if scan.Header.Version != eventlog.Version {
		return Entry{}, &eventlog.VersionError{Got: scan.Header.Version}
	}
	if !plainID(scan.Header.ID) {
		return Entry{}, fmt.Errorf("the session's id %q is none that this program gives", scan.Header.ID)
	}
	to, err := s.path(scan.Header.Cwd, scan.Header.ID)
	if err != nil {
		return Entry{}, err
	}
	if taken, err := filepath.Glob(filepath.Join(s.root, "*", globQuote(scan.Header.ID)+".jsonl")); err == nil && len(taken) > 0 {
		return Entry{}, &fs.PathError{Op: "import", Path: taken[0], Err: fs.ErrExist}
	}
	if err := s.log.Files.Publish(to, []byte(text)); err != nil {
		return Entry{}, err
	}
	last := scan.Header.CreatedAt
	if n := len(scan.Events); n > 0 {
		last = scan.Events[n-1].Time
	}
	s.date(to, last)
	var sum Summary
	for _, e := range scan.Events {
		sum.add(e)
	}
	if info, err := os.Lstat(to); err == nil {
		_ = s.note(logLine(s.keyAt(to), scan.Header, stampOf(info), sum))
	}
	return readEntry(to)
}

// date gives a log that comes from elsewhere the time of its last event, in Unix
// milliseconds, so that it is not taken for the newest session; none is later than now.
func (s *Store) date(path string, ms int64) {
	when := time.UnixMilli(max(0, min(ms, s.log.Now())))
	// A file system that keeps no such time lists it as new, and loses nothing.
	_ = os.Chtimes(path, when, when)
}

// plainID reports whether an id has the shape of those that this program gives:
// hexadecimal digits and hyphens.
func plainID(id string) bool {
	return len(id) >= 8 && strings.Trim(id, "0123456789abcdef-") == "" && id[0] != '-'
}

// EntryAt returns the entry of a log that lies anywhere.
func EntryAt(path string) (Entry, error) { return readEntry(path) }
