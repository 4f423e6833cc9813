package eventlog_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
)

const (
	old0 = `{"type":"session","version":0,"id":"s/1","createdAt":5,"cwd":"/w"}` + "\n"
	old1 = `{"type":"turn/start","seq":0,"time":6,"data":{"turn":1,"trigger":{"kind":"message","source":{"kind":"user"}}}}` + "\n"
	old2 = `{"type":"user/message","seq":1,"time":7,"data":{"content":[],"source":{"kind":"user"}},"surfaceOp":"append"}` + "\n"
)

func TestHeaderOfVersion0(t *testing.T) {
	long := strings.Repeat("x", 9000)
	for _, c := range []struct {
		name, line string
		want       eventlog.Header
	}{
		{"as written", strings.TrimSuffix(old0, "\n"), eventlog.Header{ID: "s/1", CreatedAt: 5, Cwd: "/w"}},
		{"all members", `{"type":"session","version":0,"id":"a","createdAt":5,"cwd":"/w","parentSession":"p","seedLength":3}`,
			eventlog.Header{ID: "a", CreatedAt: 5, Cwd: "/w", Parent: "p", SeedLength: 3}},
		{"as anybody might write it", " {\"seedLength\":3e0,\"version\":-0.0,\"\\u0069d\":\"\\u0061\", \"createdAt\":5.0,\"type\":\"session\"}\r", eventlog.Header{ID: "a", CreatedAt: 5, SeedLength: 3}},
		{"members that nobody knows", `{"type":"session","version":0,"id":"a","createdAt":5,"agent":"x","nested":{"id":"b"}}`, eventlog.Header{ID: "a", CreatedAt: 5}},
		{"members of another kind", `{"type":"session","version":0,"id":"a","createdAt":5,"cwd":null,"parentSession":7,"seedLength":"3"}`, eventlog.Header{ID: "a", CreatedAt: 5}},
		{"a seed that is none", `{"type":"session","version":0,"id":"a","createdAt":5.9,"seedLength":-2}`, eventlog.Header{ID: "a", CreatedAt: 5}},
		{"members twice", `{"type":"x","version":1,"id":"b","createdAt":5,"type":"session","version":0,"id":"a"}`, eventlog.Header{ID: "a", CreatedAt: 5}},
		{"longer than 8 KiB", `{"type":"session","version":0,"id":"a","createdAt":5,"cwd":"` + long + `"}`, eventlog.Header{ID: "a", CreatedAt: 5, Cwd: long}},
		{"bytes that are no UTF-8", "{\"type\":\"session\",\"version\":0,\"id\":\"a\xff\",\"createdAt\":5}", eventlog.Header{ID: "a\ufffd", CreatedAt: 5}},
	} {
		if got, err := eventlog.ParseHeader(c.line); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	for _, line := range []string{
		`{"type":"session","version":0,"createdAt":5}`, `{"type":"session","version":0,"id":"","createdAt":5}`, `{"type":"session","version":0,"id":7,"createdAt":5}`,
		`{"type":"session","version":0,"id":"a"}`, `{"type":"session","version":0,"id":"a","createdAt":"5"}`, `{"type":"session","version":"0","id":"a","createdAt":5}`,
		`{"type":"session","version":null,"id":"a","createdAt":5}`, `{"type":"session","id":"a","createdAt":5}`, `{"type":"sessions","version":0,"id":"a","createdAt":5}`,
		`[]`, `"session"`, `null`, `{}`,
		// What version 1 has, it has to have.
		`{"type":"session","version":1,"id":"a","createdAt":5}`, `{"type":"session","version":1,"id":"a","createdAt":5,"agent":"x"}`,
		`{"type":"session","version":1,"createdAt":5,"agent":"x","configDigest":"d"}`, `{"type":"session","version":1,"id":"a","agent":"x","configDigest":"d"}`,
	} {
		var shape *event.ShapeError
		if h, err := eventlog.ParseHeader(line); !errors.As(err, &shape) || h != (eventlog.Header{}) {
			t.Errorf("%s: %+v, %v", line, h, err)
		}
	}
	for _, c := range []struct {
		version string
		got     int64
	}{{"2", 2}, {"-1", -1}, {"0.5", 0}, {"1e3", 1000}, {"1e300", 1 << 53}} {
		var unknown *eventlog.VersionError
		_, err := eventlog.ParseHeader(`{"type":"session","version":` + c.version + `,"id":"a","createdAt":5}`)
		if !errors.As(err, &unknown) || unknown.Got != c.got || msg.CodeOf(err) != "LOG_VERSION" {
			t.Errorf("%s: %v", c.version, err)
		}
		named, _ := canon.ParseJavaScript(c.version)
		if !strings.Contains(err.Error(), "version "+named.Raw()+";") || !strings.Contains(err.Error(), "writes version 1") {
			t.Errorf("%s: both versions are to be named: %v", c.version, err)
		}
	}
}

// Only the last line is torn, also in version 0; any other bad line is damage with
// its place in the file.
func TestScanOfVersion0(t *testing.T) {
	base := old0 + old1
	whole := int64(len(base))
	for _, c := range []struct {
		name, content string
		events        int
		committed     int64
		torn          bool
		line          int // of the damage, 0 for none
		offset        int64
	}{
		{"header only (S74)", old0, 0, int64(len(old0)), false, 0, 0},
		{"whole", base + old2, 2, int64(len(base + old2)), false, 0, 0},
		{"unterminated", base + strings.TrimSuffix(old2, "\n"), 1, whole, true, 0, 0},
		{"cut", base + old2[:30], 1, whole, true, 0, 0},
		{"garbage", base + "\x00\x00garbage\n", 1, whole, true, 0, 0},
		{"blank", base + "\n", 1, whole, true, 0, 0},
		{"null at the end", base + "null\n", 1, whole, true, 0, 0},
		{"a number at the end", base + "42\n", 1, whole, true, 0, 0},
		{"line feeds of another system", strings.ReplaceAll(base+old2, "\n", "\r\n"), 2, int64(len(base+old2)) + 3, false, 0, 0},
		{"garbage before a line", base + "x\n" + old2, 1, whole, false, 3, whole},
		{"blank before a line", base + "\n" + old2, 1, whole, false, 3, whole},
		{"two blank lines", base + "\n\n", 1, whole, false, 3, whole},
		{"null before a line", base + "null\n" + old2, 1, whole, false, 3, whole},
		{"a line twice", base + old1, 1, whole, false, 3, whole},
		{"a gap", base + strings.Replace(old2, `"seq":1`, `"seq":2`, 1), 1, whole, false, 3, whole},
		{"no seq", base + "{}\n", 1, whole, false, 3, whole},
		{"lines glued", base + strings.TrimSuffix(old2, "\n") + old2 + old2, 1, whole, false, 3, whole + int64(len(old2)) - 1},
		{"bytes that are no UTF-8, then a tear", old0 + strings.Replace(old1, "user", "us\xff\xffer", 1) + old2[:9], 1, whole + 2, true, 0, 0},
		{"behind bytes that are no UTF-8", old0 + strings.Replace(old1, "user", "us\xff\xffer", 1) + "x\n" + old2, 1, whole + 2, false, 3, whole + 2},
		{"a header without line feed", strings.TrimSuffix(old0, "\n"), 0, 0, false, 1, 0},
		{"a byte order mark", "\ufeff" + base, 0, 0, false, 1, 0},
		{"a line of 1 MiB", base + strings.Replace(old2, `[]`, `[{"type":"text","text":"`+strings.Repeat("é", 1<<19)+`"}]`, 1), 2, whole + int64(len(old2)+1<<20+len(`{"type":"text","text":""}`)), false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			scan, err := eventlog.ScanText("log", c.content)
			if len(scan.Events) != c.events || scan.Committed != c.committed || scan.Torn != c.torn {
				t.Errorf("%d events, %d bytes, torn %v, %v", len(scan.Events), scan.Committed, scan.Torn, err)
			}
			var corrupt *eventlog.CorruptError
			if errors.As(err, &corrupt) != (c.line > 0) || c.line > 0 && (corrupt.Line != c.line || corrupt.Offset != c.offset || corrupt.Readable != c.events) {
				t.Errorf("error %v, want line %d, byte %d", err, c.line, c.offset)
			}
			// A walk over any reader finds the same.
			for _, r := range []io.Reader{strings.NewReader(c.content), iotest.OneByteReader(strings.NewReader(c.content)), iotest.DataErrReader(strings.NewReader(c.content))} {
				n := 0
				w, werr := eventlog.Walk("log", r, func(e event.Event, start int64) error {
					if e.Line() != scan.Events[n].Line() || start != scan.Starts[n] {
						t.Errorf("event %d: %q at %d", n, e.Line(), start)
					}
					n++
					return nil
				})
				if n != c.events || w.Events != n || w.Committed != scan.Committed || w.Torn != scan.Torn || w.Header != scan.Header || fmt.Sprint(werr) != fmt.Sprint(err) {
					t.Errorf("walked %d events, %+v, %v", n, w, werr)
				}
			}
			path := filepath.Join(t.TempDir(), "x.jsonl")
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			var readOnly *eventlog.ReadOnlyError
			_, _, err = eventlog.Open(path, options(eventlog.Disk{}))
			if c.line != 1 && (!errors.As(err, &readOnly) || readOnly.Path != path || msg.CodeOf(err) != "LOG_READ_ONLY") || err == nil {
				t.Errorf("opened for writing: %v", err)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != c.content {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

// Leniency is version 0's: version 1 refuses what it did not write.
func TestVersion1StaysStrict(t *testing.T) {
	_, content := written(t, 1)
	for _, change := range []struct{ from, to string }{
		{`"seq":1`, `"seq":1.0`}, {`"type":"turn/start"`, `"type": "turn/start"`}, {`"turn/start"`, `"turn\/start"`},
		{`"version":1`, `"version":1.0`}, {`"version":1`, `"version": 1`}, {`"hällo`, "\"h\xffllo"}, {"\n", "\r\n"},
	} {
		changed := strings.Replace(content, change.from, change.to, 1)
		if changed == content {
			t.Fatalf("nothing to change: %s", change.from)
		}
		var corrupt *eventlog.CorruptError
		if _, err := eventlog.ScanText("log", changed); !errors.As(err, &corrupt) {
			t.Errorf("%s to %q: %v", change.from, change.to, err)
		}
	}
}

func TestWalkEndsWhereItIsToldTo(t *testing.T) {
	path, content := written(t, 2)
	enough := errors.New("enough")
	stop := func(at int) func(event.Event, int64) error {
		return func(e event.Event, _ int64) error {
			if e.Seq == int64(at) {
				return enough
			}
			return nil
		}
	}
	for at := range 6 {
		w, err := eventlog.WalkFile(eventlog.Disk{}, path, stop(at))
		if err != enough || w.Events != at || w.Header.ID != "s1" {
			t.Errorf("stopped at %d: %+v, %v", at, w, err)
		}
		// A log that is not wanted is not opened, and nothing of it is cut.
		if err := os.WriteFile(path, []byte(content+"torn"), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, _, err := eventlog.OpenWalk(path, options(eventlog.Disk{}), stop(at)); err != enough || l != nil {
			t.Errorf("opened at %d: %v", at, err)
		}
		if b, _ := os.ReadFile(path); string(b) != content+"torn" {
			t.Error("the file was changed")
		}
	}
	broken := errors.New("broken disk")
	r := io.MultiReader(strings.NewReader(content[:len(content)-9]), iotest.ErrReader(broken))
	if w, err := eventlog.Walk(path, r, func(event.Event, int64) error { return nil }); err != broken || w.Events != 5 || w.Torn {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := eventlog.WalkFile(eventlog.Disk{}, path+"x", stop(0)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Events of another log keep their time and data; the digests are this log's.
func TestCarry(t *testing.T) {
	_, content := written(t, 2)
	from, err := eventlog.ScanText("log", content)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "child.jsonl")
	l := eventlog.New(path, eventlog.Header{ID: "child", Parent: "s1", SeedLength: 6, Agent: "other"}, eventlog.Options{Files: eventlog.Disk{}, Now: func() int64 { return 99 }})
	if _, err := l.Carry(from.Events[:3]...); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Carry(from.Events[3:]...); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(turn(t, 3)...); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	scan, err := eventlog.ScanText(path, string(b))
	if err != nil || len(scan.Events) != 9 {
		t.Fatalf("%d events, %v", len(scan.Events), err)
	}
	for i, e := range scan.Events {
		if i >= 6 {
			if e.Time != 99 {
				t.Errorf("event %d has the time %d", i, e.Time)
			}
			continue
		}
		was := from.Events[i]
		if e.Type != was.Type || e.Time != was.Time || e.Op != was.Op || e.Type != "turn/end" && e.Line() != was.Line() {
			t.Errorf("%s became %s", was.Line(), e.Line())
		}
		if e.Type == "turn/end" {
			digest := eventlog.Digest(string(b[:scan.Starts[i]]))
			if got, _ := e.Data.Get("logSha256").Text(); got != fmt.Sprintf("%x", digest) {
				t.Errorf("event %d has the digest %s", i, got)
			}
		}
	}
	bad, err := event.ParseVersion0(`{"type":"x","seq":0,"time":1}`)
	if err != nil {
		t.Fatal(err)
	}
	none := eventlog.New(filepath.Join(t.TempDir(), "x.jsonl"), header, options(eventlog.Disk{}))
	if _, err := none.Carry(from.Events[0], bad); err == nil || none.Size() != 0 {
		t.Errorf("an event that cannot be carried: %v", err)
	}
}
