package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
	"github.com/dsh-hcl/dsh/engine/store"
)

// crashed makes a session whose second turn was cut in the middle of its tools:
// the model asked for a and b, a was answered, b was running.
func crashed(p *place) store.Entry {
	p.t.Helper()
	s := p.create("s1", "/work")
	appendAll(p.t, s, turn(p.t, 1)...)
	calls, err := msg.NewContent(msg.ToolCall{ID: "a", Name: "ls", Arguments: "{}"}, msg.ToolCall{ID: "b", Name: "ls", Arguments: "{}"})
	if err != nil {
		p.t.Fatal(err)
	}
	p.now += 1000
	appendAll(p.t, s, start(2), prompt(p.t, "hällo\n"), event.Entry{Payload: event.StepStart{Turn: 2, Step: 1}},
		event.Entry{Payload: event.AssistantMessage{Turn: 2, Step: 1, Content: calls, Finish: msg.FinishToolCalls}, Op: event.Op{Kind: event.OpAppend}},
		event.Entry{Payload: event.ToolCall{Turn: 2, Step: 1, CallID: "a", Name: "ls", Arguments: "{}"}},
		event.Entry{Payload: event.ToolResult{Turn: 2, Step: 1, CallID: "a", Content: text(p.t, "done")}, Sources: []int64{7}, Op: event.Op{Kind: event.OpAppend}})
	p.now += 1000
	appendAll(p.t, s, event.Entry{Payload: event.ToolCall{Turn: 2, Step: 1, CallID: "b", Name: "ls", Arguments: "{}"}})
	if err := s.Close(); err != nil {
		p.t.Fatal(err)
	}
	return store.Entry{Path: s.Log.Path()}
}

// checkClean holds a log to what every resumed and closed log is: whole, folding,
// with nothing open, and with the digest of what is before it in its turn/ends.
func checkClean(t testing.TB, path string) *eventlog.Scan {
	t.Helper()
	content := read(t, path)
	scan, err := eventlog.ScanText(path, content)
	if err != nil || scan.Torn || scan.Committed != int64(len(content)) {
		t.Fatalf("%v, torn %v", err, scan.Torn)
	}
	state, err := session.Fold(scan.Events)
	if err != nil || len(state.Closers()) > 0 {
		t.Fatalf("%v, %d closers", err, len(state.Closers()))
	}
	for i, e := range scan.Events {
		if e.Type != "turn/end" {
			continue
		}
		sum := sha256.Sum256([]byte(content[:scan.Starts[i]]))
		if got, _ := e.Data.Get("logSha256").Text(); got != hex.EncodeToString(sum[:]) {
			t.Fatalf("event %d has the digest %s", i, got)
		}
	}
	return scan
}

// S65, S66: an interrupted turn stays and is closed, its calls get results, and the
// log goes on from there.
func TestResumeRepairs(t *testing.T) {
	p := newPlace(t)
	e := crashed(p)
	whole := read(t, e.Path)
	last := p.now
	for _, torn := range []string{"", "{", `{"type":"tool/result","seq":9,"ti`, strings.Repeat("x", 70_000), "{\"half\":\n", "\n"} {
		p.write(e.Path, whole+torn)
		p.now += 1_000_000 // the time of the repair shows nowhere
		s, err := p.store().Resume(e)
		if err != nil {
			t.Fatalf("%.20q: %v", torn, err)
		}
		sum := sha256.New()
		want := whole
		for _, line := range []string{
			fmt.Sprintf(`{"type":"tool/result","seq":10,"time":%d,"data":{"turn":2,"step":1,"callId":"b","content":[{"type":"text","text":"The session was interrupted before this tool call finished. Whether it took effect is not known."}],"isError":true,"error":{"name":"InterruptedError","code":"interrupted"}},"sourceEventSeqs":[9],"surfaceOp":"append"}`, last),
			fmt.Sprintf(`{"type":"step/end","seq":11,"time":%d,"data":{"turn":2,"step":1}}`, last),
		} {
			want += line + "\n"
		}
		sum.Write([]byte(want))
		want += fmt.Sprintf(`{"type":"turn/end","seq":12,"time":%d,"data":{"turn":2,"reason":{"kind":"interrupted"},"logSha256":"%x"}}`, last, sum.Sum(nil)) + "\n"
		if got := read(t, e.Path); got != want {
			t.Fatalf("%.20q: got\n%s\nwant\n%s", torn, got, want)
		}
		if turn, step := s.State.Open(); s.Repaired != 3 || turn != 0 || step != 0 || s.State.Next() != 13 || s.State.LastTime() != last || s.State.LastTurn() != 2 {
			t.Errorf("%.20q: repaired %d, open %d.%d, next %d, time %d", torn, s.Repaired, turn, step, s.State.Next(), s.State.LastTime())
		}
		// The session goes on as if nothing had been.
		appendAll(t, s, turn(t, 3)...)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if scan := checkClean(t, e.Path); len(scan.Events) != 16 || scan.Events[13].Time != p.now {
			t.Errorf("%.20q: %d events", torn, len(scan.Events))
		}
	}
}

