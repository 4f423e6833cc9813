//go:build unix

package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const stubbornConfig = `
provider "p" {
  protocol = "script"
  script   = "model.hcl"
}
model "m" {
  provider = provider.p
  id       = "m"
}
hook "stubborn" {
  on      = "UserPromptSubmit"
  command = ["sh", "-c", "trap '' TERM INT HUP QUIT; echo $$ >started.tmp; mv started.tmp started; while :; do sleep 0.1; done"]
}
agent "a" {
  model = model.m
  hooks = [hook.stubborn]
}
`

// A second signal ends the program at once, and SIGQUIT does without a first one:
// what it started goes with it, and nothing of the program's inside is printed.
func TestSecondSignalLeavesNothing(t *testing.T) {
	bin := build(t, ".")
	for _, c := range []struct {
		signals []syscall.Signal
		exit    int
	}{
		{[]syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, 143},
		{[]syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 130},
		{[]syscall.Signal{syscall.SIGQUIT}, 131},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"dsh.hcl": stubbornConfig, "model.hcl": "default { text = \"ok\" }\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(bin, "run", "--trust", "hi")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		hook := 0
		for deadline := time.Now().Add(20 * time.Second); hook == 0; time.Sleep(5 * time.Millisecond) {
			b, _ := os.ReadFile(filepath.Join(dir, "started"))
			hook, _ = strconv.Atoi(strings.TrimSpace(string(b)))
			if time.Now().After(deadline) {
				cmd.Process.Kill()
				t.Fatalf("the hook does not start: %s", stderr.String())
			}
		}
		for i, s := range c.signals {
			if i > 0 {
				time.Sleep(50 * time.Millisecond)
			}
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != c.exit {
			t.Errorf("%v: %v, %s", c.signals, err, stderr.String())
		}
		if strings.Contains(stderr.String(), "goroutine") {
			t.Errorf("%v: %s", c.signals, stderr.String())
		}
		gone := func() bool { return errors.Is(syscall.Kill(hook, 0), syscall.ESRCH) }
		for deadline := time.Now().Add(5 * time.Second); !gone() && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		}
		if !gone() {
			syscall.Kill(-hook, syscall.SIGKILL)
			t.Errorf("%v: the hook runs on", c.signals)
		}
	}
}
