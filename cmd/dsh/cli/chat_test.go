package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestChatFromAPipe(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	o := d.runCtx(context.Background(), "/prefix\nPlease review main.go\n/prefix\nAnd \\\nthe tests?\n/nope\n//literal\n/log\n/fork\nIn the fork\n/resume 00000000-0000-7000-8000-000000000001\n/resume nope\nback\n/new\nfresh\n/help\n", "chat")
	d.want(o, 0, "Nothing is frozen yet", "main.go looks right to me.", "text.rules", "There is no command /nope", "user: /literal",
		"user: And \n    the tests?", `there is no session "nope"`, "/fork [SEQ]")
	d.want(d.run("sessions"), 0, "fresh")
	if n := strings.Count(d.run("sessions", "--json").stdout, "\n"); n != 3 {
		t.Errorf("%d sessions, want 3: the first, its fork, the new one", n)
	}
	d.want(d.run("log", "00000000-0000-7000-8000-000000000001"), 0, "user: back")
	d.want(d.run("verify", "00000000-0000-7000-8000-000000000001"), 0, "4 requests, 4 identical")
	// It goes on where it is told to, and quits when it is told to.
	d.want(d.runCtx(context.Background(), "more\n/quit\nnever\n", "chat", "--continue"), 0)
	d.want(d.run("log"), 0, "user: more")
	if strings.Contains(d.logs(), "never") {
		t.Error("a line after /quit was sent")
	}
}

// A failing turn is told and the chat goes on.
func TestChatSurvives(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, n int) {
		if n != 2 {
			http.Error(w, "overloaded", 500)
			return
		}
		stream(w, deepseekStream)
	})
	d := newDesk(t)
	d.real(s.URL)
	d.env["SERVICE_API_KEY"] = canary
	d.want(d.runCtx(context.Background(), "one\ntwo\n", "chat", "--trust"), 0, "PROVIDER_UNAVAILABLE", "Hello there ✓")
	d.want(d.run("verify"), 0, "2 requests, 2 identical")
	// Whoever wrote the pipe learns that its last line was not answered.
	d.want(d.runCtx(context.Background(), "three\n", "chat", "--trust"), 1, "the last turn failed: PROVIDER_UNAVAILABLE")
	d.want(d.runCtx(context.Background(), "x\n", "chat"), 3, "not trusted")
}

// typist is a terminal with somebody at it.
type typist struct {
	t   *testing.T
	in  *io.PipeWriter
	mu  sync.Mutex
	out bytes.Buffer
	got chan struct{}
}

func (y *typist) Write(p []byte) (int, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	select {
	case y.got <- struct{}{}:
	default:
	}
	return y.out.Write(p)
}

func (y *typist) types(s string) {
	if _, err := y.in.Write([]byte(s)); err != nil {
		y.t.Error(err)
	}
}

// sees waits until the screen shows a text.
func (y *typist) sees(text string) {
	y.t.Helper()
	for deadline := time.After(20 * time.Second); ; {
		y.mu.Lock()
		found := strings.Contains(y.out.String(), text)
		y.mu.Unlock()
		if found {
			return
		}
		select {
		case <-y.got:
		case <-deadline:
			y.t.Fatalf("the screen never shows %q:\n%s", text, y.out.String())
		}
	}
}

// At a terminal: a line while a turn runs is steering, Ctrl-C cancels the turn, and
// twice with nothing to cancel quits.
func TestChatAtATerminal(t *testing.T) {
	hang, free := make(chan struct{}), make(chan struct{})
	s := newService(t, func(w http.ResponseWriter, n int) {
		switch n {
		case 1: // waits in the middle until it is steered
			half := strings.SplitAfter(deepseekStream, "Hello ")[0] + `"}}]}` + "\n\n"
			stream(w, half)
			<-free
			stream(w, deepseekStream)
		case 2:
			stream(w, deepseekStream)
		default:
			stream(w, strings.SplitAfter(deepseekStream, "Hello ")[0]+`"}}]}`+"\n\n")
			<-hang
		}
	})
	defer close(hang)
	d := newDesk(t)
	d.real(s.URL)
	d.env["SERVICE_API_KEY"] = canary
	in, typing := io.Pipe()
	screen := &typist{t: t, in: typing, got: make(chan struct{}, 1)}
	env := d.surroundings(in, screen, screen)
	env.StdinTerminal, env.StdoutTerminal = true, true
	restored := false
	env.RawTerminal = func() (func(), int, int, error) { return func() { restored = true }, 80, 24, nil }
	code := make(chan int)
	go func() { code <- runWith(env, "chat", "--trust") }()

	screen.sees("/help lists the commands")
	screen.types("hi\r")
	screen.sees("Hello ")
	screen.types("be quick\r")
	close(free)
	requests := func(want int) {
		for n := 0; n < want; {
			s.mu.Lock()
			n = len(s.bodies)
			s.mu.Unlock()
		}
	}
	requests(2) // the steering is in the second
	screen.types("/log\r")
	screen.sees("steering: be quick")
	screen.types("again\r")
	requests(3)
	screen.types("\x03")
	screen.sees("cancelled by Ctrl-C")
	screen.types("/resume\r") // waits until nothing runs
	screen.sees("000000000001.\r\n")
	screen.types("\x03")
	screen.sees("Ctrl-C again quits")
	screen.types("\x03")
	if c := <-code; c != 0 {
		t.Errorf("exit code %d:\n%s", c, screen.out.String())
	}
	if !restored {
		t.Error("the terminal was left in raw mode")
	}
	d.want(d.run("log"), 0, "steering: be quick", "aborted: cancelled by Ctrl-C")
	d.want(d.run("verify"), 0, "3 requests, 3 identical")
}
