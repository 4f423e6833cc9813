package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// last, and no name at all, never mean a session of another workspace, nor an
// older one because the newest cannot be read.
func TestLast(t *testing.T) {
	d := newDesk(t)
	a, b := filepath.Join(d.dir, "a"), filepath.Join(d.dir, "b")
	for _, dir := range []string{a, b} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		d.dir = dir
		d.want(d.run("init"), 0)
	}
	d.dir = a
	d.want(d.run("run", "CONFIDENTIAL"), 0)
	d.dir = b
	for _, args := range [][]string{{"log"}, {"verify"}, {"request", "1"}, {"run", "--resume", "last", "go on"}} {
		o := d.run(args...)
		d.want(o, 2, "there is no session of this workspace yet; the newest elsewhere is 00000000-0000-7000-8000-000000000001 of "+a)
		if strings.Contains(o.stdout, "CONFIDENTIAL") {
			t.Errorf("%v shows another workspace's session", args)
		}
	}
	// By its id it can be read from anywhere, and resumed only where it belongs.
	d.want(d.run("log", "0000"), 0, "CONFIDENTIAL")
	d.want(d.run("run", "--resume", "0000", "go on"), 3, "belongs to the workspace "+a)
	d.want(d.run("run", "--resume", "0000", "--workspace", a, "go on"), 0)
	// Through a link it is the same workspace.
	link := filepath.Join(d.home, "link")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	d.dir = link
	d.want(d.run("run", "--resume", "last", "go on"), 0)

	// The newest is damaged in its first line: that is an error, not the older one.
	d.dir = a
	d.want(d.run("run", "newer"), 0)
	paths, err := filepath.Glob(filepath.Join(d.home, ".local/state/dsh/sessions/*/*.jsonl"))
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	newest := paths[0]
	for _, p := range paths {
		if info, _ := os.Stat(p); info != nil {
			if other, _ := os.Stat(newest); other.ModTime().Before(info.ModTime()) {
				newest = p
			}
		}
	}
	text, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ content, want string }{
		{strings.Replace(string(text), `"version":1`, `"version":7`, 1), "format version 7"},
		{"", "cannot be read"},
		{strings.TrimPrefix(string(text), "{"), "cannot be read"},
	} {
		if err := os.WriteFile(newest, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(newest, time.Time{}, time.Now().Add(time.Hour))
		d.want(d.run("run", "--resume", "last", "x"), 1, newest, c.want)
		d.want(d.run("verify"), 1, newest, c.want)
		d.want(d.run("log", filepath.Base(newest)[:36]), 1, newest, c.want)
	}
}

// A closed output ends the turn in order; what streamed is kept.
func TestClosedOutput(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	env := d.surroundings(strings.NewReader(""), closedPipe{}, closedPipe{})
	if code := runWith(env, "run", "Please review main.go"); code != 1 {
		t.Errorf("exit code %d", code)
	}
	d.want(d.run("log"), 0, "assistant (interrupted)", "end: aborted: the output was closed")
	d.want(d.run("run", "--resume", "last", "again"), 0)
	d.want(d.run("verify"), 0, "2 requests, 2 identical")
}

// Whichever line of a stream finds the output closed, the run ends.
func TestClosedStream(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	for lines := range 5 {
		env := d.surroundings(strings.NewReader(""), &fullPipe{room: lines}, io.Discard)
		ended := make(chan int)
		go func() { ended <- runWith(env, "run", "--output", "stream-json", "x") }()
		select {
		case code := <-ended:
			if code != 1 {
				t.Errorf("closed after %d lines: exit code %d", lines, code)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("closed after %d lines: the run does not end", lines)
		}
	}
	d.want(d.run("verify"), 0)
}

// fullPipe has room for a number of writes.
type fullPipe struct{ room int }

func (p *fullPipe) Write(b []byte) (int, error) {
	if p.room--; p.room < 0 {
		return 0, os.ErrClosed
	}
	return len(b), nil
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

// What cannot be written was not done, whichever command it is.
func TestFullOutput(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "-q", "hi"), 0)
	for _, args := range [][]string{{"check"}, {"verify"}, {"sessions"}, {"log"}, {"version"}, {"test"}, {"sessions", "export", "last"}} {
		var stderr strings.Builder
		env := d.surroundings(strings.NewReader(""), &fullPipe{}, &stderr)
		if code := runWith(env, args...); code != 1 || stderr.Len() == 0 {
			t.Errorf("%v: exit code %d, %q", args, code, stderr.String())
		}
	}
}
