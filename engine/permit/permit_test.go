package permit_test

import (
	"testing"

	"github.com/dsh-hcl/dsh/engine/permit"
)

func rules(tool string, patterns ...string) (out []permit.Rule) {
	for _, p := range patterns {
		out = append(out, permit.Rule{Tool: tool, Pattern: p})
	}
	return out
}

func TestOrder(t *testing.T) {
	p := permit.Policy{Allow: rules("shell", "git *", "make"), Ask: rules("shell", "git push*"), Deny: rules("shell", "git push --force*"), Free: []string{"read"}}
	for _, c := range []struct {
		tool, line string
		want       permit.Verdict
	}{
		{"shell", "git status", permit.Verdict{Rule: "shell(git *)"}},
		{"shell", "make", permit.Verdict{Rule: "shell(make)"}},
		{"shell", "make all", permit.Verdict{Decision: permit.Ask}},
		{"shell", "git push", permit.Verdict{Decision: permit.Ask, Rule: "shell(git push*)"}},
		{"shell", "git push --force", permit.Verdict{Decision: permit.Deny, Rule: "shell(git push --force*)"}},
		{"shell", "cd x && git push --force", permit.Verdict{Decision: permit.Deny, Rule: "shell(git push --force*)"}},
		{"read", "x", permit.Verdict{}},
		{"write", "x", permit.Verdict{Decision: permit.Ask}},
	} {
		if got := p.Decide(permit.Call{Tool: c.tool, Kind: permit.Command, Subjects: []string{c.line}}); got != c.want {
			t.Errorf("%s %q: %+v, want %+v", c.tool, c.line, got, c.want)
		}
	}
}

// A rule that allows one command lets no other through behind it.
func TestAllowedCommandStaysOne(t *testing.T) {
	p := permit.Policy{Allow: rules("shell", "git status*")}
	decide := func(line string) permit.Decision {
		return p.Decide(permit.Call{Tool: "shell", Kind: permit.Command, Subjects: []string{line}}).Decision
	}
	for _, line := range []string{"git status", "git status -s 'a b' \"c\"", "git status --porcelain=v1 *.go ~"} {
		if decide(line) != permit.Allow {
			t.Errorf("%q is not allowed", line)
		}
	}
	for _, line := range []string{"git status; rm -rf .", "git status & rm x", "git status | sh", "git status > x", "git status < x", "git status $(rm x)",
		"git status `rm x`", "git status \\\nrm", "git status\nrm x", "git status\rrm", "git status $HOME", "(git status)", " git status", "X=1 git status", "git statu"} {
		if decide(line) != permit.Ask {
			t.Errorf("%q is allowed", line)
		}
	}
}

func TestDeniedCommandIsFoundInALine(t *testing.T) {
	p := permit.Policy{Allow: rules("shell", ""), Deny: rules("shell", "rm *")}
	for line, want := range map[string]permit.Decision{
		"rm x": permit.Deny, "true; rm x": permit.Deny, "true &&rm x": permit.Deny, "echo $(rm x)": permit.Deny, "if true; then rm x; fi": permit.Deny,
		"sudo rm x": permit.Deny, "{ rm x; }": permit.Deny, "true\nrm x\n": permit.Deny, "echo rm": permit.Allow, "rmdir x": permit.Allow,
	} {
		if got := p.Decide(permit.Call{Tool: "shell", Kind: permit.Command, Subjects: []string{line}}).Decision; got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	p := permit.Policy{Allow: rules("write", "src/**"), Deny: rules("write", "**/secret", "keys/**", "*.pem")}
	for path, want := range map[string]permit.Decision{
		"src/a": permit.Allow, "src/a/b.go": permit.Allow, "src": permit.Allow, "srcs/a": permit.Ask, "a/src/b": permit.Ask, "secret": permit.Deny, "src/x/secret": permit.Deny,
		"keys": permit.Deny, "keys/a/b": permit.Deny, "a.pem": permit.Deny, "src/a.pem": permit.Allow, ".pem": permit.Deny,
	} {
		if got := p.Decide(permit.Call{Tool: "write", Kind: permit.Path, Subjects: []string{path}}).Decision; got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
	// Where a link leads counts as well.
	if got := p.Decide(permit.Call{Tool: "write", Kind: permit.Path, Subjects: []string{"src/a", "keys/a"}}).Decision; got != permit.Deny {
		t.Errorf("a link leads past deny: %v", got)
	}
	if got := p.Decide(permit.Call{Tool: "write", Kind: permit.Path, Subjects: []string{"src/a", "other/a"}}).Decision; got != permit.Ask {
		t.Errorf("a link leads past allow: %v", got)
	}
	// What is not known is held back by deny and not let through by allow.
	if got := p.Decide(permit.Call{Tool: "write", Kind: permit.Path}).Decision; got != permit.Deny {
		t.Errorf("without subjects: %v", got)
	}
}

func TestArguments(t *testing.T) {
	p := permit.Policy{Allow: rules("deploy", `{"stage":"*"}`), Deny: rules("deploy", `*prod*`)}
	for args, want := range map[string]permit.Decision{
		`{"stage":"test"}`: permit.Allow, `{"stage":"prod"}`: permit.Deny, `{"stage":"a","force":"b"}`: permit.Ask, `{}`: permit.Ask,
	} {
		if got := p.Decide(permit.Call{Tool: "deploy", Kind: permit.Text, Subjects: []string{args}}).Decision; got != want {
			t.Errorf("%s: %v, want %v", args, got, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a.go", true}, {"*.go", "b/a.go", false}, {"**/*.go", "a.go", true}, {"**/*.go", "b/c/a.go", true}, {"a?c", "abc", true}, {"a?c", "a/c", false},
		{"**", "a/b", true}, {"a/**/b", "a/b", true}, {"a/**/b", "a/x/y/b", true}, {"a/**/b", "ab", false}, {"a.b", "axb", false}, {"[a]", "[a]", true}, {"a/**", "a\nb", false}, {"a/*", "a/b\nc", true},
	} {
		if got := permit.Glob(c.pattern).MatchString(c.path); got != c.want {
			t.Errorf("%q and %q: %v", c.pattern, c.path, got)
		}
	}
}
