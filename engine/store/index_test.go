package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/store"
)

func newIndexed(t testing.TB) *place {
	p := newPlace(t)
	p.files = eventlog.Disk{Volatile: true}
	p.now = time.Now().UnixMilli()
	return p
}

func (p *place) index() string { return filepath.Join(p.root, "sessions.index") }

// shown is what a list shows of the sessions of a store.
func shown(t testing.TB, st *store.Store) string {
	t.Helper()
	all, left, err := st.Summaries()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, l := range all {
		h := l.Header
		h.ConfigDigest = ""
		fmt.Fprintf(&b, "%s %+v %d %d %q %q\n", l.Path, h, l.Updated.UnixNano(), l.Bytes, l.Title, l.Prompt)
	}
	for _, l := range left {
		fmt.Fprintln(&b, "left:", l)
	}
	return b.String()
}

// truth is what a list shows that has no index.
func (p *place) truth() string {
	p.t.Helper()
	aside := p.index() + ".aside"
	err := os.Rename(p.index(), aside)
	q := *p
	q.files = quick{}
	out := shown(p.t, q.store())
	if err == nil {
		err = os.Rename(aside, p.index())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	return out
}

// picked is what the candidates are made of: the rows of a listing, checked.
func picked(t testing.TB, st *store.Store, check bool) string {
	t.Helper()
	l, err := st.Listing()
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	for r := range l.Rows() {
		at = append(at, r.At)
	}
	if check {
		l.Check(at)
	}
	var lines []string
	for r := range l.Rows() {
		lines = append(lines, fmt.Sprintf("%s %q %d %q", r.ID, r.Cwd, r.CreatedAt, l.Summary(r.At)))
	}
	return strings.Join(lines, "\n")
}

// stranger is a log that no writer of the index knows of.
func stranger(id, cwd, title string) string {
	h := eventlog.Header{Version: 1, ID: id, CreatedAt: 77, Cwd: cwd, Agent: "other", ConfigDigest: "d"}
	return h.Raw() + "\n" + event.New(0, 5, event.Entry{Payload: event.SessionTitle{Title: title}}).Line() + "\n"
}

// Whatever happens to the store and to its index, by this program or by others, what is
// listed is what the logs say, and the index heals.
func TestIndexFollowsTheLogs(t *testing.T) {
	const a, b, c = "aaaaaaaa-0000-7000-8000-000000000001", "bbbbbbbb-0000-7000-8000-000000000002", "cccccccc-0000-7000-8000-000000000003"
	edit := func(change func(text []byte) []byte) func(t *testing.T, p *place) {
		return func(t *testing.T, p *place) {
			if err := os.WriteFile(p.index(), change([]byte(read(t, p.index()))), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	entry := func(t *testing.T, p *place, id string) store.Entry {
		t.Helper()
		e, err := p.store().Find(id, "/w")
		must(t, err)
		return e
	}
	for _, step := range []struct {
		name string
		kept bool // the writers keep the index up: nothing is left to heal
		do   func(t *testing.T, p *place)
	}{
		{"nothing", true, func(*testing.T, *place) {}},
		{"title", true, func(t *testing.T, p *place) {
			must(t, p.store().SetTitle(entry(t, p, a), "A\ttitle\\n with \\ and\u2028more"))
		}},
		{"created", true, func(_ *testing.T, p *place) { p.session(c, "/w") }},
		{"created and in use", true, func(t *testing.T, p *place) {
			s := p.create(c, "/w")
			appendAll(t, s, turn(t, 1)...)
			t.Cleanup(func() { must(t, s.Close()) })
		}},
		{"in a turn", false, func(t *testing.T, p *place) {
			s := p.create(c, "/w")
			appendAll(t, s, start(1))
			appendAll(t, s, prompt(t, "a prompt that no row has yet"))
			t.Cleanup(func() { must(t, s.Close()) })
		}},
		{"resumed", true, func(t *testing.T, p *place) {
			s, err := p.store().Resume(entry(t, p, b))
			must(t, err)
			appendAll(t, s, turn(t, 2)...)
			must(t, s.Close())
		}},
		{"removed", true, func(t *testing.T, p *place) { must(t, p.store().Remove(entry(t, p, a))) }},
		{"forked", true, func(t *testing.T, p *place) {
			s, err := p.store().Fork(entry(t, p, a), -1, eventlog.Header{ID: c, CreatedAt: 9, Cwd: "/elsewhere", Agent: "a", ConfigDigest: "d"})
			must(t, err)
			must(t, s.Close())
		}},
		{"imported", true, func(t *testing.T, p *place) {
			_, err := p.store().Adopt("x", stranger(c, "/other", "from elsewhere"))
			must(t, err)
		}},
		{"imported of version 0", true, func(t *testing.T, p *place) {
			s, err := p.store().Import("x", `{"type":"session","version":0,"id":"x","createdAt":5}`+"\n", eventlog.Header{ID: c, CreatedAt: 9, Cwd: "/w", Agent: "a", ConfigDigest: "d"})
			must(t, err)
			appendAll(t, s, event.Entry{Payload: event.SessionTitle{Title: "old"}})
			must(t, s.Close())
		}},
		{"repaired", true, func(t *testing.T, p *place) {
			path := p.path("/w", a)
			must(t, os.WriteFile(path, append([]byte(read(t, path)), "{\"no\":\"event\"}\n{}\n"...), 0o600))
			_, err := p.store().Repair(entry(t, p, a))
			must(t, err)
		}},
		{"a stranger's log", false, func(_ *testing.T, p *place) { p.write(p.path("/new", c), stranger(c, "/new", "hello")) }},
		{"a stranger's title", false, func(t *testing.T, p *place) {
			text := read(t, p.path("/w", a))
			n := strings.Count(text, "\n") - 1
			p.write(p.path("/w", a), text+event.New(int64(n), 5, event.Entry{Payload: event.SessionTitle{Title: "stranger's"}}).Line()+"\n")
		}},
		{"the same length and time", false, func(t *testing.T, p *place) {
			path := p.path("/w", a)
			info, err := os.Stat(path)
			must(t, err)
			p.write(path, strings.Replace(read(t, path), "prompt 1", "prompt 9", 1))
			must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		}},
		{"removed by a stranger", false, func(t *testing.T, p *place) { must(t, os.Remove(p.path("/w", a))) }},
		{"folder removed by a stranger", false, func(t *testing.T, p *place) { must(t, os.RemoveAll(filepath.Dir(p.path("/w", a)))) }},
		{"a link", false, func(t *testing.T, p *place) {
			must(t, os.Rename(p.path("/w", a), filepath.Join(p.root, "moved")))
			must(t, os.Symlink(filepath.Join(p.root, "moved"), p.path("/w", a)))
		}},
		{"no log", false, func(_ *testing.T, p *place) { p.write(p.path("/w", c), "not a log\n") }},
		{"a name with a tab", false, func(_ *testing.T, p *place) {
			p.write(p.path("/w", "x\ty\\n\n"), stranger("x\ty\\n\n", "/w\t\\", "tab"))
		}},
		{"damaged", false, func(t *testing.T, p *place) { p.write(p.path("/w", a), "{}"+read(t, p.path("/w", a))) }},
		{"index removed", false, func(t *testing.T, p *place) { must(t, os.Remove(p.index())) }},
		{"index empty", false, edit(func([]byte) []byte { return nil })},
		{"index torn", false, edit(func(b []byte) []byte { return b[:len(b)-5] })},
		{"index without its last line", false, edit(func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] })},
		{"index without its first line", false, edit(func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] })},
		{"index in the wrong order", false, edit(func(b []byte) []byte {
			lines := bytes.SplitAfter(b, []byte("\n"))
			for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
				lines[i], lines[j] = lines[j], lines[i]
			}
			return bytes.Join(lines, nil)
		})},
		{"index twice", false, edit(func(b []byte) []byte { return append(b, b...) })},
		{"index with a bit changed", false, edit(func(b []byte) []byte { b[len(b)/2] ^= 1; return b })},
		{"index with its last word on a title changed", true, func(t *testing.T, p *place) {
			must(t, p.store().SetTitle(entry(t, p, b), "first"))
			before := len(read(t, p.index()))
			must(t, p.store().SetTitle(entry(t, p, b), "second"))
			edit(func(text []byte) []byte {
				for i := before; i < len(text); i++ {
					if text[i] != '\n' {
						text[i] ^= 1
					}
				}
				return text
			})(t, p)
		}},
		{"index with rubbish", false, edit(func(b []byte) []byte { return append([]byte("rubbish\n\n\t\t\n"), b...) })},
		{"index of another version", false, edit(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\t1\t"), []byte("\t2\t")) })},
		{"index is a folder", false, func(t *testing.T, p *place) {
			must(t, os.Remove(p.index()))
			must(t, os.Mkdir(p.index(), 0o700))
		}},
		{"index is bad and its lock is held", false, func(t *testing.T, p *place) {
			lock, err := eventlog.Acquire(p.index(), eventlog.Holder{})
			must(t, err)
			t.Cleanup(func() { must(t, lock.Release()) })
			edit(func(b []byte) []byte { return append([]byte("rubbish\n"), b...) })(t, p)
		}},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", step.name, warm), func(t *testing.T) {
				p := newIndexed(t)
				p.session(a, "/w")
				p.session(b, "/w")
				if warm {
					// The folder has rested, so that its time is trusted.
					old := time.Now().Add(-time.Hour)
					must(t, os.Chtimes(filepath.Dir(p.path("/w", a)), old, old))
					picked(t, p.store(), true)
				}
				step.do(t, p)
				unhealed := picked(t, p.store(), false)
				if got, want := shown(t, p.store()), p.truth(); got != want {
					t.Errorf("listed:\n%s\nwant:\n%s", got, want)
				}
				checked := picked(t, p.store(), true)
				if step.kept && unhealed != checked {
					t.Errorf("the writers left this to heal:\n%s\nwant:\n%s", unhealed, checked)
				}
				if again := picked(t, p.store(), false); step.name != "index is a folder" && again != checked {
					t.Errorf("it was not healed:\n%s\nwant:\n%s", again, checked)
				}
			})
		}
	}
}

