package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/session"
)

// Store is the folder that holds a person's sessions. It has no state of its own
// and may be shared.
type Store struct {
	root   string
	log    eventlog.Options
	holder func() eventlog.Holder
	guard  func(eventlog.Header) func(event.Event) error
}

// New returns the store below root, an absolute path; the sessions lie in its
// folder "sessions". holder says who takes locks.
func New(root string, log eventlog.Options, holder func() eventlog.Holder) *Store {
	return &Store{root: filepath.Join(root, "sessions"), log: log, holder: holder}
}

// Guarded returns the same store with a guard: before a session is gone on from, its
// events are shown to what guard returns for it, and an error is damage at that
// event. Package verify has one.
func (s *Store) Guarded(guard func(eventlog.Header) func(event.Event) error) *Store {
	g := *s
	g.guard = guard
	return &g
}

// allowed is the guard of one log.
func (s *Store) allowed(h eventlog.Header) func(event.Event) error {
	if s.guard == nil {
		return func(event.Event) error { return nil }
	}
	return s.guard(h)
}

// Entry is a session as a list shows it. Header is the first line of its log,
// Updated the time of its last write, Bytes the size of the log.
type Entry struct {
	Path    string
	Header  eventlog.Header
	Updated time.Time
	Bytes   int64
}

// Workspace is the working directory of the session, "" for none.
func (e Entry) Workspace() string { return e.Header.Cwd }

// NotFoundError says that no session fits a reference.
type NotFoundError struct {
	Ref string
	// Elsewhere is the newest session of another workspace, when the newest of this
	// one was asked for and there is none; nil otherwise.
	Elsewhere *Entry
}

func (e *NotFoundError) Error() string {
	if e.Ref == "" || e.Ref == "last" {
		if e.Elsewhere != nil {
			return fmt.Sprintf("there is no session of this workspace yet; the newest elsewhere is %s of %s", e.Elsewhere.Header.ID, e.Elsewhere.Header.Cwd)
		}
		return "there is no session yet"
	}
	return fmt.Sprintf("there is no session %q", e.Ref)
}

// StableCode returns the error's code.
func (e *NotFoundError) StableCode() string { return "SESSION_NOT_FOUND" }

// AmbiguousError says that a beginning fits several sessions.
type AmbiguousError struct {
	Ref  string
	IDs  []string // some of those that fit
	More int      // how many more fit
}

func (e *AmbiguousError) Error() string {
	more := ""
	if e.More > 0 {
		more = fmt.Sprintf(" and %d more", e.More)
	}
	return fmt.Sprintf("%q fits several sessions: %s%s", e.Ref, strings.Join(e.IDs, ", "), more)
}

// StableCode returns the error's code.
func (e *AmbiguousError) StableCode() string { return "SESSION_AMBIGUOUS" }

// Bucket is the name of the folder for the sessions of a working directory.
func Bucket(cwd string) string {
	if cwd == "" {
		return "_no-cwd"
	}
	sum := sha256.Sum256([]byte(cwd))
	return "cwd-" + hex.EncodeToString(sum[:])[:12]
}

