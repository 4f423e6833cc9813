package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/store"
)

// quick is the disk without waiting for it, for tests of many small files.
type quick struct{ eventlog.Disk }

type quickFile struct{ eventlog.File }

func (quickFile) Sync() error { return nil }

func (q quick) Open(path string) (eventlog.File, error) {
	f, err := q.Disk.Open(path)
	return quickFile{f}, err
}

// place is a store on disk with a clock that stands still until it is moved.
type place struct {
	t     testing.TB
	root  string
	now   int64
	files eventlog.Files
}

func newPlace(t testing.TB) *place {
	return &place{t: t, root: filepath.Join(t.TempDir(), "state"), now: 1767323045000, files: quick{}}
}

func (p *place) store() *store.Store {
	return store.New(p.root, eventlog.Options{Files: p.files, Now: func() int64 { return p.now }},
		func() eventlog.Holder { return eventlog.Holder{PID: 7, Host: "h", Since: 1767323045000} })
}

func (p *place) path(cwd, id string) string {
	return filepath.Join(p.root, "sessions", store.Bucket(cwd), id+".jsonl")
}

func (p *place) create(id, cwd string) *store.Session {
	p.t.Helper()
	s, err := p.store().Create(eventlog.Header{ID: id, CreatedAt: 5, Cwd: cwd, Agent: "a", ConfigDigest: "d"})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// session makes a session of one whole turn.
func (p *place) session(id, cwd string) store.Entry {
	p.t.Helper()
	s := p.create(id, cwd)
	appendAll(p.t, s, turn(p.t, 1)...)
	if err := s.Close(); err != nil {
		p.t.Fatal(err)
	}
	return store.Entry{Path: p.path(cwd, id)}
}

// write puts a file into the store as a stranger would.
func (p *place) write(path, content string) {
	p.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		p.t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func appendAll(t testing.TB, s *store.Session, entries ...event.Entry) {
	t.Helper()
	if _, err := s.Append(entries...); err != nil {
		t.Fatal(err)
	}
}

func text(t testing.TB, s string) msg.Content {
	t.Helper()
	c, err := msg.TextContent(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func prompt(t testing.TB, s string) event.Entry {
	return event.Entry{Payload: event.UserMessage{ID: "m", Content: text(t, s), Source: event.UserSource()}, Op: event.Op{Kind: event.OpAppend}}
}

func start(n int64) event.Entry {
	return event.Entry{Payload: event.TurnStart{Turn: n, Trigger: "message", Source: event.UserSource()}}
}

// turn is the entries of a small whole turn.
func turn(t testing.TB, n int64) []event.Entry {
	return []event.Entry{start(n), prompt(t, fmt.Sprint("prompt ", n)),
		{Payload: event.TurnEnd{Turn: n, Reason: event.EndReason{Kind: event.EndCompleted}}}}
}

func TestBucket(t *testing.T) {
	for cwd, want := range map[string]string{
		"":      "_no-cwd",
		"/work": "cwd-0c9a453fad61",
		"/":     "cwd-8a5edab28263",
		"/é":    "cwd-e6899f85ca48",
	} {
		if got := store.Bucket(cwd); got != want {
			t.Errorf("bucket of %q is %s, want %s", cwd, got, want)
		}
	}
}

// S67, S70, S71: nothing is there before the first append, and then all of it.
func TestCreate(t *testing.T) {
	p := newPlace(t)
	s := p.create("s1", "/work")
	bucket := filepath.Join(p.root, "sessions", "cwd-0c9a453fad61")
	path := filepath.Join(bucket, "s1.jsonl")
	if s.Log.Path() != path {
		t.Errorf("path %s, want %s", s.Log.Path(), path)
	}
	// A session that was never written to is not there, but its lock is.
	if got := names(t, bucket); got != "s1.lock" {
		t.Errorf("on disk before the first append: %s", got)
	}
	if got, want := read(t, filepath.Join(bucket, "s1.lock")), `{"pid":7,"host":"h","since":1767323045000}`+"\n"; got != want {
		t.Errorf("lock %s, want %s", got, want)
	}
	if entries, skipped, err := p.store().List(); len(entries) != 0 || skipped != 0 || err != nil {
		t.Errorf("listed %v, %d skipped, %v", entries, skipped, err)
	}
	events, err := s.Append(start(1), prompt(t, "hello"))
	if err != nil || len(events) != 2 || events[1].Seq != 1 {
		t.Fatalf("%v, %v", events, err)
	}
	if open, _ := s.State.Open(); open != 1 || s.State.Next() != 2 || s.State.LastTime() != p.now || len(s.State.History().Messages) != 1 {
		t.Errorf("the state did not follow: open turn %d, next %d", open, s.State.Next())
	}
	want := `{"type":"session","version":1,"id":"s1","createdAt":5,"cwd":"/work","agent":"a","configDigest":"d"}` + "\n" + events[0].Line() + "\n" + events[1].Line() + "\n"
	if got := read(t, path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, at := range []string{p.root, filepath.Dir(bucket), bucket} {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("folder %s has mode %v, %v", at, info.Mode(), err)
		}
	}
	for _, name := range []string{"s1.jsonl", "s1.lock"} {
		if info, err := os.Stat(filepath.Join(bucket, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("file %s has mode %v, %v", name, info.Mode(), err)
		}
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Errorf("close, twice: %v", err)
	}
	// A session of the same id does not take its place.
	second := p.create("s1", "/work")
	if _, err := second.Append(start(1)); !errors.Is(err, fs.ErrExist) || second.State.Next() != 0 {
		t.Errorf("over an old session: %v, next %d", err, second.State.Next())
	}
	if got := read(t, path); got != want {
		t.Error("the old session was changed")
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

func names(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

// An id that could leave the folder, or a log that could not be read back, is
// refused before anything is on disk.
func TestCreateRefuses(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct{ id, cwd string }{
		{"", "/work"}, {".", "/work"}, {"..", "/work"}, {"../x", "/work"}, {"a/b", "/work"}, {"/etc/x", "/work"},
		{`a\b`, "/work"}, {`..\x`, "/work"}, {"a\x00b", "/work"}, {"a\xff", "/work"}, {"a", "/work\xff"},
	} {
		s, err := p.store().Create(eventlog.Header{ID: c.id, Cwd: c.cwd})
		if err == nil || s != nil {
			t.Errorf("id %q in %q is accepted", c.id, c.cwd)
		}
	}
	if _, err := os.Stat(p.root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is on disk: %v", err)
	}
	_, err := p.store().Create(eventlog.Header{ID: "../x"})
	if want := `session id "../x" cannot be a file name`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// FuzzCreate: whatever id is accepted, its files lie in the folder of the
// workspace and are named for it.
func FuzzCreate(f *testing.F) {
	for _, id := range []string{"0190f3a2-7c4e-7b2a-9c1d-000000000001", "..", "a/../../b", "a\\b", "~", "con", "a\nb", ".x", "\x00", "\xff", "é"} {
		f.Add(id)
	}
	p := newPlace(f)
	f.Fuzz(func(t *testing.T, id string) {
		s, err := p.store().Create(eventlog.Header{ID: id, Cwd: "/work"})
		if err != nil {
			return
		}
		defer s.Close()
		dir, base := filepath.Split(s.Log.Path())
		if filepath.Clean(dir) != filepath.Join(p.root, "sessions", store.Bucket("/work")) || base != id+".jsonl" {
			t.Fatalf("id %q leads to %s", id, s.Log.Path())
		}
		lock := strings.TrimSuffix(s.Log.Path(), ".jsonl") + ".lock"
		if err := os.Remove(lock); err != nil {
			t.Fatalf("id %q: %v", id, err)
		}
	})
}

// The newest write comes first, whatever the bucket; at one time the greater id.
func TestListOrder(t *testing.T) {
	p := newPlace(t)
	base := time.Unix(1767323045, 0)
	for _, c := range []struct {
		id, cwd string
		age     time.Duration
	}{
		{"b", "/one", 3 * time.Second}, {"a", "/two", time.Second}, {"d", "", 2 * time.Second},
		{"c", "/one", 2 * time.Second}, {"e", "/two", 2*time.Second + time.Millisecond},
	} {
		e := p.session(c.id, c.cwd)
		if err := os.Chtimes(e.Path, base, base.Add(-c.age)); err != nil {
			t.Fatal(err)
		}
	}
	entries, skipped, err := p.store().List()
	if err != nil || skipped != 0 {
		t.Fatal(skipped, err)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Header.ID)
		if want := p.path(e.Header.Cwd, e.Header.ID); e.Path != want || e.Bytes != int64(len(read(t, want))) {
			t.Errorf("%s: path %s, %d bytes", e.Header.ID, e.Path, e.Bytes)
		}
	}
	if want := []string{"a", "d", "c", "e", "b"}; !slices.Equal(ids, want) {
		t.Errorf("listed %v, want %v", ids, want)
	}
	want := eventlog.Header{Version: 1, ID: "a", CreatedAt: 5, Cwd: "/two", Agent: "a", ConfigDigest: "d"}
	if entries[0].Header != want || !entries[0].Updated.Equal(base.Add(-time.Second)) {
		t.Errorf("entry %+v", entries[0])
	}
}

// A header line is read in pieces; its length does not matter, nor what follows
// (S76).
func TestListLongHeaders(t *testing.T) {
	h := eventlog.Header{Version: 1, ID: "s1", Cwd: "/work"}
	for _, size := range []int{8190, 8191, 8192, 8193, 16383, 16384, 16385, 100_000} {
		p := newPlace(t)
		h.Agent = ""
		h.Agent = strings.Repeat("x", size-1-len(h.Raw())) // size counts the line feed
		for _, rest := range []string{"", "{\n", strings.Repeat("\n", 9000)} {
			p.write(p.path("/work", "s1"), h.Raw()+"\n"+rest)
			entries, skipped, err := p.store().List()
			if err != nil || skipped != 0 || len(entries) != 1 || entries[0].Header != h {
				t.Errorf("header of %d bytes, %d behind it: %d listed, %d skipped, %v", size, len(rest), len(entries), skipped, err)
			}
		}
		p.write(p.path("/work", "s1"), h.Raw())
		if entries, skipped, err := p.store().List(); err != nil || skipped != 1 || len(entries) != 0 {
			t.Errorf("header of %d bytes without line feed: %d listed, %d skipped, %v", size, len(entries), skipped, err)
		}
	}
}

// S76: what is no log is left out.
func TestListSkips(t *testing.T) {
	good := (eventlog.Header{Version: 1, ID: "x", Cwd: "/work"}).Raw() + "\n"
	for _, c := range []struct {
		name, file, content string
		skipped             int
	}{
		{"empty", "x.jsonl", "", 1},
		{"no line feed", "x.jsonl", strings.TrimSuffix(good, "\n"), 1},
		{"blank line first", "x.jsonl", "\n" + good, 1},
		{"text", "x.jsonl", "hello\n", 1},
		{"bytes", "x.jsonl", "\x00\xff\xfe\n", 1},
		{"null", "x.jsonl", "null\n", 1},
		{"an event", "x.jsonl", `{"type":"turn/start","seq":0,"time":0,"data":{"turn":1}}` + "\n", 1},
		{"version of the reference without a time", "x.jsonl", `{"type":"session","version":0,"id":"x"}` + "\n", 1},
		{"version of the reference under another name", "a/b.jsonl", `{"type":"session","version":0,"id":"a/b","createdAt":1}` + "\n", 0},
		{"version to come", "x.jsonl", strings.Replace(good, `"version":1`, `"version":2`, 1), 1},
		{"not canonical", "x.jsonl", strings.Replace(good, ":", ": ", 1), 1},
		{"byte order mark", "x.jsonl", "\ufeff" + good, 1},
		{"no id", "x.jsonl", strings.Replace(good, `"x"`, `""`, 1), 1},
		{"id is a number", "x.jsonl", strings.Replace(good, `"x"`, `7`, 1), 1},
		{"copy under another name", "x copy.jsonl", good, 1},
		{"lock", "x.lock", "{}", 0},
		{"left over by a crash", "x.jsonl.123.tmp", good, 0},
		{"something else", "README", good, 0},
		{"other case", "x.JSONL", good, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.session("kept", "/work")
			p.write(filepath.Join(filepath.Dir(p.path("/work", "")), c.file), c.content)
			entries, skipped, err := p.store().List()
			if err != nil || skipped != c.skipped || len(entries) != 1 || entries[0].Header.ID != "kept" {
				t.Errorf("%v, %d skipped, %v", entries, skipped, err)
			}
		})
	}
	t.Run("folders and links", func(t *testing.T) {
		p := newPlace(t)
		kept := p.session("kept", "/work")
		bucket := filepath.Dir(kept.Path)
		p.write(filepath.Join(bucket, "folder.jsonl", "x.jsonl"), good)          // counted: the folder
		p.write(filepath.Join(bucket, "deeper", "x.jsonl"), good)                // not looked into
		p.write(filepath.Join(p.root, "sessions", "x.jsonl"), good)              // not in a bucket
		p.write(filepath.Join(p.root, "sessions", "any-folder", "y.jsonl"), "{") // counted
		if err := os.Symlink(kept.Path, filepath.Join(bucket, "link.jsonl")); err != nil {
			t.Fatal(err)
		}
		entries, skipped, err := p.store().List()
		if err != nil || skipped != 3 || len(entries) != 1 || entries[0].Path != kept.Path {
			t.Errorf("%v, %d skipped, %v", entries, skipped, err)
		}
	})
}

func TestNoStore(t *testing.T) {
	p := newPlace(t)
	if entries, skipped, err := p.store().List(); entries != nil || skipped != 0 || err != nil {
		t.Errorf("%v, %d skipped, %v", entries, skipped, err)
	}
	for ref, want := range map[string]string{"": "there is no session yet", "last": "there is no session yet", "0190": `there is no session "0190"`} {
		_, err := p.store().Find(ref, "/work")
		var missing *store.NotFoundError
		if !errors.As(err, &missing) || missing.Ref != ref || err.Error() != want || msg.CodeOf(err) != "SESSION_NOT_FOUND" {
			t.Errorf("%q: error %v, want %s", ref, err, want)
		}
	}
	if _, err := os.Stat(p.root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking made something: %v", err)
	}
	// Only what is missing is empty; what cannot be read is an error.
	p.write(filepath.Join(p.root, "sessions"), "a file in the folder's place")
	if _, _, err := p.store().List(); err == nil {
		t.Error("a file is taken for a folder without sessions")
	}
	if _, err := p.store().Find("last", "/work"); err == nil || msg.CodeOf(err) == "SESSION_NOT_FOUND" {
		t.Errorf("error %v", err)
	}
	if _, err := p.store().Create(eventlog.Header{ID: "x"}); err == nil {
		t.Error("a session was created below a file")
	}
}

func TestFind(t *testing.T) {
	p := newPlace(t)
	base := time.Unix(1767323045, 0)
	for i, c := range []struct{ id, cwd string }{ // the newest first
		{"0190f3a2-aa", "/two"}, {"0190f3a2-ab", "/one"}, {"0190f3a2", "/two"}, {"0190f3b0", "/one"}, {"0191", ""}, {"7", "/one"},
	} {
		if err := os.Chtimes(p.session(c.id, c.cwd).Path, base, base.Add(-time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ ref, cwd, want string }{
		{"0190f3b0", "/elsewhere", "0190f3b0"},
		{"0190f3a2", "/one", "0190f3a2"}, // an id counts before the beginnings it is
		{"0190f3b", "/two", "0190f3b0"},
		{"0191", "/one", "0191"},
		{"7", "", "7"},
		{"last", "/two", "0190f3a2-aa"},
		{"last", "/one", "0190f3a2-ab"},
		{"", "/one", "0190f3a2-ab"},
		{"", "", "0191"},
	} {
		e, err := p.store().Find(c.ref, c.cwd)
		if err != nil || e.Header.ID != c.want {
			t.Errorf("%q in %q: %s, %v; want %s", c.ref, c.cwd, e.Header.ID, err, c.want)
		}
	}
	for ref, fits := range map[string][]string{
		"0190f3a2-": {"0190f3a2-aa", "0190f3a2-ab"},
		"019":       {"0190f3a2-aa", "0190f3a2-ab", "0190f3a2", "0190f3b0", "0191"},
		"0":         {"0190f3a2-aa", "0190f3a2-ab", "0190f3a2", "0190f3b0", "0191"},
	} {
		_, err := p.store().Find(ref, "/one")
		var ambiguous *store.AmbiguousError
		if !errors.As(err, &ambiguous) || ambiguous.Ref != ref || !slices.Equal(ambiguous.IDs, fits) || msg.CodeOf(err) != "SESSION_AMBIGUOUS" {
			t.Errorf("%q: error %v, want %v", ref, err, fits)
		}
		if want := fmt.Sprintf("%q fits several sessions: %s", ref, strings.Join(fits, ", ")); err != nil && err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, ref := range []string{"8", "0190f3a2-aaa", "190", "LAST", "../x", "0190F3A2"} {
		if _, err := p.store().Find(ref, "/one"); msg.CodeOf(err) != "SESSION_NOT_FOUND" {
			t.Errorf("%q: error %v", ref, err)
		}
	}
	// Many fits are not all named.
	for i := range 6 {
		p.session(fmt.Sprint("many", i), "/one")
	}
	_, err := p.store().Find("many", "/one")
	var ambiguous *store.AmbiguousError
	if !errors.As(err, &ambiguous) || len(ambiguous.IDs) != 5 || ambiguous.More != 1 || !strings.HasSuffix(err.Error(), " and 1 more") {
		t.Errorf("error %v", err)
	}
}

func TestRead(t *testing.T) {
	p := newPlace(t)
	e := p.session("s1", "/work")
	content := read(t, e.Path)
	scan, got, err := p.store().Read(e)
	if err != nil || got != content || len(scan.Events) != 3 || scan.Header.ID != "s1" {
		t.Errorf("%+v, %v", scan, err)
	}
	torn := content + `{"type":"turn/st`
	p.write(e.Path, torn)
	if scan, _, err := p.store().Read(e); err != nil || !scan.Torn || len(scan.Events) != 3 || read(t, e.Path) != torn {
		t.Errorf("%+v, %v: reading repairs nothing", scan, err)
	}
	p.write(e.Path, content+"{}\n")
	scan, _, err = p.store().Read(e)
	var corrupt *eventlog.CorruptError
	if !errors.As(err, &corrupt) || len(scan.Events) != 3 {
		t.Errorf("%+v, %v", scan, err)
	}
	if _, _, err := p.store().Read(store.Entry{Path: p.path("/work", "gone")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
