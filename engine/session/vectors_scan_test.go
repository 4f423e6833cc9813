package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/store"
)

// scanned reads a log in both ways, which must agree.
func scanned(t *testing.T, content string) (*eventlog.Scan, error) {
	t.Helper()
	scan, err := eventlog.ScanText("log", content)
	var lines []string
	w, werr := eventlog.Walk("log", strings.NewReader(content), func(e event.Event, start int64) error {
		if i := len(lines); start != scan.Starts[i] || e.Line() != scan.Events[i].Line() {
			t.Errorf("event %d: %q at %d, walked as %q at %d", i, scan.Events[i].Line(), scan.Starts[i], e.Line(), start)
		}
		lines = append(lines, e.Line())
		return nil
	})
	if w.Events != len(scan.Events) || w.Committed != scan.Committed || w.Torn != scan.Torn || w.Header != scan.Header || (err == nil) != (werr == nil) || err != nil && err.Error() != werr.Error() {
		t.Errorf("scanned: %d events, %d bytes, torn %v, %v\nwalked: %d events, %d bytes, torn %v, %v",
			len(scan.Events), scan.Committed, scan.Torn, err, w.Events, w.Committed, w.Torn, werr)
	}
	for i, e := range scan.Events {
		if at := int(scan.Starts[i]); content[at:at+len(e.Line())+1] != e.Line()+"\n" {
			t.Errorf("event %d is not the line at byte %d", i, at)
		}
	}
	return scan, err
}

// headerLine is the first line of a case as far as it is JSON.
func headerLine(content string) canon.Value {
	first, _, _ := strings.Cut(content, "\n")
	v, err := canon.ParseJavaScript(canon.ValidText(first))
	if err != nil {
		return canon.Value{}
	}
	return v
}

// foreign reports whether a header is a session's of another version than 0.
func foreign(h canon.Value) bool {
	kind, _ := h.Get("type").Text()
	return kind == "session" && h.Get("version").Kind() == canon.Number && h.Get("version").Raw() != "0"
}

