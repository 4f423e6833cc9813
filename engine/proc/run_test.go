//go:build unix

package proc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/proc"
)

func sh(script string) proc.Command {
	return proc.Command{Args: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin", "X=1"}}
}

func TestRun(t *testing.T) {
	t.Setenv("DSH_TEST_SECRET", "canary")
	c := sh(`cat; echo "$X $DSH_TEST_SECRET." ; echo err >&2; exit 3`)
	c.Stdin = []byte("in ")
	r := proc.Run(context.Background(), c)
	if r.ExitCode != 3 || string(r.Stdout) != "in 1 .\n" || string(r.Stderr) != "err\n" || r.Err != nil || r.TimedOut || r.Cut {
		t.Errorf("%+v %s %s", r, r.Stdout, r.Stderr)
	}
	c = proc.Command{Args: []string{"/bin/sh", "-c", `echo "${DSH_TEST_SECRET}."`}}
	if r := proc.Run(context.Background(), c); string(r.Stdout) != ".\n" {
		t.Errorf("without an environment the child has the program's: %s", r.Stdout)
	}
}

func TestCannotStart(t *testing.T) {
	for _, args := range [][]string{nil, {"/nowhere/program"}, {"/"}} {
		if r := proc.Run(context.Background(), proc.Command{Args: args}); r.Err == nil || r.ExitCode != -1 {
			t.Errorf("%q: %+v", args, r)
		}
	}
}

func TestBounds(t *testing.T) {
	c := sh(`i=0; while [ $i -lt 2000 ]; do echo 0123456789; i=$((i+1)); done; echo done >&2`)
	c.MaxOutput = 100
	r := proc.Run(context.Background(), c)
	if len(r.Stdout) != 100 || !r.Cut || r.ExitCode != 0 || string(r.Stderr) != "done\n" {
		t.Errorf("%d bytes, cut %v, exit %d", len(r.Stdout), r.Cut, r.ExitCode)
	}
}

// alive reports whether a process still runs.
func alive(t *testing.T, pidFile string) bool {
	t.Helper()
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	for _, c := range strings.TrimSpace(string(b)) {
		pid = pid*10 + int(c-'0')
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(b)), "stat"))
	if err == nil && strings.Contains(string(stat), ") Z ") {
		return false // dead, waiting for its new parent
	}
	return syscall.Kill(pid, 0) == nil
}

// Whatever the process started is gone when Run returns: after a timeout, after a
// cancel, and when it ended by itself.
func TestNothingIsLeftBehind(t *testing.T) {
	for _, c := range []struct {
		name, script string
		timeout      time.Duration
		cancel       bool
	}{
		{"timeout", `sleep 60 & echo $! > %s; wait`, 100 * time.Millisecond, false},
		{"cancel", `sleep 60 & echo $! > %s; wait`, 0, true},
		{"ends by itself", `sleep 60 >/dev/null 2>&1 & echo $! > %s; exit 0`, 0, false},
		{"deaf to signals", `trap '' TERM; (trap '' TERM; sleep 60) & echo $! > %s; wait; wait`, 100 * time.Millisecond, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			pid := filepath.Join(t.TempDir(), "pid")
			cmd := sh(strings.Replace(c.script, "%s", pid, 1))
			cmd.Timeout = c.timeout
			cause := errors.New("enough")
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			if c.cancel {
				go func() {
					for {
						if b, err := os.ReadFile(pid); err == nil && len(b) > 0 {
							cancel(cause)
							return
						}
					}
				}()
			}
			start := time.Now()
			r := proc.Run(ctx, cmd)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if r.TimedOut != (c.timeout > 0) || c.cancel && !errors.Is(r.Err, cause) || !c.cancel && r.Err != nil {
				t.Errorf("%+v", r)
			}
			deadline := time.Now().Add(5 * time.Second)
			for alive(t, pid) {
				if time.Now().After(deadline) {
					t.Fatal("what it started still runs")
				}
			}
		})
	}
}

func TestLook(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	write := func(path string, mode os.FileMode) {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(first, "tool"), 0o644) // no program
	write(filepath.Join(second, "tool"), 0o755)
	if err := os.Mkdir(filepath.Join(first, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(second)
	path := strings.Join([]string{"", ".", first, second}, string(filepath.ListSeparator))
	if got, err := proc.Look("tool", path); err != nil || got != filepath.Join(second, "tool") {
		t.Errorf("%q %v", got, err)
	}
	for _, name := range []string{"folder", "nothing", ""} {
		if got, err := proc.Look(name, path); err == nil {
			t.Errorf("%q is found: %q", name, got)
		}
	}
	// The working directory is no place to look, however PATH is spelt.
	if got, err := proc.Look("tool", ":."); err == nil {
		t.Errorf("found in the working directory: %q", got)
	}
	if got, err := proc.Look("/a/tool", path); err != nil || got != "/a/tool" {
		t.Errorf("%q %v", got, err)
	}
}

// A program that somebody is still writing is tried again for a moment.
func TestBusyProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("#!/bin/sh\ncat\n"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { f.Close() })
	r := proc.Run(context.Background(), proc.Command{Args: []string{path}, Env: []string{"PATH=/usr/bin:/bin"}, Stdin: []byte("in")})
	if r.Err != nil || string(r.Stdout) != "in" {
		t.Errorf("%+v", r)
	}
}
