package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
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
			http.Error(w, "what is that?", http.StatusNotImplemented)
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

// shown is everything that was sent to the screen.
func (y *typist) shown() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.out.String()
}

// sees waits until the screen shows a text.
func (y *typist) sees(text string) { y.t.Helper(); y.seesTimes(text, 1) }

// seesTimes waits until the screen has shown a text so many times.
func (y *typist) seesTimes(text string, times int) {
	y.t.Helper()
	for deadline := time.After(20 * time.Second); ; {
		if strings.Count(y.shown(), text) >= times {
			return
		}
		select {
		case <-y.got:
		case <-deadline:
			y.t.Fatalf("the screen never shows %q:\n%s", text, y.shown())
		}
	}
}

// sits puts somebody at a terminal with dsh chat. restored says whether the terminal
// was given back, once the exit code is there.
func (d *desk) sits(t *testing.T, args ...string) (screen *typist, code <-chan int, restored *bool) {
	in, typing := io.Pipe()
	screen = &typist{t: t, in: typing, got: make(chan struct{}, 1)}
	env := d.surroundings(in, screen, screen)
	env.StdinTerminal, env.StdoutTerminal = true, true
	restored = new(bool)
	env.RawTerminal = func() (func(), int, int, error) { return func() { *restored = true }, 80, 24, nil }
	ended := make(chan int, 1)
	go func() {
		code := runWith(env, append([]string{"chat"}, args...)...)
		in.Close() // nothing that is typed now waits for a reader
		ended <- code
	}()
	screen.sees("/help lists the commands")
	return screen, ended, restored
}

// leaves waits until the chat has ended in order.
func (y *typist) leaves(code <-chan int, restored *bool) {
	y.t.Helper()
	select {
	case c := <-code:
		if c != 0 || !*restored {
			y.t.Errorf("exit code %d, terminal restored: %v\n%s", c, *restored, y.shown())
		}
	case <-time.After(20 * time.Second):
		y.t.Fatalf("the chat does not end:\n%s", y.shown())
	}
}

// got waits until a service was asked so many times.
func (s *service) got(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		n := len(s.bodies)
		s.mu.Unlock()
		if n >= want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d requests, want %d", n, want)
		}
	}
}

// half is the beginning of an answer.
var half = strings.SplitAfter(deepseekStream, "Hello ")[0] + `"}}]}` + "\n\n"

// hanging is a desk with a service that answers in part and then hangs until the
// test ends.
func hanging(t *testing.T) (*desk, *service) {
	hang := make(chan struct{})
	s := newService(t, func(w http.ResponseWriter, _ int) {
		stream(w, half)
		<-hang
	})
	t.Cleanup(func() { close(hang) })
	d := newDesk(t)
	d.real(s.URL)
	d.env["SERVICE_API_KEY"] = canary
	return d, s
}

// At a terminal: a line while a turn runs is steering, Ctrl-C cancels the turn, and
// twice with nothing to cancel quits.
func TestChatAtATerminal(t *testing.T) {
	hang, free := make(chan struct{}), make(chan struct{})
	s := newService(t, func(w http.ResponseWriter, n int) {
		switch n {
		case 1: // waits in the middle until it is steered
			stream(w, half)
			<-free
			stream(w, deepseekStream)
		case 2:
			stream(w, deepseekStream)
		default:
			stream(w, half)
			<-hang
		}
	})
	t.Cleanup(func() { close(hang) })
	d := newDesk(t)
	d.real(s.URL)
	d.env["SERVICE_API_KEY"] = canary
	screen, code, restored := d.sits(t, "--trust")
	screen.types("hi\r")
	s.got(t, 1)
	screen.types("be quick\r")
	screen.types("/cancle\r") // the steering has arrived when this is answered
	screen.sees("no command /cancle")
	close(free)
	s.got(t, 2) // the steering is in the second
	screen.sees("there ✓")
	screen.types("/log\r")
	screen.sees("steering: be quick")
	screen.types("again\r")
	s.got(t, 3)
	screen.types("\x03")
	screen.sees("cancelled by Ctrl-C")
	screen.types("/resume\r")
	screen.sees("000000000001.\r\n")
	screen.types("\x03")
	screen.sees("Ctrl-C again quits")
	screen.types("\x03")
	screen.leaves(code, restored)
	d.want(d.run("log"), 0, "steering: be quick", "aborted: cancelled by Ctrl-C")
	d.want(d.run("verify"), 0, "3 requests, 3 identical")
}

// While a turn runs, commands that end an instance are refused and the keys that end
// the turn work.
func TestChatRefusesDuringATurn(t *testing.T) {
	d, s := hanging(t)
	screen, code, restored := d.sits(t, "--trust")
	screen.types("hi\r")
	s.got(t, 1)
	for n, command := range []string{"/resume", "/fork", "/new"} {
		screen.types(command + "\r")
		screen.seesTimes("A turn runs.", n+1)
	}
	screen.types("/title while it runs\r")
	screen.types("\x03")
	screen.sees("cancelled by Ctrl-C")
	screen.types("\x03") // nothing was entered in between
	screen.leaves(code, restored)
	d.want(d.run("sessions"), 0, "while it runs")
	d.want(d.run("log"), 0, "aborted: cancelled by Ctrl-C")
	d.want(d.run("verify"), 0, "1 request, 1 identical")
}

