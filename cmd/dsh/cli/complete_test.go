package cli_test

import (
	"slices"
	"strings"
	"testing"
)

// words runs a completion as the scripts of shells do and returns what it offers,
// without descriptions, and the directive at the end.
func (d *desk) words(args ...string) (words []string, directive string) {
	d.t.Helper()
	o := d.run(append([]string{"__complete"}, args...)...)
	if o.code != 0 || strings.Contains(o.stderr, "Error") {
		d.t.Errorf("%q: %+v", args, o)
	}
	for _, line := range strings.Split(strings.TrimSuffix(o.stdout, "\n"), "\n") {
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	return words[:len(words)-1], words[len(words)-1]
}

func TestCompletion(t *testing.T) {
	const id = "00000000-0000-7000-8000-000000000001"
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "-q", "Please review main.go"), 0)
	const nothing, folders, extensions = ":4", ":16", ":8"
	for _, c := range []struct {
		args      []string
		want      string // among the words
		directive string
	}{
		{[]string{"c"}, "check completion config chat", nothing},
		{[]string{"run", "--agent", ""}, "reviewer", nothing},
		{[]string{"run", "--output", ""}, "text json stream-json", nothing},
		{[]string{"run", "--output", "js"}, "json", nothing},
		{[]string{"run", "--color", ""}, "auto always never", nothing},
		{[]string{"run", "--resume", ""}, "last " + id, nothing},
		{[]string{"chat", "--fork", ""}, "last " + id, nothing},
		{[]string{"run", ""}, "", nothing},
		{[]string{"log", ""}, "last " + id, nothing},
		{[]string{"log", id, ""}, "", nothing},
		{[]string{"verify", "0000"}, id, nothing},
		{[]string{"request", ""}, "", nothing},
		{[]string{"request", "1", ""}, "last " + id, nothing},
		{[]string{"sessions", ""}, "title rm export repair", nothing},
		{[]string{"sessions", "title", ""}, id, nothing},
		{[]string{"sessions", "export", ""}, id, nothing},
		{[]string{"sessions", "repair", ""}, id, nothing},
		{[]string{"sessions", "rm", "last", ""}, id, nothing},
		{[]string{"config", ""}, "model.chat agent.reviewer.prefix.text.rules text.rules system.text.persona agent.reviewer.limits.max_steps", nothing},
		{[]string{"config", "model.chat."}, "model.chat.id", nothing},
		{[]string{"schema", "agent."}, "agent.limits agent.prefix.file", nothing},
		{[]string{"completion", ""}, "bash zsh fish", nothing},
		{[]string{"check", ""}, "", folders},
		{[]string{"check", "--config", ""}, "", folders},
		{[]string{"fmt", ""}, "hcl dshvars", extensions},
		{[]string{"check", "--var-file", ""}, "dshvars", extensions},
		{[]string{"check", "--var", ""}, "team=", ":6"},
	} {
		if c.want == "team=" {
			d.file("vars.dsh.hcl", "variable \"team\" {\n  default = \"x\"\n}\n")
		}
		words, directive := d.words(c.args...)
		for _, w := range strings.Fields(c.want) {
			if !strings.Contains(" "+strings.Join(words, " ")+" ", " "+w+" ") {
				t.Errorf("%q offers %q, without %s", c.args, words, w)
			}
		}
		if c.want == "" && len(words) > 0 || directive != c.directive {
			t.Errorf("%q offers %q, %s", c.args, words, directive)
		}
	}
	// What is named already is not offered again.
	if words, _ := d.words("sessions", "rm", id, ""); strings.Join(words, " ") != "last" {
		t.Errorf("%q", words)
	}
	// A configuration with errors has nothing to offer, and says nothing.
	d.file("dsh.hcl", "agent {")
	if words, _ := d.words("run", "--agent", ""); len(words) > 0 {
		t.Errorf("%q", words)
	}
	for shell, part := range map[string]string{"bash": "__start_dsh", "zsh": "#compdef dsh", "fish": "complete -c dsh"} {
		d.want(d.run("completion", shell), 0, part)
	}
	d.want(d.run("completion", "tcsh"), 2, "there is one for bash, zsh and fish")
}

// --ref is completed with the sessions that the agent may cite, as dsh refs lists them.
func TestCompletionOfRef(t *testing.T) {
	const first, second = "00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000003"
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "-q", "--title", "Parser, \u202efirst look", "What does it do?"), 0)
	d.want(d.run("run", "-q", "And the\nlexer?"), 0)
	offers := func(begun string, want ...string) {
		t.Helper()
		words, directive := d.words("run", "--ref", begun)
		if !slices.Equal(words, want) || directive != ":4" {
			t.Errorf("%q offers %q, %s; want %q", begun, words, directive, want)
		}
	}
	offers("") // it may cite none
	config := d.read("dsh.hcl")
	d.file("dsh.hcl", strings.Replace(config, "  model       = model.chat\n", "  model       = model.chat\n  references {}\n", 1))
	offers("", second, first)
	offers(first, first)
	offers(first + "=")
	d.want(d.run("__complete", "run", "--ref", ""), 0, first+"\tParser, \\u202efirst look\n", second+"\tAnd the lexer?\n")
	if words, directive := d.words("run", "--ref", "logs/"); !slices.Equal(words, []string{"jsonl"}) || directive != ":8" {
		t.Errorf("%q, %s", words, directive)
	}
	d.file("dsh.hcl", strings.Replace(config, "  model       = model.chat\n", "  model       = model.chat\n  references {\n    deny = [\"**\"]\n  }\n", 1))
	offers("")
}
