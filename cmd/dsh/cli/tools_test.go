package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const asking = `
provider "p" {
  protocol = "script"
  script   = "replies.hcl"
}
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
  tools = [builtin.shell]
  permissions { ask = ["shell(touch *)"] }
}
`

const askingReplies = `
reply {
  tool "shell" { command = "touch first" }
}
reply { text = "Answer one." }
reply {
  tool "shell" { command = "touch second" }
}
reply { text = "Answer two." }
reply {
  tool "shell" { command = "touch third" }
}
reply { text = "Answer three." }
`

// dsh chat asks the person at the terminal about a call. Whatever is typed meanwhile is
// an answer or a command, and reaches no model; Ctrl-C ends the turn with the question.
func TestChatAsks(t *testing.T) {
	d := newDesk(t)
	d.file("dsh.hcl", asking)
	d.file("replies.hcl", askingReplies)
	d.env["PATH"] = os.Getenv("PATH")
	screen, code, restored := d.sits(t, "--trust")
	screen.types("one\r")
	screen.sees(`Run shell with {"command":"touch first"}? Answer y or n.`)
	screen.types("what?\r")
	screen.sees("Answer y or n. Ctrl-C cancels the turn.")
	screen.types("y\r")
	screen.sees("Answer one.")
	screen.types("two\r")
	screen.sees(`touch second"}? Answer y or n.`)
	screen.types("No\r")
	screen.sees("Answer two.")
	screen.types("three\r")
	screen.sees(`touch third"}? Answer y or n.`)
	screen.types("\x03")
	screen.sees("cancelled by Ctrl-C")
	screen.types("/quit\r")
	screen.leaves(code, restored)
	for name, want := range map[string]bool{"first": true, "second": false, "third": false} {
		if d.exists(name) != want {
			t.Errorf("%s exists: %v", name, !want)
		}
	}
	o := d.run("log")
	d.want(o, 0, "allowed by the person who was asked: shell(touch *)", "not allowed by the person who was asked: shell(touch *)", "the person who was asked said no")
	if strings.Contains(o.stdout, "what?") || strings.Contains(o.stdout, "user: y") {
		t.Errorf("an answer reached the model:\n%s", o.stdout)
	}
	d.want(d.run("verify"), 0, "identical")
}

// Through a pipe there is nobody to ask, whatever the next line is.
func TestPipeAsksNobody(t *testing.T) {
	d := newDesk(t)
	d.file("dsh.hcl", asking)
	d.file("replies.hcl", askingReplies)
	d.env["PATH"] = os.Getenv("PATH")
	d.want(d.runCtx(context.Background(), "one\ny\n", "chat", "--trust"), 0, "there is nobody to ask")
	d.want(d.run("run", "--trust", "two"), 0)
	for _, name := range []string{"first", "second"} {
		if d.exists(name) {
			t.Errorf("%s was made", name)
		}
	}
	d.want(d.run("log"), 0, "since there was nobody to ask: shell(touch *)")
}

// A hook that wants somebody asked gets its answer at the terminal too, and a rule that
// denies is not asked about.
func TestChatAsksForAHook(t *testing.T) {
	d := newDesk(t)
	d.file("dsh.hcl", strings.Replace(asking, `{ ask = ["shell(touch *)"] }`, "{\n    allow = [\"shell\"]\n    deny  = [\"shell(touch second)\"]\n  }", 1)+`
hook "careful" {
  on      = "PreToolUse"
  command = ["sh", "-c", "cat >/dev/null; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\"}}'"]
}
`)
	text := d.read("dsh.hcl")
	d.file("dsh.hcl", strings.Replace(text, "  tools = ", "  hooks = [hook.careful]\n  tools = ", 1))
	d.file("replies.hcl", askingReplies)
	d.env["PATH"] = os.Getenv("PATH")
	screen, code, restored := d.sits(t, "--trust")
	screen.types("one\r")
	screen.sees(`touch first"}? Answer y or n.`)
	screen.types("y\r")
	screen.sees("Answer one.")
	screen.types("two\r")
	screen.sees("permissions deny shell(touch")
	screen.sees("Answer two.")
	screen.types("/quit\r")
	screen.leaves(code, restored)
	if !d.exists("first") || d.exists("second") {
		t.Error("the answer does not count")
	}
	d.want(d.run("run", "--trust", "three"), 0)
	if d.exists("third") {
		t.Error("it ran without anybody to ask")
	}
}

// What the shell runs in a scenario stands in the scenario, so trust in the project is no
// trust in what a scenario writes on its way.
func TestShellOfScenariosNeedsTrust(t *testing.T) {
	const model = "provider \"p\" { protocol = \"openai\" }\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\n"
	d := newDesk(t)
	d.env["PATH"] = "/bin:/usr/bin"
	d.file("dsh.hcl", model+"agent \"a\" {\n  model = model.m\n  tools = [builtin.shell]\n  permissions { allow = [\"shell\"] }\n}\n")
	d.want(d.run("trust"), 0, "builtin.shell")
	marker := filepath.Join(d.home, "ran")
	call := "reply {\n  tool \"shell\" { command = \"touch " + marker + "\" }\n}\nreply { text = \"ok\" }\n"
	d.file("scenarios/try.txtar", "agent a\nsend x\nturn end completed\n-- model.hcl --\n"+call)
	d.want(d.run("test"), 3, "are not trusted")
	escaped := strings.ReplaceAll(strconv.Quote(call), "tool", fmt.Sprintf(`t\u%04x`, 'o')+"ol")
	d.file("scenarios/try.txtar", "dsh run -q x\ncp stdout other.hcl\nagent a -model other.hcl\nsend x\nturn end completed\n-- model.hcl --\ndefault { text = "+escaped+" }\n")
	d.want(d.run("test"), 0, "1 passed") // the model reads that its line does not run
	if _, err := os.Stat(marker); err == nil {
		t.Fatal("it ran without trust")

	}
	d.file("scenarios/try.txtar", "agent a\nsend x\nturn end completed\n-- model.hcl --\n"+call)
	d.want(d.run("trust"), 0)
	d.want(d.run("test"), 0, "1 passed")
	if _, err := os.Stat(marker); err != nil {
		t.Error("the line of a trusted scenario did not run")
	}
}
