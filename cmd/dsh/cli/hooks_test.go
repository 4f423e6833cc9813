package cli_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
)

// hookedReal configures an agent of a real service whose hook runs a command.
func (d *desk) hookedReal(base, command string) {
	d.file("dsh.hcl", `provider "service" {
  protocol = "openai"
  dialect  = "deepseek"
  base_url = "`+base+`/v1"
  api_key  = env.SERVICE_API_KEY
  headers  = { "X-Title" = "plain-title", "X-Team" = env.TEAM }
}
model "m" {
  provider = provider.service
  id       = "m"
}
hook "h" {
  on      = ["SessionStart", "UserPromptSubmit"]
  command = ["/bin/sh", "-c", "`+command+`"]
  env     = { MODE = "strict" }
}
agent "a" {
  model = model.m
  hooks = [hook.h]
}
`)
}

func (d *desk) exists(name string) bool {
	_, err := os.Stat(filepath.Join(d.dir, name))
	return err == nil
}

func (d *desk) read(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// A hook never runs before the configuration is trusted, and what it writes holds
// no credential of the provider, which it may have found somewhere.
func TestHooksOfARealService(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, _ int) { stream(w, deepseekStream) })
	d := newDesk(t)
	d.env["SERVICE_API_KEY"], d.env["TEAM"], d.env["PATH"] = canary, "team-canary", "/bin:/usr/bin"
	d.file("found.txt", canary+" team-canary plain-title strict")
	d.hookedReal(s.URL, "touch ran; cat found.txt; cat found.txt >&2; env >environment")

	d.want(d.run("run", "hi"), 3, "not trusted", `["/bin/sh","-c","touch ran`, "for hook.h")
	if d.exists("ran") {
		t.Fatal("a hook ran without trust")
	}
	d.want(d.run("trust"), 0)
	d.want(d.run("run", "hi"), 0)
	d.want(d.run("log"), 0, "(sensitive) (sensitive) plain-title strict", "proceed, exit code 0")
	if len(s.bodies) != 1 || !strings.Contains(string(s.bodies[0]), "(sensitive) (sensitive) plain-title strict") {
		t.Errorf("bodies %s", s.bodies)
	}
	for what, text := range map[string]string{"log": d.logs(), "body": string(s.bodies[0]), "the hook's environment": d.read("environment")} {
		if strings.Contains(text, canary) || strings.Contains(text, "team-canary") {
			t.Errorf("%s holds a secret:\n%s", what, text)
		}
	}
	// Another command is another matter; --trust is for one run.
	d.hookedReal(s.URL, "touch again")
	d.want(d.run("run", "hi"), 3, "not trusted")
	d.want(d.run("run", "--trust", "hi"), 0)
	d.want(d.run("run", "hi"), 3, "not trusted")
}

// A signal ends a hook, the turn in order, and the run.
func TestSignalEndsHook(t *testing.T) {
	d := newDesk(t)
	d.env["PATH"] = "/bin:/usr/bin"
	d.hookedReal("http://service.invalid", "echo $$ >started; sleep 60")
	d.env["SERVICE_API_KEY"], d.env["TEAM"] = "k", "t"
	ctx, stop := context.WithCancelCause(context.Background())
	ended := make(chan outcome, 1)
	go func() { ended <- d.runCtx(ctx, "", "run", "--trust", "hi") }()
	for deadline := time.Now().Add(20 * time.Second); !d.exists("started"); {
		if time.Now().After(deadline) {
			t.Fatalf("the hook does not start: %+v", <-ended)
		}
	}
	stop(&cli.SignalError{Signal: "interrupt", Exit: 130})
	select {
	case o := <-ended:
		d.want(o, 130, "interrupt")
	case <-time.After(20 * time.Second):
		t.Fatal("the run waits for its hook")
	}
}

