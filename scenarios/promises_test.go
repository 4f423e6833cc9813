package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/scenarios"
)

// areas are the folders of this project's own scenarios, in the order in which
// somebody new would read them.
func areas() []struct{ folder, title string } {
	return []struct{ folder, title string }{
		{"init", "A first configuration"}, {"check", "The language and its diagnostics"}, {"trust", "Trust"},
		{"prefix", "The frozen prefix"}, {"header", "The request header"}, {"request", "Requests on the wire"}, {"loop", "Turns and steps"},
		{"hook", "Hooks"}, {"tools", "Tools"}, {"run", "dsh run"}, {"resume", "Resume"}, {"fork", "Fork"}, {"sessions", "Keeping sessions"}, {"references", "References to other sessions"}, {"compact", "Compaction"}, {"log", "The log"},
		{"verify", "Proof"}, {"test", "The scenario language itself"}, {"cli", "The command line"},
	}
}

// TestPromises holds docs/promises.md to the scenarios: a line for each, with the
// comment that it begins with. A scenario without one promises nothing to a reader.
func TestPromises(t *testing.T) {
	names, err := scenarios.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What dsh promises\n\n<!-- Generated from the scenarios; run the tests with DSH_UPDATE=1 to renew it. -->\n\n"+
		"The %d scenarios of this project, by area, each with the comment that it begins with. All of them run through the real\n"+
		"command line, engine and wire with every test of this repository.\n", len(names))
	listed := 0
	for _, a := range areas() {
		fmt.Fprintf(&b, "\n## %s\n\n", a.title)
		for _, name := range names {
			if !strings.HasPrefix(name, a.folder+"/") {
				continue
			}
			listed++
			src, err := os.ReadFile(filepath.FromSlash(name) + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			promise := beginning(string(src))
			if promise == "" {
				t.Errorf("%s: it does not begin with a comment that says what it promises", name)
			}
			fmt.Fprintf(&b, "- [%s](../scenarios/%s.txtar): %s\n", strings.TrimPrefix(name, a.folder+"/"), name, promise)
		}
	}
	if listed != len(names) {
		t.Errorf("%d of %d scenarios lie in no area that is listed", len(names)-listed, len(names))
	}
	const path = "../docs/promises.md"
	want := b.String()
	have, err := os.ReadFile(path)
	if err == nil && string(have) == want {
		return
	}
	if os.Getenv("DSH_UPDATE") == "force" || os.Getenv("DSH_UPDATE") != "" && os.Getenv("CI") == "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("docs/promises.md is not what the scenarios say (%v); run the tests with DSH_UPDATE=1", err)
}

// beginning is the comment that a script begins with, in one line.
func beginning(src string) string {
	var words []string
	for line := range strings.Lines(src) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			break
		}
		words = append(words, strings.Fields(text)...)
	}
	return strings.Join(words, " ")
}