// A store that cannot be written is listed all the same, and an index that cannot be
// written fails no writer.
func TestIndexReadOnly(t *testing.T) {
	p := newIndexed(t)
	if err := os.MkdirAll(p.index(), 0o700); err != nil { // what root cannot write either
		t.Fatal(err)
	}
	p.session("aaaaaaaa-0000-7000-8000-000000000001", "/w")
	if got, want := shown(t, p.store()), p.truth(); got != want || strings.Count(got, "\n") != 1 {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The index does not grow without bound: it is written anew when it is more than twice
// what it holds, and what is appended meanwhile is kept.
func TestIndexIsCompacted(t *testing.T) {
	p := newIndexed(t)
	const id = "aaaaaaaa-0000-7000-8000-000000000001"
	p.session(id, "/w")
	e, err := p.store().Find(id, "/w")
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.store().Resume(e)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		appendAll(t, s, event.Entry{Payload: event.SessionTitle{Title: fmt.Sprint("title ", i)}})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := len(read(t, p.index()))
	if got := picked(t, p.store(), true); !strings.Contains(got, "title 999") {
		t.Error(got)
	}
	if after := len(read(t, p.index())); after > 2000 {
		t.Errorf("%d bytes, then %d", before, after)
	}
	if got := picked(t, p.store(), false); !strings.Contains(got, "title 999") {
		t.Error(got)
	}
}

// Many write while others list and compact: nothing is lost.
func TestIndexOfMany(t *testing.T) {
	p := newIndexed(t)
	id := func(i int) string { return fmt.Sprintf("aaaaaaaa-0000-7000-8000-%012d", i) }
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					picked(t, p.store(), false)
				}
			}
		})
	}
	for w := range 8 {
		writers.Go(func() {
			for i := range 10 {
				s, err := p.store().Create(eventlog.Header{ID: id(w*10 + i), CreatedAt: int64(i), Cwd: "/w", Agent: "a", ConfigDigest: "d"})
				if err != nil {
					t.Error(err)
					return
				}
				for n := range 20 {
					_, err = s.Append(event.Entry{Payload: event.SessionTitle{Title: fmt.Sprint(strings.Repeat("long ", 100), n)}})
				}
				if err := errors.Join(err, s.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	got := picked(t, p.store(), true)
	if n := strings.Count(got, "long 19"); n != 80 {
		t.Errorf("%d of 80", n)
	}
	if got, want := shown(t, p.store()), p.truth(); got != want {
		t.Errorf("listed:\n%s\nwant:\n%s", got, want)
	}
}