func checkScan(t *testing.T, d *differences, c *logCase) {
	content := c.bytes(t)
	scan, err := scanned(t, content)
	var corrupt *eventlog.CorruptError
	var version *eventlog.VersionError
	want := c.Expect.Scan
	switch h := headerLine(content); {
	case foreign(h) && h.Get("version").Raw() == "1":
		d.note("other versions", c.Name)
		if err == nil || len(scan.Events) > 0 {
			t.Errorf("a log of the reference passes for one of this project: %d events", len(scan.Events))
		}
		return
	case foreign(h):
		d.note("other versions", c.Name)
		if !errors.As(err, &version) || !strings.Contains(err.Error(), "version "+h.Get("version").Raw()) || !strings.Contains(err.Error(), "version 1") {
			t.Errorf("error %v", err)
		}
		return
	case h.Get("id").Raw() == `""` && want.Error == nil:
		d.note("empty id", c.Name)
		if !errors.As(err, &corrupt) || corrupt.Line != 1 {
			t.Errorf("error %v", err)
		}
		return
	}
	if e := want.Error; e != nil {
		if e.Kind == "crash" && notObject(content[scan.Committed:]) && err == nil && scan.Torn {
			d.note("line that is no object", c.Name)
			return
		}
		if !errors.As(err, &corrupt) || corrupt.Readable != len(scan.Events) {
			t.Fatalf("error %v, want %+v", err, *e)
		}
		var syntax *canon.SyntaxError
		var seq *eventlog.SeqError
		var shape *event.ShapeError
		line, ok := 1, false
		switch e.Kind {
		case "no-header", "header-shape":
			ok = errors.As(err, &shape)
		case "header-not-json":
			ok = errors.As(err, &syntax)
		case "unparsable-line":
			line, ok = e.Line+1, errors.As(err, &syntax)
		case "seq-gap":
			line, ok = e.Line+1, errors.As(err, &seq)
			if !ok && notObject(content[scan.Committed:]) {
				d.note("line that is no object", c.Name)
				ok = errors.As(err, &syntax)
			}
		case "crash":
			d.note("line that is no object", c.Name)
			line, ok = corrupt.Line, errors.As(err, &syntax)
		}
		if !ok || corrupt.Line != line || corrupt.Readable != max(line-2, 0) {
			t.Errorf("error %v (%T), want %+v", err, corrupt.Err, *e)
		}
		return
	}
	committed := want.CommittedBytes
	if want.RawCommittedBytes != nil {
		d.note("byte offsets", c.Name)
		committed = *want.RawCommittedBytes
	}
	// Where the log holds the name of a sentence, the reference had the sentence.
	committed -= int64(43 * strings.Count(content, "{{closerText}}"))
	if scan.Committed != committed || len(scan.Events) != want.Events {
		t.Fatalf("%d bytes, %d events, want %d, %d (%v)", scan.Committed, len(scan.Events), committed, want.Events, err)
	}
	// Only the last line is torn.
	tail := content[committed:]
	line, rest, ended := strings.Cut(tail, "\n")
	v, perr := canon.Parse(canon.ValidText(line))
	if tail != "" && ended && (rest != "" || perr == nil && v.Kind() == canon.ObjectKind) {
		d.note("damage is not cut off", c.Name)
		if !errors.As(err, &corrupt) || corrupt.Line != want.Events+2 || corrupt.Offset < committed || corrupt.Offset > committed+int64(len(line)) || scan.Torn {
			t.Errorf("error %v, want damage in line %d", err, want.Events+2)
		}
	} else if err != nil || scan.Torn != (tail != "") {
		t.Errorf("torn %v, want %v (%v)", scan.Torn, tail != "", err)
	}
	c.checkHeader(t, d, scan.Header, want.Meta)
}

// notObject reports whether a text begins with a whole line that is JSON and no
// object.
func notObject(content string) bool {
	line, _, ended := strings.Cut(content, "\n")
	v, err := canon.Parse(canon.ValidText(line))
	return ended && err == nil && v.Kind() != canon.ObjectKind
}

// checkHeader compares a header with the members that the reference read.
func (c *logCase) checkHeader(t *testing.T, d *differences, got eventlog.Header, raw json.RawMessage) {
	t.Helper()
	v, err := canon.ParseJavaScript(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	var want eventlog.Header
	want.ID, _ = v.Get("id").Text()
	if f, _ := v.Get("createdAt").Float(); true {
		want.CreatedAt = int64(f)
	}
	want.Cwd, _ = v.Get("cwd").Text()
	want.Parent, _ = v.Get("parentSession").Text()
	want.SeedLength, _ = v.Get("seedLength").Int()
	if n := max(want.SeedLength, 0); n != want.SeedLength {
		d.note("header member of the wrong kind", c.Name)
		want.SeedLength = n
	}
	for name, m := range v.Members() {
		_, whole := m.Int()
		number := name == "version" || name == "createdAt" || name == "seedLength"
		if number && !whole || !number && m.Kind() != canon.String {
			d.note("header member of the wrong kind", c.Name)
		}
	}
	if got != want {
		t.Errorf("header %+v, want %+v", got, want)
	}
}

// fileAs is where the reference puts the log of a header.
func fileAs(root string, h canon.Value) string {
	id, _ := h.Get("id").Text()
	cwd, _ := h.Get("cwd").Text()
	name := regexp.MustCompile(`[^A-Za-z0-9._-]`).ReplaceAllStringFunc(id, func(c string) string {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(c)) {
			fmt.Fprintf(&b, "~%04X", unit)
		}
		return b.String()
	})
	if name == "." || name == ".." {
		name = strings.Repeat("~002E", len(name))
	}
	return filepath.Join(root, "sessions", store.Bucket(cwd), name+".jsonl")
}

