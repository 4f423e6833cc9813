package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// forged is a store with one session, and the parts of its row.
func forged(t *testing.T) (s *Store, e Entry, key string, st stamp) {
	t.Helper()
	s = New(filepath.Join(t.TempDir(), "state"), eventlog.Options{Files: eventlog.Disk{}, Now: func() int64 { return 5 }}, func() eventlog.Holder { return eventlog.Holder{PID: 1} })
	const first = `{"type":"session","version":0,"id":"one","createdAt":5,"cwd":"/w"}`
	h, err := eventlog.ParseHeader(first)
	if err == nil {
		err = s.Place(h, []byte(first+"\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := s.Survey()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	info, err := os.Lstat(all[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	return s, all[0], s.keyAt(all[0].Path), stampOf(info)
}

// Nothing is removed because an index says so: a row names the session that its file is
// named for, and what is removed is what was listed.
func TestForgedRowsRemoveNothing(t *testing.T) {
	s, e, key, st := forged(t)
	h := e.Header
	h.ID = "ffff"
	if err := s.note(logLine(key, h, st, Summary{Title: "x"})); err != nil {
		t.Fatal(err)
	}
	if got, err := s.FindFile("ffff", "/w"); err == nil {
		t.Errorf("a forged id finds %v", got)
	}
	h = e.Header
	h.Cwd = "/other"
	if err := s.note(logLine(key, h, st, Summary{})); err != nil {
		t.Fatal(err)
	}
	all, _, err := s.Survey()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if all[0].Header.Cwd == "/other" {
		if err := s.Remove(all[0]); err == nil || !strings.Contains(err.Error(), "is not the session that was listed") {
			t.Errorf("removed: %v", err)
		}
	}
	if _, err := os.Stat(e.Path); err != nil {
		t.Fatal(err)
	}
	// Names that lead out of the store are none.
	for _, l := range []string{logLine(keyOf("..", "evil.jsonl"), h, st, Summary{}), logLine(keyOf("cwd-x", "../../evil.jsonl"), h, st, Summary{}), goneLine(keyOf("a/b", "c"))} {
		if ix := parseIndex([]byte(l)); len(ix.rows) != 0 {
			t.Errorf("%q has a row", l)
		}
	}
}

// The index is never written through a link, and a second row of a file does not keep
// the list busy.
func TestForgedIndexEnds(t *testing.T) {
	s, e, key, st := forged(t)
	st.size++
	text := line("base", "2") + logLine(key, e.Header, st, Summary{Title: "one"}) + logLine(key, e.Header, st, Summary{Title: "two"})
	if err := os.WriteFile(s.indexPath(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	go func() {
		l, err := s.Listing()
		if err != nil {
			t.Error(err)
		}
		for err == nil && l.Check(nil) {
		}
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}

	victim := filepath.Join(t.TempDir(), "victim")
	for _, at := range []string{s.indexPath(), s.indexPath() + ".tmp"} {
		if err := os.WriteFile(victim, []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
		os.Remove(at)
		if err := os.Symlink(victim, at); err != nil {
			t.Fatal(err)
		}
		_ = s.note(goneLine("a\tb"))
		ix := s.loadIndex()
		ix.suspect = true
		_ = s.compact(ix, true)
		if b, _ := os.ReadFile(victim); string(b) != "kept" {
			t.Errorf("%s: it was written through: %q", at, b)
		}
		os.Remove(at)
	}
}
