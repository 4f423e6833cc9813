package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// checkExample checks the configuration that init writes, once.
func checkExample(t testing.TB, d *desk) {
	if o := d.run("check"); o.code != 0 {
		t.Fatalf("exit code %d\n%s", o.code, o.stderr)
	}
}

func BenchmarkCheckExample(b *testing.B) {
	d := newDesk(b)
	d.want(d.run("init"), 0)
	for b.Loop() {
		checkExample(b, d)
	}
}

// Checking the example takes at most 5 ms inside the process. The best of several
// runs counts, since the machine may be busy with other tests.
func TestCheckIsFast(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	best := time.Hour
	for range 20 {
		start := time.Now()
		checkExample(t, d)
		best = min(best, time.Since(start))
	}
	t.Logf("dsh check of the example takes %v", best)
	if best > 5*time.Millisecond {
		t.Errorf("dsh check of the example takes %v", best)
	}
}

// Composing runs the commands of contributors, so it asks first.
func TestComposeNeedsTrust(t *testing.T) {
	d := newDesk(t)
	d.env["PATH"] = "/bin:/usr/bin"
	marker := filepath.Join(d.home, "ran")
	d.file("dsh.hcl", `provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
  prefix {
    command "c" { command = ["sh", "-c", "echo x; echo y >>`+marker+`"] }
  }
}
`)
	ran := func() int { b, _ := os.ReadFile(marker); return len(b) / 2 }
	d.want(d.run("check"), 0)
	d.want(d.run("check", "--compose"), 3, "is not trusted", "--compose runs the commands")
	if ran() != 0 {
		t.Fatal("it ran without trust")
	}
	d.want(d.run("check", "--compose", "--trust"), 0, "command.c", "is valid")
	if ran() != 2 {
		t.Errorf("it ran %d times", ran())
	}
}

// Every contributor that fails is told at its block, and what could be made is shown.
func TestComposeTellsAllFailures(t *testing.T) {
	d := newDesk(t)
	d.env["PATH"] = "/bin:/usr/bin"
	d.file("dsh.hcl", `provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
  system {
    command "s" { command = ["sh", "-c", "exit 4"] }
    text "role" { content = "You review." }
  }
  prefix {
    text "ok" { content = "fine" }
    command "f" { command = ["false"] }
    command "n" { command = ["no-such-program"] }
    text "last" { content = "fine too" }
    command "e" { command = ["sh", "-c", "exit 3"] }
  }
}
`)
	o := d.run("check", "--compose", "--trust")
	d.want(o, 2, "4 errors", "dsh.hcl:9,5", "dsh.hcl:14,5", "dsh.hcl:15,5", "dsh.hcl:17,5")
	for _, made := range []string{"system.text.role", "text.ok", "text.last", "prefix   2 messages"} {
		if !strings.Contains(o.stdout, made) {
			t.Errorf("%q is not shown:\n%s", made, o.stdout)
		}
	}
}