// The hooks and commands of a scenario's own configuration run where a person was
// asked about them, and none runs that a script puts together to get around the
// question.
func TestProcessesOfScenariosNeedTrust(t *testing.T) {
	const model = "provider \"p\" { protocol = \"openai\" }\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\n"
	for kind, declared := range map[string]string{
		"hook":    "hook \"h\" {\n  on = \"Stop\"\n  command = [\"touch\", \"%s\"]\n}\nagent \"a\" {\n  model = model.m\n  hooks = [hook.h]\n}\n",
		"command": "prefix \"g\" {\ncommand \"h\" { command = [\"touch\", \"%s\"] }\n}\nagent \"a\" {\n  model = model.m\n  prefix {\n    include { prefix = prefix.g }\n  }\n}\n",
	} {
		t.Run(kind, func(t *testing.T) {
			d := newDesk(t)
			d.env["PATH"] = "/bin:/usr/bin"
			d.file("dsh.hcl", model+"agent \"a\" { model = model.m }\n")
			marker := filepath.Join(d.home, "ran")
			own := model + strings.ReplaceAll(declared, "%s", marker)
			ran := func() bool { _, err := os.Stat(marker); return err == nil }

			d.file("scenarios/try.txtar", "agent a\nsend x\nturn end completed\n-- dsh.hcl --\n"+own)
			d.want(d.run("test"), 3, "are not trusted", "the "+kind+"s in dsh.hcl of a scenario with sha256 ", "scenarios/try.txtar:1")
			d.file("scenarios/try.txtar", "unquote q\ncp q dsh.hcl\nagent a\nsend x\nturn end completed\n-- q --\n>"+strings.ReplaceAll(strings.TrimSuffix(own, "\n"), "\n", "\n>")+"\n")
			d.want(d.run("test"), 3, "are not trusted", "the "+kind+"s in q of a scenario")
			// Nothing of it says what it is before it runs: the script writes it from what a model
			// answers, where no letter shows it.
			last := kind[len(kind)-1:]
			escaped := strings.ReplaceAll(strconv.Quote(own), kind, strings.TrimSuffix(kind, last)+fmt.Sprintf(`\u%04x`, last[0]))
			written := "dsh run -q x\ncp stdout dsh.hcl\n"
			hidden := "-- model.hcl --\ndefault { text = " + escaped + " }\n"
			d.file("scenarios/try.txtar", written+"agent a\nsend x\nturn end completed\n"+hidden)
			d.want(d.run("test"), 1, "a "+kind+" that nobody was asked about", kind+".h")
			d.file("scenarios/try.txtar", written+"dsh run x\nturn end completed\n"+hidden)
			d.want(d.run("test"), 1, "a "+kind+" that nobody was asked about")
			d.file("scenarios/try.txtar", written+"dsh test inner\nstdout x\n-- inner/dsh.hcl --\n"+model+"-- inner/scenarios/deep.txtar --\nagent a -config ..\nturn end completed\n"+hidden)
			d.want(d.run("test"), 1)
			// Trust in what one scenario declares is none in what another one writes.
			d.file("scenarios/open.txtar", "agent a\nsend x\nturn end completed\n-- dsh.hcl --\n"+strings.ReplaceAll(own, marker, marker+"3"))
			d.file("scenarios/try.txtar", written+"agent a\nsend x\nturn end completed\n"+hidden)
			d.want(d.run("trust"), 0)
			d.want(d.run("test"), 1, "a "+kind+" that nobody was asked about", "1 passed, 1 failed")
			if err := os.Remove(filepath.Join(d.dir, "scenarios/open.txtar")); err != nil {
				t.Fatal(err)
			}
			if ran() {
				t.Fatal("it ran without trust")
			}

			d.file("scenarios/try.txtar", "agent a\nsend x\nturn end completed\n-- dsh.hcl --\n"+own)
			d.want(d.run("trust"), 0, "the "+kind+"s in dsh.hcl")
			d.want(d.run("test"), 0, "1 passed")
			if !ran() {
				t.Error("that of a trusted scenario did not run")
			}
			d.file("scenarios/try.txtar", "agent a\nsend x\nturn end completed\n-- dsh.hcl --\n"+strings.Replace(own, marker, marker+"2", 1))
			d.want(d.run("test"), 3, "are not trusted")
			d.want(d.run("test", "--trust"), 0)
		})
	}
}

// A command contributor never runs before the configuration is trusted; what it writes
// holds no credential of the provider, and a signal ends it.
func TestCommandOfARealService(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, _ int) { stream(w, deepseekStream) })
	d := newDesk(t)
	d.env["SERVICE_API_KEY"], d.env["PATH"] = canary, "/bin:/usr/bin"
	d.file("found.txt", canary)
	declare := func(command string) {
		d.file("dsh.hcl", `provider "service" {
  protocol = "openai"
  dialect  = "deepseek"
  base_url = "`+s.URL+`/v1"
  api_key  = env.SERVICE_API_KEY
}
model "m" {
  provider = provider.service
  id       = "m"
}
agent "a" {
  model = model.m
  prefix {
    command "c" {
      command = ["/bin/sh", "-c", "`+command+`"]
      timeout = "1m"
    }
  }
}
`)
	}
	declare("touch ran; printf 'found '; cat found.txt")
	d.want(d.run("check"), 0, "1 warning")
	d.want(d.run("run", "hi"), 3, "not trusted", `["/bin/sh","-c","touch ran`, "for agent.a.prefix.command.c")
	if d.exists("ran") {
		t.Fatal("the command ran without trust")
	}
	d.want(d.run("run", "--trust", "hi"), 0)
	if len(s.bodies) != 1 || !strings.Contains(string(s.bodies[0]), "found (sensitive)") || strings.Contains(d.logs(), canary) {
		t.Errorf("bodies %s", s.bodies)
	}

	declare("echo $$ >started; sleep 60")
	ctx, stop := context.WithCancelCause(context.Background())
	ended := make(chan outcome, 1)
	go func() { ended <- d.runCtx(ctx, "", "run", "--trust", "hi") }()
	for deadline := time.Now().Add(20 * time.Second); !d.exists("started"); {
		if time.Now().After(deadline) {
			t.Fatalf("the command does not start: %+v", <-ended)
		}
	}
	stop(&cli.SignalError{Signal: "interrupt", Exit: 130})
	select {
	case o := <-ended:
		d.want(o, 130, "interrupt")
	case <-time.After(20 * time.Second):
		t.Fatal("the run waits for the command")
	}
}