// Each way of leaving ends a turn that runs.
func TestChatLeaves(t *testing.T) {
	for name, keys := range map[string]string{"Ctrl-C twice": "\x03\x03", "Ctrl-D": "\x04", "quit": "/quit\r", "exit": "/exit\r"} {
		t.Run(name, func(t *testing.T) {
			d, s := hanging(t)
			screen, code, restored := d.sits(t, "--trust")
			screen.types("hi\r")
			s.got(t, 1)
			screen.types(keys)
			screen.leaves(code, restored)
			d.want(d.run("log"), 0, "end: ")
			d.want(d.run("verify"), 0, "1 request, 1 identical")
			if out := screen.shown(); !strings.Contains(out, "\x1b[?2004h") || strings.LastIndex(out, "\x1b[?2004l") < strings.LastIndex(out, "\x1b[?2004h") {
				t.Errorf("the mode for pastes was not switched on and off: %q", out)
			}
		})
	}
}

// What is pasted is one prompt, whatever was typed around it.
func TestChatPaste(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	screen, code, restored := d.sits(t)
	const other = "Nothing else stands out."
	screen.types("\x1b[200~one\rtwo\r\nthree\x1b[201~ and four\r")
	screen.sees("main.go looks right to me.")
	screen.types("typed \x1b[200~five\r")
	screen.types("six\r\x1b[201~\r")
	screen.sees(other)
	screen.types("\x1b[200~gone\rgone\x1b[201~")
	screen.types("\x03\x15") // takes back what was pasted
	screen.types("last\r")
	screen.seesTimes(other, 2)
	screen.types("\x04")
	screen.leaves(code, restored)
	log := d.run("log").stdout
	for _, want := range []string{"one\n    two\n    three and four\n", "typed five\n    six\n", ": last\n"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is missing in\n%s", want, log)
		}
	}
	if strings.Contains(log, "gone") {
		t.Errorf("a paste that was taken back was sent:\n%s", log)
	}
}

// Tab completes commands and the sessions of this workspace.
func TestChatCompletes(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "one"), 0)
	d.want(d.run("run", "two"), 0)
	screen, code, restored := d.sits(t)
	screen.types("/re\t\t")
	screen.sees("/resume 00000000-0000-7000-8000-00000000000")
	screen.types("\t")
	screen.sees("  00000000-0000-7000-8000-000000000003\r\n  00000000-0000-7000-8000-000000000001\r\n")
	screen.types("1\t\r")
	screen.sees("000000000001.\r\n")
	screen.types("/q\t\r")
	screen.leaves(code, restored)
}

// A session that cannot be opened leaves the present one as it is.
func TestChatStaysWhereItIs(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	const id = "00000000-0000-7000-8000-000000000001"
	o := d.runCtx(context.Background(), "one\n/resume nope\n/fork 1\n/fork 999\n/fork last\n/fork -1\ntwo\n", "chat")
	d.want(o, 0, `there is no session "nope"`, "event 1 is not the end of a turn", "has no event 999",
		"/fork wants the number of an event at which a turn ends; /log shows them.")
	if n := strings.Count(o.stdout, id); n != 1 || strings.Contains(o.stdout, "--fork") {
		t.Errorf("the session is named %d times, want once:\n%s", n, o.stdout)
	}
	if n := strings.Count(d.logs(), `"type":"request/header`); n != 1 {
		t.Errorf("%d headers, want the first one only", n)
	}
	// Nor does one that would be opened again.
	good := d.read("dsh.hcl")
	screen, code, restored := d.sits(t, "--continue")
	d.file("dsh.hcl", good+"agent {\n")
	for n, ref := range []string{"", " " + id[:30], " last", " " + id} {
		screen.types("/resume" + ref + "\r")
		screen.seesTimes("dsh.hcl:", n+1)
	}
	screen.types("three\r")
	screen.types("\x1b[200~\x1b[201~\r")
	d.file("dsh.hcl", good)
	screen.types("/resume last\r")
	screen.sees(id + ".\r\n")
	screen.types("\x04")
	screen.leaves(code, restored)
	d.want(d.run("log"), 0, "user: two", "user: three")
	if strings.Contains(screen.shown(), "exit code") {
		t.Errorf("an error says nothing:\n%s", screen.shown())
	}
}

// Commands say what they cannot do yet, and take no argument that they would ignore.
func TestChatCommands(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	o := d.runCtx(context.Background(), "/log\n/fork\n/resume\n/log 3\n/quit now\n/title\n/title A name\n/title\n/help\nhi\n/exit\nnever\n", "chat")
	d.want(o, 0, "/log takes no argument.", "/quit takes no argument.", "has no title", "A name\nA name\n", "/exit")
	if n := strings.Count(o.stdout, "Nothing was said yet.\n"); n != 3 {
		t.Errorf("%d times nothing was said, want 3:\n%s", n, o.stdout)
	}
	d.want(d.run("sessions"), 0, "A name")
	d.want(d.run("verify"), 0, "1 request, 1 identical")
	if strings.Contains(d.logs(), "never") {
		t.Error("a line after /exit was sent")
	}
}