// checkListed puts the log where the reference keeps it: it is listed and found,
// it is read, and it is never written.
func checkListed(t *testing.T, d *differences, c *logCase) {
	root := t.TempDir()
	header := headerLine(c.bytes(t))
	path := fileAs(root, header)
	content := c.bytes(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	st := store.New(root, eventlog.Options{Files: eventlog.Disk{}, Now: func() int64 { return 0 }}, func() eventlog.Holder { return eventlog.Holder{} })
	entries, skipped, err := st.List()
	if err != nil || len(entries)+skipped != 1 {
		t.Fatalf("%v, %d skipped, %v", entries, skipped, err)
	}
	entry := store.Entry{Path: path}
	switch want := c.Expect.Listed; {
	case foreign(header):
		d.note("other versions", c.Name)
		if len(entries) != 0 {
			t.Errorf("listed: %+v", entries)
		}
	case string(want) == "null" || len(want) == 0:
		if len(entries) != 0 {
			t.Errorf("listed: %+v", entries)
		}
	default:
		if len(entries) != 1 {
			t.Fatal("not listed")
		}
		c.checkHeader(t, d, entries[0].Header, want)
		if entry, err = st.Find(entries[0].Header.ID, ""); err != nil || entry != entries[0] {
			t.Errorf("found %+v, %v", entry, err)
		}
		scan, text, rerr := st.Read(entry)
		again, serr := eventlog.ScanText(path, content)
		if text != content || len(scan.Events) != len(again.Events) || (rerr == nil) != (serr == nil) {
			t.Errorf("read %d events, %v; %d events, %v", len(scan.Events), rerr, len(again.Events), serr)
		}
		var readOnly *eventlog.ReadOnlyError
		if _, err := st.Resume(entry); !errors.As(err, &readOnly) || readOnly.Version != 0 {
			t.Errorf("resume: %v", err)
		}
	}
	if _, err := st.Resume(entry); err == nil {
		t.Error("a log of version 0 was opened for writing")
	}
	if _, err := st.Repair(entry); err == nil {
		t.Error("a log of version 0 was repaired")
	}
	if _, _, err := eventlog.Open(path, eventlog.Options{Files: eventlog.Disk{}}); err == nil {
		t.Error("a log of version 0 was opened for writing")
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != content {
		t.Errorf("the file was changed: %v", err)
	}
}

// sweepCase is a log cut at every byte.
type sweepCase struct {
	Name, Log string
	Runs      []struct {
		From, To        int
		CommittedBytes  int64
		Events, Closers int
		Error           json.RawMessage
	}
}

func checkSweep(t *testing.T, c *sweepCase) {
	cuts := 0
	for _, run := range c.Runs {
		for cut := run.From; cut <= run.To; cut++ {
			cuts++
			scan, err := scanned(t, c.Log[:cut])
			if len(run.Error) > 0 {
				var corrupt *eventlog.CorruptError
				if string(run.Error) != `"no-header"` || !errors.As(err, &corrupt) || corrupt.Line != 1 {
					t.Fatalf("cut %d: %v, want %s", cut, err, run.Error)
				}
				continue
			}
			if err != nil || scan.Committed != run.CommittedBytes || scan.Torn != (int64(cut) > run.CommittedBytes) || len(scan.Events) != run.Events {
				t.Fatalf("cut %d: %d bytes, torn %v, %d events, %v; want %d bytes, %d events", cut, scan.Committed, scan.Torn, len(scan.Events), err, run.CommittedBytes, run.Events)
			}
			state := folded(t, scan.Events)
			if n := len(state.Closers()); n != run.Closers {
				t.Fatalf("cut %d: %d closers, want %d", cut, n, run.Closers)
			}
		}
	}
	if cuts != len(c.Log)+1 {
		t.Errorf("%d cuts of %d", cuts, len(c.Log)+1)
	}
}
