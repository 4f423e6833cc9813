package eventlog_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func text(t testing.TB, s string) msg.Content {
	t.Helper()
	c, err := msg.TextContent(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// turn is the entries of a small whole turn.
func turn(t testing.TB, n int64) []event.Entry {
	return []event.Entry{
		{Payload: event.TurnStart{Turn: n, Trigger: "message", Source: event.UserSource()}},
		{Payload: event.UserMessage{ID: "m", Content: text(t, "hällo\n"), Source: event.UserSource()}, Op: event.Op{Kind: event.OpAppend}},
		{Payload: event.TurnEnd{Turn: n, Reason: event.EndReason{Kind: event.EndCompleted}}},
	}
}

func options(files eventlog.Files) eventlog.Options {
	return eventlog.Options{Files: files, Now: func() int64 { return 1767323045000 }}
}

var header = eventlog.Header{ID: "s1", CreatedAt: 1, Cwd: "/work", Agent: "a", ConfigDigest: "d"}

// written makes a log of n turns and returns its path and text.
func written(t testing.TB, n int64) (path, content string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "bucket", "s1.jsonl")
	l := eventlog.New(path, header, options(eventlog.Disk{}))
	for i := range n {
		if _, err := l.Append(turn(t, i+1)...); err != nil {
			t.Fatal(err)
		}
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(b)
}

func TestWrittenBytes(t *testing.T) {
	path, content := written(t, 1)
	lines := strings.SplitAfter(content, "\n")
	before := strings.Join(lines[:3], "")
	sum := sha256.Sum256([]byte(before))
	want := `{"type":"session","version":1,"id":"s1","createdAt":1,"cwd":"/work","agent":"a","configDigest":"d"}
{"type":"turn/start","seq":0,"time":1767323045000,"data":{"turn":1,"trigger":{"kind":"message","source":{"kind":"user"}}}}
{"type":"user/message","seq":1,"time":1767323045000,"data":{"id":"m","content":[{"type":"text","text":"hällo\n"}],"source":{"kind":"user"}},"surfaceOp":"append"}
{"type":"turn/end","seq":2,"time":1767323045000,"data":{"turn":1,"reason":{"kind":"completed"},"logSha256":"` + hex.EncodeToString(sum[:]) + `"}}
`
	if content != want {
		t.Errorf("got:\n%s\nwant:\n%s", content, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("folder mode %v, %v", dir.Mode(), err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v %v", left, err)
	}
}

func TestLazyAndNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b", "s1.jsonl")
	l := eventlog.New(path, header, options(eventlog.Disk{}))
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is on disk before the first append: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Append(turn(t, 1)...); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	path, content := written(t, 1)
	second := eventlog.New(path, header, options(eventlog.Disk{}))
	_, err := second.Append(turn(t, 1)...)
	var we *eventlog.WriteError
	if !errors.As(err, &we) || !errors.Is(err, fs.ErrExist) {
		t.Errorf("a new log over an old one: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != content {
		t.Error("the old log was changed")
	}
}

// Cut at every byte: what is whole is kept, the rest is torn, an append after
// opening gives what an untorn log would have.
func TestCutAtEveryByte(t *testing.T) {
	_, content := written(t, 2)
	firstLine := strings.IndexByte(content, '\n') + 1
	for cut := range len(content) + 1 {
		path := filepath.Join(t.TempDir(), "s1.jsonl")
		if err := os.WriteFile(path, []byte(content[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		l, scan, err := eventlog.Open(path, options(eventlog.Disk{}))
		if cut < firstLine {
			var corrupt *eventlog.CorruptError
			if !errors.As(err, &corrupt) || corrupt.Line != 1 {
				t.Fatalf("cut %d: %v, want corruption in line 1", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut %d: %v", cut, err)
		}
		committed := strings.LastIndexByte(content[:cut], '\n') + 1
		if scan.Committed != int64(committed) || scan.Torn != (cut > committed) {
			t.Fatalf("cut %d: committed %d torn %v, want %d %v", cut, scan.Committed, scan.Torn, committed, cut > committed)
		}
		if want := strings.Count(content[:committed], "\n") - 1; len(scan.Events) != want {
			t.Fatalf("cut %d: %d events, want %d", cut, len(scan.Events), want)
		}
		events, err := l.Append(event.Entry{Payload: event.TurnEnd{Turn: 9, Reason: event.EndReason{Kind: event.EndInterrupted}}})
		if err != nil || l.Close() != nil {
			t.Fatalf("cut %d: append: %v", cut, err)
		}
		b, err := os.ReadFile(path)
		if err != nil || string(b) != content[:committed]+events[0].Line()+"\n" {
			t.Fatalf("cut %d: after an append the file is\n%s", cut, b)
		}
		sum := sha256.Sum256([]byte(content[:committed]))
		if got, _ := events[0].Data.Get("logSha256").Text(); got != hex.EncodeToString(sum[:]) {
			t.Fatalf("cut %d: digest %s", cut, got)
		}
	}
}

func TestDamage(t *testing.T) {
	_, content := written(t, 2)
	lines := strings.SplitAfter(strings.TrimSuffix(content, "\n"), "\n")
	replace := func(i int, line string) string {
		out := append([]string{}, lines...)
		out[i] = line
		return strings.Join(out, "") + "\n"
	}
	start := func(i int) int64 { return int64(len(strings.Join(lines[:i], ""))) }
	for _, c := range []struct {
		name   string
		text   string
		line   int
		offset int64
	}{
		{"empty file", "", 1, 0},
		{"blank line in the middle", replace(2, "\n"), 3, start(2)},
		{"not JSON in the middle", replace(2, "{]\n"), 3, start(2) + 1},
		{"null", replace(2, "null\n"), 3, start(2)},
		{"invalid UTF-8", replace(2, strings.Replace(lines[2], "h", "\xff", 1)), 3, start(2) + int64(strings.IndexByte(lines[2], 'h'))},
		{"white space", replace(2, strings.Replace(lines[2], ":", ": ", 1)), 3, start(2) + 8},
		{"a number missing", replace(2, ""), 3, start(2)},
		{"a line twice", replace(2, lines[2]+lines[2]), 4, start(3)},
		{"two records glued", replace(2, strings.TrimSuffix(lines[2], "\n")), 3, start(3) - 1},
		{"a message without its marker", replace(2, strings.Replace(lines[2], `,"surfaceOp":"append"`, "", 1)), 3, start(2)},
		{"a log event with a marker", replace(1, strings.TrimSuffix(lines[1], "}\n")+`,"surfaceOp":"append"}`+"\n"), 2, start(1)},
		{"content that is no list", replace(2, strings.Replace(lines[2], `[{"type":"text","text":"hällo\n"}]`, `"x"`, 1)), 3, start(2)},
		{"last line complete but no event", content + "{}\n", 8, int64(len(content))},
	} {
		t.Run(c.name, func(t *testing.T) {
			scan, err := eventlog.ScanText("log", c.text)
			var corrupt *eventlog.CorruptError
			if !errors.As(err, &corrupt) {
				t.Fatalf("error %v, want corruption", err)
			}
			if corrupt.Line != c.line || corrupt.Offset != c.offset || corrupt.Readable != len(scan.Events) || corrupt.Path != "log" {
				t.Errorf("%v; want line %d, byte %d, %d events", err, c.line, c.offset, len(scan.Events))
			}
			if msg.CodeOf(err) != "LOG_CORRUPT" {
				t.Errorf("code %s", msg.CodeOf(err))
			}
			path := filepath.Join(t.TempDir(), "x.jsonl")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := eventlog.Open(path, options(eventlog.Disk{})); err == nil {
				t.Error("a damaged log was opened for writing")
			}
			if b, _ := os.ReadFile(path); string(b) != c.text {
				t.Error("opening a damaged log changed it")
			}
		})
	}
	var version *eventlog.VersionError
	if _, err := eventlog.ScanText("log", strings.Replace(content, `"version":1`, `"version":2`, 1)); !errors.As(err, &version) || version.Got != 2 {
		t.Errorf("version 2: %v", err)
	}
}

// A file that fails now and then.
type failing struct {
	eventlog.Disk
	writes, syncs, truncates error
	short                    int // bytes that a failing write still puts down
}

type failingFile struct {
	eventlog.File
	f *failing
}

func (f *failing) Open(path string) (eventlog.File, error) {
	file, err := f.Disk.Open(path)
	return failingFile{file, f}, err
}

func (f failingFile) Write(p []byte) (int, error) {
	if f.f.writes != nil {
		n, _ := f.File.Write(p[:min(f.f.short, len(p))])
		return n, f.f.writes
	}
	return f.File.Write(p)
}

func (f failingFile) Sync() error {
	if f.f.syncs != nil {
		return f.f.syncs
	}
	return f.File.Sync()
}

func (f failingFile) Truncate(n int64) error {
	if f.f.truncates != nil {
		return f.f.truncates
	}
	return f.File.Truncate(n)
}

func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s1.jsonl")
	disk := &failing{}
	l := eventlog.New(path, header, options(disk))
	if _, err := l.Append(turn(t, 1)...); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	disk.writes, disk.short = syscall.ENOSPC, 7
	_, err := l.Append(turn(t, 2)...)
	var we *eventlog.WriteError
	if !errors.As(err, &we) || !errors.Is(err, syscall.ENOSPC) || msg.CodeOf(err) != "LOG_WRITE" {
		t.Fatalf("error %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != string(before) {
		t.Fatalf("half a line stayed:\n%s", b)
	}
	// With room again the same batch goes through, and its digest fits.
	disk.writes = nil
	events, err := l.Append(turn(t, 2)...)
	if err != nil || events[0].Seq != 3 {
		t.Fatalf("retry: %v %v", events, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(path)
	scan, err := eventlog.ScanText(path, string(after))
	if err != nil || len(scan.Events) != 6 {
		t.Fatalf("%d events, %v", len(scan.Events), err)
	}
	sum := sha256.Sum256(after[:scan.Starts[5]])
	if got, _ := scan.Events[5].Data.Get("logSha256").Text(); got != hex.EncodeToString(sum[:]) {
		t.Error("the digest counted the write that failed")
	}
}

func TestBroken(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(*failing)
		do   func(*eventlog.Log) error
	}{
		{"a write that cannot be taken back", func(f *failing) { f.writes, f.truncates = syscall.EIO, syscall.EIO },
			func(l *eventlog.Log) error {
				_, err := l.Append(event.Entry{Payload: event.StepEnd{Turn: 1, Step: 1}})
				return err
			}},
		{"a sync that fails", func(f *failing) { f.syncs = syscall.EIO }, (*eventlog.Log).Sync},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk := &failing{}
			path := filepath.Join(t.TempDir(), "s1.jsonl")
			l := eventlog.New(path, header, options(disk))
			for i := range int64(2) {
				if _, err := l.Append(turn(t, i+1)...); err != nil {
					t.Fatal(err)
				}
			}
			c.fail(disk)
			if err := c.do(l); !errors.Is(err, syscall.EIO) {
				t.Fatalf("error %v", err)
			}
			*disk = failing{}
			if _, err := l.Append(turn(t, 3)...); !errors.Is(err, eventlog.ErrBroken) {
				t.Errorf("append on a broken log: %v", err)
			}
			if err := l.Sync(); !errors.Is(err, eventlog.ErrBroken) {
				t.Errorf("sync on a broken log: %v", err)
			}
			if err := l.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			if _, _, err := eventlog.Open(path, options(eventlog.Disk{})); err != nil {
				t.Errorf("opening it anew: %v", err)
			}
		})
	}
}

func TestObservers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s1.jsonl")
	l := eventlog.New(path, header, options(eventlog.Disk{}))
	var first, last []int64
	var panics []any
	l.Observe(func(e event.Event) { first = append(first, e.Seq) }, nil)
	l.Observe(func(e event.Event) { panic(fmt.Sprint("observer ", e.Seq)) }, func(p any) { panics = append(panics, p) })
	l.Observe(func(e event.Event) { panic("without listener") }, nil)
	l.Observe(func(e event.Event) { last = append(last, e.Seq) }, nil)
	if _, err := l.Append(turn(t, 1)...); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(first, last, panics) != "[0 1 2] [0 1 2] [observer 0 observer 1 observer 2]" {
		t.Errorf("first %v last %v panics %v", first, last, panics)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b", "s1.jsonl")
	a, err := eventlog.Acquire(path, eventlog.Holder{PID: 7, Host: "h", Since: 1767323045000})
	if err != nil {
		t.Fatal(err)
	}
	_, err = eventlog.Acquire(path, eventlog.Holder{PID: 8})
	var busy *eventlog.BusyError
	if !errors.As(err, &busy) || busy.PID != 7 || busy.Host != "h" || busy.Since.UnixMilli() != 1767323045000 {
		t.Fatalf("error %v", err)
	}
	if want := "session is in use by process 7 on h since 2026-01-02T03:04:05Z (" + path + ")"; busy.Error() != want {
		t.Errorf("got  %s\nwant %s", busy, want)
	}
	if err := a.Release(); err != nil {
		t.Fatal(err)
	}
	// What a dead holder left behind stops nobody.
	b, err := eventlog.Acquire(path, eventlog.Holder{PID: 9})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Release(); err != nil {
		t.Fatal(err)
	}
}

// FuzzScan: no file panics the scan, and what it accepts reads back to itself.
func FuzzScan(f *testing.F) {
	_, content := written(f, 1)
	f.Add(content)
	f.Add(content[:len(content)-3])
	f.Add(strings.Replace(content, `"append"`, `{"op":"replace","start":1,"end":1}`, 1))
	f.Add("null\n")
	f.Add(old0 + old1 + old2)
	f.Add(old0 + " { \"seq\":-0, \"data\":[1e0,\"\\ud800\"]}\r\nnull\n")
	f.Fuzz(func(t *testing.T, content string) {
		scan, err := eventlog.ScanText("log", content)
		w, werr := eventlog.Walk("log", strings.NewReader(content), func(event.Event, int64) error { return nil })
		if w.Events != len(scan.Events) || w.Committed != scan.Committed || w.Torn != scan.Torn || fmt.Sprint(werr) != fmt.Sprint(err) {
			t.Fatalf("scanned %d events, %d bytes, %v; walked %+v, %v", len(scan.Events), scan.Committed, err, w, werr)
		}
		if err != nil {
			return
		}
		text := scan.Header.Raw() + "\n"
		if !strings.HasPrefix(content, text) {
			return // a header with members of a newer version
		}
		for _, e := range scan.Events {
			text += e.Line() + "\n"
			e.Message()
		}
		if text != content[:scan.Committed] {
			t.Fatalf("read %q, kept %q", content[:scan.Committed], text)
		}
	})
}

// A log that is removed or replaced while it is written is no durable record: the
// sync says so.
func TestGoneWhileWritten(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path+".copy", b, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".copy", path)
		},
	} {
		path := filepath.Join(t.TempDir(), "s1.jsonl")
		l := eventlog.New(path, header, options(eventlog.Disk{}))
		for n := range int64(2) {
			if _, err := l.Append(turn(t, n+1)...); err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				if err := harm(path); err != nil {
					t.Fatal(err)
				}
			}
		}
		var we *eventlog.WriteError
		if err := l.Sync(); !errors.As(err, &we) || !strings.Contains(err.Error(), "removed or replaced") {
			t.Errorf("%s: %v", name, err)
		}
		l.Close()
	}
}

// unwritable is a payload that cannot be written.
type unwritable struct{}

func (unwritable) Type() string { return "turn/start" }
func (unwritable) Raw() string  { panic("no") }

// A payload that panics leaves nothing behind: the digest of the next turn/end is of
// the bytes that are there.
func TestPayloadThatPanics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s1.jsonl")
	l := eventlog.New(path, header, options(eventlog.Disk{}))
	if _, err := l.Append(turn(t, 1)...); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("it did not panic")
			}
		}()
		l.Append(turn(t, 2)[0], event.Entry{Payload: unwritable{}})
	}()
	if _, err := l.Append(turn(t, 2)...); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := eventlog.Open(path, options(eventlog.Disk{})); err != nil {
		t.Error(err)
	}
}