// A prompt that a hook blocked counts as a failed turn for whoever wrote the pipe.
func TestChatBlockedPrompt(t *testing.T) {
	d := newDesk(t)
	d.env["PATH"], d.env["SERVICE_API_KEY"], d.env["TEAM"] = "/bin:/usr/bin", canary, "team-canary"
	d.hookedReal("http://service.invalid", "grep -q SessionStart || { echo not that >&2; exit 2; }")
	d.want(d.runCtx(context.Background(), "hi\n", "chat", "--trust"), 1, "Your prompt was blocked: not that", "the last prompt was blocked")
	d.want(d.runCtx(context.Background(), "hi\n/quit\n", "chat", "--trust"), 1, "the last prompt was blocked")
}

// A signal ends the turn of a piped chat in order, also that of its last line.
func TestChatSignal(t *testing.T) {
	d, s := hanging(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := make(chan outcome, 1)
	go func() { ended <- d.runCtx(ctx, "hi\n", "chat", "--trust") }()
	s.got(t, 1)
	cancel(&cli.SignalError{Signal: "terminated", Exit: 143})
	d.want(<-ended, 143)
	d.want(d.run("log"), 0, "aborted: stopped by signal: terminated")
}

// A line that cannot be taken whole is not taken at all, at a terminal and from a
// pipe; bytes that are no text hold nothing up.
func TestChatLongLines(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	screen, code, restored := d.sits(t)
	screen.types(strings.Repeat("a", 10_000) + "\r")
	screen.sees("That line is too long, and nothing of it was sent.")
	screen.types("caf\xe9 \xff\r")
	screen.sees("looks right to me")
	screen.types("/quit\r")
	screen.leaves(code, restored)
	d.want(d.run("log"), 0, "user: caf? ?")
	if strings.Contains(d.logs(), "aaaa") {
		t.Error("a part of the long line was sent")
	}
	d.want(d.runCtx(context.Background(), strings.Repeat("b", 17<<20)+"\n", "chat"), 1, "That line is too long", "a line is too long")
}

// Whoever wrote the pipe learns that an answer was cut, and nobody pays for answers
// that nobody reads.
func TestChatPipeEnds(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.file("model.hcl", "default {\n  text = \"So\"\n  finish = \"max-tokens\"\n}\n")
	d.want(d.runCtx(context.Background(), "hi\n", "chat"), 1, "the last answer was cut")
	env := d.surroundings(strings.NewReader("a\nb\nc\nd\n"), &fullPipe{room: 1}, io.Discard)
	if code := runWith(env, "chat"); code == 0 {
		t.Error("a chat whose output is closed ends well")
	}
	if n := strings.Count(d.logs(), `"request/sent"`); n > 2 {
		t.Errorf("%d requests were sent although nobody reads", n-1)
	}
}

// An @ offers the files of the workspace and the sessions that the agent may cite.
func TestChatPicks(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.file("docs/a plan.md", "")
	d.file("node_modules/docs.js", "")
	d.file("docs/\x1b[31mred", "")
	if err := os.Symlink("docs", filepath.Join(d.dir, "docs-link")); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("run", "-q", "--title", "Parser, first look", "What does it do?"), 0)

	// Without references there are files only.
	screen, code, restored := d.sits(t)
	screen.types("@")
	screen.sees("> Folder · docs/")
	screen.types("x Parser\x15@Pars")
	screen.sees("@Pars")
	screen.types("\x15\x04")
	screen.leaves(code, restored)
	if out := screen.shown(); strings.Contains(out, "Session conversations") {
		t.Errorf("an agent without references is offered sessions:\n%s", out)
	}

	d.file("dsh.hcl", strings.Replace(d.read("dsh.hcl"), "  model       = model.chat\n", "  model       = model.chat\n  references {}\n", 1))
	screen, code, restored = d.sits(t)
	screen.types("read @docs")
	screen.sees("> Folder · docs/")
	screen.types("\t")
	screen.sees("> File · a plan.md")
	screen.types("\r")
	screen.sees(`read @"docs/a plan.md" `)
	screen.types("and @pars")
	screen.sees("> Session · Parser, first look")
	screen.types("\r")
	screen.sees("\x1b[4m@Parser, first look\x1b[24m")
	screen.types("please\r")
	screen.sees("looks right to me")
	screen.types("\x04")
	screen.leaves(code, restored)
	d.want(d.run("log"), 0, `user: read @"docs/a plan.md" and @Parser, first look please`, "recalled Parser, first look (00000000-0000-7000-8000-000000000001): 2 kept, 0 omitted")
	out := screen.shown()
	for _, never := range []string{"docs-link", "node_modules", "\x1b[31m", "red"} {
		if strings.Contains(out, never) {
			t.Errorf("%q is on the screen:\n%s", never, out)
		}
	}
	d.want(d.run("verify"), 0, "1 request, 1 identical")
}
