package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
)

// transcript is what a command that still runs has printed, which goes to a file, too.
type transcript struct {
	file *os.File
	mu   sync.Mutex
	buf  bytes.Buffer
}

// Stat says which file it goes to.
func (b *transcript) Stat() (os.FileInfo, error) { return b.file.Stat() }

func (b *transcript) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Write(p)
	return b.file.Write(p)
}

// take returns what was printed since it was last asked.
func (b *transcript) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.buf.Reset()
	return b.buf.String()
}

// dsh test --watch runs again when a file of the project has changed, and only then.
// The test is its clock.
func TestWatch(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	log, err := os.Create(filepath.Join(d.dir, "log.txt")) // what is printed is no change
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	out := transcript{file: log}
	env := d.surroundings(strings.NewReader(""), &out, &out)
	beats := make(chan func())
	env.AfterFunc = func(d time.Duration, f func()) func() {
		if d < time.Minute { // and not the time limit of the run
			beats <- f
		}
		return func() {}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	exit := make(chan int)
	go func() {
		exit <- cli.Run(ctx, []string{"test", "--watch", "--junit", filepath.Join(d.dir, "report.xml")}, env)
	}()
	// step lets one beat pass and returns what was printed until the next one is waited
	// for.
	var beat func()
	wait := func() string {
		t.Helper()
		select {
		case beat = <-beats:
		case <-time.After(20 * time.Second):
			t.Fatalf("nothing waits; printed was:\n%s", out.take())
		}
		return out.take()
	}
	step := func() string { t.Helper(); beat(); return wait() }
	has := func(text string, fragments ...string) {
		t.Helper()
		for _, f := range fragments {
			if !strings.Contains(text, f) {
				t.Errorf("%q is missing in:\n%s", f, text)
			}
		}
	}

	has(wait(), "1 passed, 0 failed, 0 skipped", "Waiting for a change below "+d.dir)
	if text := step(); text != "" {
		t.Errorf("nothing changed, and it printed:\n%s", text)
	}
	d.file("scenarios/more.txtar", "agent reviewer\nsend hi\nstdout nothing\n")
	has(step(), "----", "more.txtar changed", "1 passed, 1 failed, 0 skipped", "Waiting")
	d.file("prompts/notes.md", "no file of the configuration, but in its folder\n")
	has(step(), "notes.md changed", "1 failed")
	if err := os.Remove(filepath.Join(d.dir, "scenarios/more.txtar")); err != nil {
		t.Fatal(err)
	}
	has(step(), "more.txtar changed", "1 passed, 0 failed")
	good, err := os.ReadFile(filepath.Join(d.dir, "dsh.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	d.file("dsh.hcl", "agnet {}\n")
	has(step(), "dsh.hcl changed", "agnet", "Waiting")
	d.file("dsh.hcl", string(good))
	has(step(), "1 passed, 0 failed")
	if text := step(); text != "" {
		t.Errorf("nothing changed, and it printed:\n%s", text)
	}
	cancel(&cli.SignalError{Signal: "interrupt", Exit: 130})
	if code := <-exit; code != 130 {
		t.Errorf("exit code %d", code)
	}
	if text := out.take(); text != "" {
		t.Errorf("what ends it says:\n%s", text)
	}

	d.want(d.run("test", "--watch", "--json"), 2, "--watch is for a person")
	d.want(d.run("test", "--watch", "--update"), 2, "nobody has read")
}

// A run that is over ends what its scenarios wait for, hooks and their processes
// included; one that is interrupted says so.
func TestRunThatIsOver(t *testing.T) {
	d := newDesk(t)
	d.file("dsh.hcl", `
provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
hook "slow" {
  on      = "UserPromptSubmit"
  command = ["sh", "-c", "echo $$ >`+d.home+`/pid; exec sleep 60"]
}
agent "a" {
  model = model.m
  hooks = [hook.slow]
}
`)
	for name, line := range map[string]string{"verb": "send hi", "command": "dsh run hi"} {
		d.file("scenarios/"+name+".txtar", "agent a\n# It answers.\n"+line+"\nstdout ok\n")
	}
	for _, name := range []string{"verb", "command"} {
		start := time.Now()
		o := d.run("test", "--trust", "--timeout", "300ms", "--run", name)
		d.want(o, 1, "the run took longer than 300ms; still running: "+name, "promised: It answers.")
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v to end", name, took)
		}
		pid, err := os.ReadFile(filepath.Join(d.home, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("/proc/self"); err == nil {
			if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil {
				t.Errorf("%s: the hook's process %s is still there", name, pid)
			}
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(&cli.SignalError{Signal: "interrupt", Exit: 130}) })
	d.want(d.runCtx(ctx, "", "test", "--trust"), 130, "stopped by signal: interrupt; still running: ", "0 passed, 2 failed")

	// A program that does not end is left, and the run ends without it.
	d.file("scenarios/stubborn.txtar", "exec sh -c 'trap \"\" QUIT; sleep 4'\nstdout x\n")
	start := time.Now()
	d.want(d.run("test", "--trust", "--timeout", "200ms", "--run", "stubborn", "--junit", "report.xml"), 1,
		"still running: stubborn", "it did not end when the run was over", "0 passed, 1 failed")
	if took := time.Since(start); took > 3500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if b, err := os.ReadFile(filepath.Join(d.dir, "report.xml")); err != nil || !strings.Contains(string(b), `failures="1"`) {
		t.Errorf("%s %v", b, err)
	}
}