// path is where a session's log lies. ids made by this program are UUIDs; an id
// that could leave the folder is refused.
func (s *Store) path(cwd, id string) (string, error) {
	if id == "" || id == "." || id == ".." || strings.ContainsAny(id, `/\`+"\x00") {
		return "", fmt.Errorf("session id %q cannot be a file name", id)
	}
	return filepath.Join(s.root, Bucket(cwd), id+".jsonl"), nil
}

// List returns all sessions, the most recently written first. It reads only the
// first line of each log. Files that are no readable log, or not named for the
// session in them, are left out and counted in skipped.
func (s *Store) List() (entries []Entry, skipped int, err error) {
	entries, left, err := s.Survey()
	return entries, len(left), err
}

// Survey is List that says which files are left out, and why. A log that is as it was
// when the index read it is not opened; its header has no digest of the configuration
// then.
func (s *Store) Survey() (entries []Entry, left []*UnreadableError, err error) {
	folders, err := s.folders()
	if err != nil || len(folders) == 0 {
		return nil, nil, err
	}
	ix := s.loadIndex()
	for _, f := range folders {
		err := s.names(f.name, func(key []byte) {
			e, err := s.entry(ix, string(key))
			if err != nil {
				left = append(left, &UnreadableError{s.pathOf(string(key)), err})
				return
			}
			entries = append(entries, e)
		})
		if err != nil {
			return nil, nil, err
		}
	}
	sort.Slice(entries, func(i, j int) bool { return newer(entries[i], entries[j]) })
	sort.Slice(left, func(i, j int) bool { return left[i].Path < left[j].Path })
	return entries, left, nil
}

// entry is the entry of a file: what the index says of the file as it is, or else what
// stands in it.
func (s *Store) entry(ix *index, key string) (Entry, error) {
	path := s.pathOf(key)
	info, err := os.Lstat(path)
	if err != nil {
		return Entry{}, err
	}
	if i := ix.find([]byte(key)); i >= 0 && info.Mode().IsRegular() && !ix.rows[i].gone && !ix.rows[i].bad {
		if k, ok := ix.rows[i].read(); ok && k.stamp == stampOf(info) {
			return Entry{path, k.header, info.ModTime(), info.Size()}, nil
		}
	}
	return listed(path, info)
}

// listed reads the entry of a file of the store, or why it has none: a link or a copy
// under another name would be the same session with a second lock.
func listed(path string, info fs.FileInfo) (Entry, error) {
	if !info.Mode().IsRegular() {
		return Entry{}, &eventlog.SpecialFileError{Path: path, Mode: info.Mode().Type()}
	}
	e, err := readEntry(path)
	if err == nil && fileName(e.Header) != filepath.Base(path) {
		err = fmt.Errorf("it is not named for the session in it, %s", e.Header.ID)
	}
	return e, err
}

// maxHeader bounds the first line of a log, in bytes.
const maxHeader = 1 << 20

func readEntry(path string) (Entry, error) {
	f, err := eventlog.OpenRegular(path)
	if err != nil {
		return Entry{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Entry{}, err
	}
	var line []byte
	chunk := make([]byte, 8192)
	for {
		n, err := f.Read(chunk)
		if i := strings.IndexByte(string(chunk[:n]), '\n'); i >= 0 {
			line = append(line, chunk[:i]...)
			break
		}
		line = append(line, chunk[:n]...)
		if len(line) > maxHeader {
			return Entry{}, fmt.Errorf("its first line has more than %d MiB", maxHeader>>20)
		}
		if err == io.EOF {
			return Entry{}, io.ErrUnexpectedEOF
		}
		if err != nil {
			return Entry{}, err
		}
	}
	h, err := eventlog.ParseHeader(string(line))
	return Entry{Path: path, Header: h, Updated: info.ModTime(), Bytes: info.Size()}, err
}

// UnreadableError says that the session a reference names has a log that cannot be
// read.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("the session's log %s cannot be read: %v", e.Path, e.Err)
}

// Unwrap returns what is wrong with the log.
func (e *UnreadableError) Unwrap() error { return e.Err }

// newest returns the most recently written session of a workspace. One that cannot
// be read is an error: going on with an older one is not what was asked for.
func (s *Store) newest(cwd string) (Entry, bool, error) {
	dir := filepath.Join(s.root, Bucket(cwd))
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, false, nil
	}
	if err != nil {
		return Entry{}, false, err
	}
	var path string
	var when time.Time
	for _, f := range files {
		info, err := f.Info()
		if err != nil || filepath.Ext(f.Name()) != ".jsonl" {
			continue
		}
		// Ids grow with time, and so break a tie.
		if t := info.ModTime(); path == "" || !t.Before(when) {
			path, when = filepath.Join(dir, f.Name()), t
		}
	}
	if path == "" {
		return Entry{}, false, nil
	}
	e, err := readEntry(path)
	if err != nil {
		return Entry{}, false, &UnreadableError{path, err}
	}
	return e, true, nil
}

// Find returns the session that ref names: an id, a unique beginning of one, or
// "last" or "" for the newest of the workspace cwd. Errors: *NotFoundError,
// *AmbiguousError, *UnreadableError.
func (s *Store) Find(ref, cwd string) (Entry, error) {
	if ref == "" || ref == "last" {
		if e, ok, err := s.newest(cwd); ok || err != nil {
			return e, err
		}
	}
	entries, left, err := s.Survey()
	if err != nil {
		return Entry{}, err
	}
	if ref == "" || ref == "last" {
		none := &NotFoundError{Ref: ref}
		if len(entries) > 0 {
			none.Elsewhere = &entries[0]
		}
		return Entry{}, none
	}
	e, err := choose(ref, entries)
	if err == nil {
		// The list knows less of it than its log.
		path := e.Path
		if e, err = readEntry(path); err != nil {
			return Entry{}, &UnreadableError{path, err}
		}
	}
	var none *NotFoundError
	if errors.As(err, &none) {
		// A log that cannot be read is not in the list, and yet it is what was meant.
		if file, ferr := choose(ref, named(left)); ferr == nil {
			for _, l := range left {
				if l.Path == file.Path {
					return Entry{}, l
				}
			}
		}
	}
	return e, err
}

// FindFile is Find for whoever wants the file and not what is in it: logs that cannot
// be read are found as well, by their name. Of such a log the entry has no more than the
// path, and the name in the place of the id. A beginning that fits one of them and
// another log fits both. Errors: those of Find.
func (s *Store) FindFile(ref, cwd string) (Entry, error) {
	if ref == "" || ref == "last" {
		return s.Find(ref, cwd)
	}
	entries, left, err := s.Survey()
	if err != nil {
		return Entry{}, err
	}
	return choose(ref, append(entries, named(left)...))
}

// named makes entries of files that cannot be read.
func named(left []*UnreadableError) []Entry {
	out := make([]Entry, len(left))
	for i, l := range left {
		out[i] = Entry{Path: l.Path, Header: eventlog.Header{ID: strings.TrimSuffix(filepath.Base(l.Path), ".jsonl")}}
	}
	return out
}

// choose returns the entry with an id, or the only one whose id begins so.
func choose(ref string, entries []Entry) (Entry, error) {
	var fits []Entry
	for _, e := range entries {
		if e.Header.ID == ref {
			return e, nil
		}
		if strings.HasPrefix(e.Header.ID, ref) {
			fits = append(fits, e)
		}
	}
	switch len(fits) {
	case 0:
		return Entry{}, &NotFoundError{Ref: ref}
	case 1:
		return fits[0], nil
	}
	shown := min(len(fits), 5)
	amb := &AmbiguousError{Ref: ref, More: len(fits) - shown}
	for _, e := range fits[:shown] {
		amb.IDs = append(amb.IDs, e.Header.ID)
	}
	return Entry{}, amb
}

// Read scans a session's log and returns its text as well. Errors are those of
// eventlog.Read; with a *eventlog.CorruptError the scan holds what is before the
// damage.
func (s *Store) Read(e Entry) (*eventlog.Scan, string, error) {
	return eventlog.Read(s.log.Files, e.Path)
}

// Session is a session open for writing: its log, its folded state and its lock.
// It is owned by one goroutine.
type Session struct {
	Log   *eventlog.Log
	State *session.State
	// Repaired is the number of events that opening appended to close a turn
	// which a crash had cut.
	Repaired int
	// Dropped is the number of bytes that opening cut off the end: a line that a
	// crash had cut, which nothing was built on.
	Dropped int64
	lock    *eventlog.Lock
	noter   *noter
}

// Create begins a session. Nothing is written before the first Append, besides
// the lock. Errors: *eventlog.BusyError; an id that cannot be a file name; a
// header that is not UTF-8.
func (s *Store) Create(h eventlog.Header) (*Session, error) {
	path, err := s.path(h.Cwd, h.ID)
	if err != nil {
		return nil, err
	}
	if !utf8.ValidString(h.Raw()) {
		return nil, fmt.Errorf("a log is UTF-8 and cannot name the workspace %q", h.Cwd)
	}
	// The lock's folder is the log's: as durable as that, or as little.
	if disk, ok := s.log.Files.(eventlog.Disk); ok {
		if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
	}
	lock, err := eventlog.Acquire(path, s.holder())
	if err != nil {
		return nil, err
	}
	out := &Session{Log: eventlog.New(path, h, s.log), State: session.NewState(h.SeedLength), lock: lock}
	out.observe(&noter{s: s})
	return out, nil
}

// Resume opens a session for writing: takes its lock, cuts a torn line, folds the
// log and closes a turn that a crash cut. Errors: *eventlog.ReadOnlyError for a
// session of version 0, which stays untouched; *eventlog.BusyError,
// *eventlog.CorruptError, *eventlog.VersionError, *eventlog.WriteError.
func (s *Store) Resume(e Entry) (*Session, error) {
	if err := writable(e.Path); err != nil {
		return nil, err
	}
	lock, err := eventlog.Acquire(e.Path, s.holder())
	if err != nil {
		return nil, err
	}
	out, err := s.resume(e)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	out.lock = lock
	return out, nil
}

// writable refuses a log of an older version, which is never written and needs no
// lock. A header that cannot be read has its error when the log is walked.
func writable(path string) error {
	if e, err := readEntry(path); err == nil && e.Header.Version != eventlog.Version {
		return &eventlog.ReadOnlyError{Path: path, Version: e.Header.Version}
	}
	return nil
}

func (s *Store) resume(e Entry) (*Session, error) {
	// Opening cuts a torn line off. A log whose events do not fit together is
	// damaged, and nothing of it may be cut: then it is not opened.
	state := session.NewState(e.Header.SeedLength)
	n := &noter{s: s, listed: true}
	fold := into(state, e, s.allowed(e.Header))
	log, w, err := eventlog.OpenWalk(e.Path, s.log, func(ev event.Event, start int64) error {
		n.sum.add(ev)
		return fold(ev, start)
	})
	if err != nil {
		return nil, err
	}
	out := &Session{Log: log, State: state, Dropped: w.TornBytes}
	n.pending = w.Torn
	out.observe(n)
	if err := out.closeTurn(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return out, nil
}

// observe has the index told of what is written.
func (s *Session) observe(n *noter) {
	n.log, s.noter = s.Log, n
	s.Log.Observe(n.event, nil)
}

// into folds the events of a walk. A fold error gets its place in the file.
func into(state *session.State, e Entry, allowed func(event.Event) error) func(event.Event, int64) error {
	return func(ev event.Event, start int64) error {
		err := allowed(ev)
		if err == nil {
			err = state.Apply(ev)
		}
		if err != nil {
			n := int(state.Next())
			return &eventlog.CorruptError{Path: e.Path, Line: n + 2, Offset: start, Readable: n, Err: err}
		}
		return nil
	}
}

// fold walks a log into a state.
func (s *Store) fold(e Entry) (*session.State, *eventlog.Walked, error) {
	state := session.NewState(e.Header.SeedLength)
	w, err := s.Walk(e, into(state, e, s.allowed(e.Header)))
	return state, w, err
}

// Fold returns the state of a session as its log stands, without the lock and
// without closing a turn that is open. It keeps what the state needs and no more,
// however long the log is. Errors are those of eventlog.Walk; an event that does
// not fit is an *eventlog.CorruptError, and the state is the one before it.
func (s *Store) Fold(e Entry) (*session.State, eventlog.Header, error) {
	state, w, err := s.fold(e)
	return state, w.Header, err
}

// Walk reads a session's log line by line; see eventlog.Walk.
func (s *Store) Walk(e Entry, visit func(ev event.Event, start int64) error) (*eventlog.Walked, error) {
	return eventlog.WalkFile(s.log.Files, e.Path, visit)
}

// WalkWritten is Walk that vouches for what it hands out as far as a log can: it ends with
// an *eventlog.ChangedError where a turn's end recorded another digest of what stands in
// front of it. Logs of version 0 and redacted exports record none that fits.
func (s *Store) WalkWritten(e Entry, visit func(ev event.Event, start int64) error) (*eventlog.Walked, error) {
	if e.Header.Version == 0 || e.Header.Redacted > 0 {
		return s.Walk(e, visit)
	}
	return eventlog.WalkWritten(s.log.Files, e.Path, visit)
}

// Append writes entries and folds them into the state.
func (s *Session) Append(entries ...event.Entry) ([]event.Event, error) {
	events, err := s.Log.Append(entries...)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if err := s.State.Apply(e); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// Carry appends events of another log, of this version or an older one, as a fork
// or an import does: each keeps its time and its data (see eventlog.Log.Carry).
// Nothing is written when one of them cannot be carried or does not fit.
func (s *Session) Carry(events ...event.Event) error {
	trial := s.State.Clone()
	for i, e := range events {
		entry, err := e.Entry()
		if err == nil {
			err = trial.Apply(event.New(s.State.Next()+int64(i), e.Time, entry))
		}
		if err != nil {
			return fmt.Errorf("event %d cannot be carried: %w", e.Seq, err)
		}
	}
	s.noter.held = true // one row says it all
	_, err := s.Log.Carry(events...)
	s.noter.flush()
	if err != nil {
		return err
	}
	s.State = trial
	return nil
}

// Close closes the log and gives the lock back.
func (s *Session) Close() error {
	err := s.Log.Close()
	s.noter.flush()
	return errors.Join(err, s.lock.Release())
}

// globQuote takes the meaning of a pattern's characters away.
func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}