// What is whole is not touched, and resumes to what it was (L62, S64, S77).
func TestResumeWhole(t *testing.T) {
	p := newPlace(t)
	e := p.session("s1", "/work")
	before := read(t, e.Path)
	for range 2 {
		p.now += 1000
		s, err := p.store().Resume(e)
		if err != nil {
			t.Fatal(err)
		}
		if s.Repaired != 0 || s.State.Next() != 3 || s.State.LastTurn() != 1 || len(s.State.History().Messages) != 1 || s.Log.Header().Cwd != "/work" {
			t.Errorf("repaired %d, next %d, header %+v", s.Repaired, s.State.Next(), s.Log.Header())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, e.Path) != before {
		t.Error("resuming changed a whole log")
	}
	s, err := p.store().Resume(e)
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, s, turn(t, 2)...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	scan := checkClean(t, e.Path)
	if len(scan.Events) != 6 || !strings.HasPrefix(read(t, e.Path), before) {
		t.Errorf("%d events", len(scan.Events))
	}
}

// A fork's parent and the number of its events survive a resume: they are those
// of the header, not of the log (L59).
func TestResumeKeepsHeader(t *testing.T) {
	p := newPlace(t)
	h := eventlog.Header{Version: 1, ID: "child", CreatedAt: 9, Cwd: "/w", Parent: "parent-sess", SeedLength: 2, Agent: "a", ConfigDigest: "d"}
	s, err := p.store().Create(h)
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, s, turn(t, 1)...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := p.store().Find("child", "")
	if err != nil || e.Header != h {
		t.Fatalf("%+v, %v", e, err)
	}
	if s, err = p.store().Resume(e); err != nil || s.Log.Header() != h {
		t.Fatalf("header %+v, %v", s.Log.Header(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// Cut anywhere: either the header is gone, and nothing is touched, or the session
// resumes with everything that was whole, closed in order. The log itself is cut
// at every byte in package eventlog; here every third and those at the line ends.
func TestResumeAfterCut(t *testing.T) {
	p := newPlace(t)
	e := crashed(p)
	whole := read(t, e.Path)
	header := strings.IndexByte(whole, '\n') + 1
	for cut := range len(whole) + 1 {
		if cut%3 != 0 && !strings.Contains(whole[max(cut-1, 0):min(cut+1, len(whole))], "\n") {
			continue
		}
		p.write(e.Path, whole[:cut])
		s, err := p.store().Resume(e)
		if cut < header {
			var corrupt *eventlog.CorruptError
			if !errors.As(err, &corrupt) || read(t, e.Path) != whole[:cut] {
				t.Fatalf("cut %d: %v", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut %d: %v", cut, err)
		}
		committed := strings.LastIndexByte(whole[:cut], '\n') + 1
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		scan := checkClean(t, e.Path)
		kept := strings.Count(whole[:committed], "\n") - 1
		if got := read(t, e.Path); !strings.HasPrefix(got, whole[:committed]) || len(scan.Events) != kept+s.Repaired {
			t.Fatalf("cut %d: kept %d, repaired %d of\n%s", cut, kept, s.Repaired, got)
		}
		for _, closer := range scan.Events[kept:] {
			if closer.Time != scan.Events[kept-1].Time {
				t.Fatalf("cut %d: closer of time %d behind %d", cut, closer.Time, scan.Events[kept-1].Time)
			}
		}
	}
}

// A damaged log is not opened and not changed, not even where its last line is
// torn; its place in the file is named, and the session is not left locked.
func TestResumeRefusesDamage(t *testing.T) {
	p := newPlace(t)
	e := crashed(p)
	whole := read(t, e.Path)
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	at := func(i int) int64 { return int64(len(strings.Join(lines[:i], ""))) }
	with := func(i int, line string) string {
		return strings.Join(lines[:i], "") + line + strings.Join(lines[i+1:], "") + "\n"
	}
	second := strings.Replace(lines[1], `"turn":1`, `"turn":9`, 1)
	for _, c := range []struct {
		name, content  string
		line, readable int
		offset         int64
	}{
		{"no JSON in the middle", with(3, "x\n"), 4, 2, at(3)},
		{"an event missing", with(3, ""), 4, 2, at(3)},
		{"a line of another form", with(6, strings.Replace(lines[6], `"step":1`, `"step":"1"`, 1)), 7, 5, at(6)},
		{"a turn in a turn", with(3, strings.Replace(second, `"seq":0`, `"seq":2`, 1)), 4, 2, at(3)},
		{"a turn in a turn, and torn", with(3, strings.Replace(second, `"seq":0`, `"seq":2`, 1)) + `{"type":"x`, 4, 2, at(3)},
		{"a replace of nothing, and torn", with(2, strings.Replace(lines[2], `"append"`, `{"op":"replace","start":7,"end":7}`, 1)) + "{", 3, 1, at(2)},
		{"a header that cannot be read", "null\n" + whole, 1, 0, 0},
		{"an empty file", "", 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.write(e.Path, c.content)
			for range 2 {
				s, err := p.store().Resume(e)
				var corrupt *eventlog.CorruptError
				if s != nil || !errors.As(err, &corrupt) || msg.CodeOf(err) != "LOG_CORRUPT" {
					t.Fatalf("error %v, want damage; the second time too, for the lock is free", err)
				}
				if corrupt.Path != e.Path || corrupt.Line != c.line || corrupt.Offset != c.offset || corrupt.Readable != c.readable {
					t.Errorf("%v\nwant line %d, byte %d, %d events", err, c.line, c.offset, c.readable)
				}
			}
			if read(t, e.Path) != c.content {
				t.Error("the log was changed")
			}
		})
	}
	p.write(e.Path, strings.Replace(whole, `"version":1`, `"version":2`, 1)+"{")
	before := read(t, e.Path)
	_, err := p.store().Resume(e)
	var version *eventlog.VersionError
	if !errors.As(err, &version) || version.Got != 2 || read(t, e.Path) != before {
		t.Errorf("version 2: %v", err)
	}
}

func TestLockBusy(t *testing.T) {
	p := newPlace(t)
	e := p.session("s1", "/work")
	s, err := p.store().Resume(e)
	if err != nil {
		t.Fatal(err)
	}
	for name, take := range map[string]func() (*store.Session, error){
		"resume": func() (*store.Session, error) { return p.store().Resume(e) },
		"create": func() (*store.Session, error) { return p.store().Create(eventlog.Header{ID: "s1", Cwd: "/work"}) },
	} {
		second, err := take()
		var busy *eventlog.BusyError
		if second != nil || !errors.As(err, &busy) || busy.PID != 7 || busy.Host != "h" || busy.Path != e.Path || msg.CodeOf(err) != "LOCK_BUSY" {
			t.Fatalf("%s: error %v", name, err)
		}
		if want := "session is in use by process 7 on h since 2026-01-02T03:04:05Z (" + e.Path + ")"; err.Error() != want {
			t.Errorf("%s: got  %s\nwant %s", name, err, want)
		}
	}
	// Readers need no lock, nor does another session.
	if found, err := p.store().Find("s1", ""); err != nil || found.Path != e.Path {
		t.Errorf("find: %v", err)
	}
	if scan, _, err := p.store().Read(e); err != nil || len(scan.Events) != 3 {
		t.Errorf("read: %v", err)
	}
	p.session("s2", "/work")
	appendAll(t, s, turn(t, 2)...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = p.store().Resume(e); err != nil || s.State.LastTurn() != 2 {
		t.Fatalf("after it was closed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// failing is a disk whose files take only so many more bytes.
type failing struct {
	quick
	room *int
}

type failingFile struct {
	eventlog.File
	room *int
}

func (f failing) Open(path string) (eventlog.File, error) {
	file, err := f.quick.Open(path)
	return failingFile{file, f.room}, err
}

func (f failingFile) Write(b []byte) (int, error) {
	if len(b) <= *f.room {
		*f.room -= len(b)
		return f.File.Write(b)
	}
	n, _ := f.File.Write(b[:*f.room])
	return n, syscall.ENOSPC
}

// S72: what a failed append left is taken back, so that a retry leaves no gap.
func TestFullDisk(t *testing.T) {
	p := newPlace(t)
	e := crashed(p)
	before := read(t, e.Path)
	room := 100
	p.files = failing{room: &room}
	// No room for the closers: the session stays as it is, and free.
	for range 2 {
		s, err := p.store().Resume(e)
		if s != nil || !errors.Is(err, syscall.ENOSPC) || msg.CodeOf(err) != "LOG_WRITE" {
			t.Fatalf("error %v", err)
		}
	}
	if read(t, e.Path) != before {
		t.Errorf("half a closer stayed: %s", read(t, e.Path))
	}
	room = 1000
	s, err := p.store().Resume(e)
	if err != nil || s.Repaired != 3 {
		t.Fatalf("with room again: %v", err)
	}
	// An append that fails leaves log and state together.
	room = 10
	size, next := s.Log.Size(), s.State.Next()
	if events, err := s.Append(turn(t, 3)...); !errors.Is(err, syscall.ENOSPC) || events != nil || s.Log.Size() != size || s.State.Next() != next || s.State.LastTurn() != 2 {
		t.Errorf("%v, %v: size %d, next %d", events, err, s.Log.Size(), s.State.Next())
	}
	room = 10_000
	appendAll(t, s, turn(t, 3)...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkClean(t, e.Path)
}

// recording is a disk that notes what is done to its files.
type recording struct {
	eventlog.Disk
	ops *[]string
}

type recordingFile struct {
	eventlog.File
	ops *[]string
}

func (r recording) Open(path string) (eventlog.File, error) {
	f, err := r.Disk.Open(path)
	return recordingFile{f, r.ops}, err
}

func (f recordingFile) note(op string) { *f.ops = append(*f.ops, op) }

func (f recordingFile) Write(b []byte) (int, error) { f.note("write"); return f.File.Write(b) }
func (f recordingFile) Sync() error                 { f.note("sync"); return f.File.Sync() }
func (f recordingFile) Truncate(n int64) error      { f.note("truncate"); return f.File.Truncate(n) }

// A repair is durable before anything is built on it: a resumed session may send
// a request at once.
func TestResumeSyncs(t *testing.T) {
	p := newPlace(t)
	e := crashed(p)
	whole := read(t, e.Path)
	for torn, want := range map[string]string{"": "write sync", "{": "truncate sync write sync"} {
		var ops []string
		p.write(e.Path, whole+torn)
		p.files = recording{ops: &ops}
		s, err := p.store().Resume(e)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(ops, " "); got != want {
			t.Errorf("torn by %q: %s, want %s", torn, got, want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestResumeGone(t *testing.T) {
	p := newPlace(t)
	e := p.session("s1", "/work")
	if err := os.Remove(e.Path); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if s, err := p.store().Resume(e); s != nil || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	}
	if got := names(t, filepath.Dir(e.Path)); got != "s1.lock" {
		t.Errorf("left: %s", got)
	}
}

// Readers see a whole session at any moment while its writer goes on: what they
// have seen stays, and at most the last line is not there yet.
func TestReadersBesideWriter(t *testing.T) {
	const turns = 60
	p := newPlace(t)
	s := p.create("s1", "/work")
	appendAll(t, s, turn(t, 1)...)
	st := p.store()
	look := func(seen string) (string, error) {
		entries, skipped, err := st.List()
		if err != nil || skipped != 0 || len(entries) != 1 {
			return seen, fmt.Errorf("list: %v, %d skipped, %v", entries, skipped, err)
		}
		e, err := st.Find("s", "/work")
		if err != nil {
			return seen, fmt.Errorf("find: %w", err)
		}
		scan, content, err := st.Read(e)
		if err != nil {
			return seen, fmt.Errorf("read: %w", err)
		}
		if _, err := session.Fold(scan.Events); err != nil {
			return seen, fmt.Errorf("fold: %w", err)
		}
		if !strings.HasPrefix(content[:scan.Committed], seen) {
			return seen, errors.New("what was read before is gone")
		}
		return content[:scan.Committed], nil
	}
	written, looked := make(chan struct{}), make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			seen := ""
			for last := false; ; {
				var err error
				if seen, err = look(seen); err != nil {
					t.Error(err)
				}
				if last {
					break
				}
				select {
				case looked <- struct{}{}:
				case <-written:
					last = true // one more time, with everything there
				}
			}
			if got := strings.Count(seen, "\n"); got != 1+3*turns {
				t.Errorf("%d lines in the end", got)
			}
		})
	}
	for n := int64(2); n <= turns; n++ {
		appendAll(t, s, turn(t, n)...)
		<-looked // one of them was reading meanwhile
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	close(written)
	readers.Wait()
	checkClean(t, p.path("/work", "s1"))
}
