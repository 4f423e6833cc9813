package dshtest_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/cmd/dsh/dshtest"
	"github.com/dsh-hcl/dsh/scenarios"
)

// childDir names, in a child process, the configuration that TestChild runs.
const childDir = "DSHTEST_CHILD"

// TestChild is run by TestFailures in a process of its own: its failures are looked at.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("for a child process")
	}
	dshtest.Run(t, dir)
}

// What makes dsh test fail makes go test fail, and says why.
func TestFailures(t *testing.T) {
	const agent = "provider \"p\" { protocol = \"openai\" }\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"a\" { model = model.m }\n"
	const fine = "agent a\nsend hi\nstdout ok\n"
	child := func(dir string, env ...string) (string, bool) {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestChild$", "-test.v")
		cmd.Env = append(os.Environ(), append(env, childDir+"="+dir)...)
		out, err := cmd.CombinedOutput()
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		return string(out), err == nil
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"a scenario": {map[string]string{"dsh.hcl": agent, "scenarios/sub/bad.txtar": "# It answers.\nagent a\nsend hi\nstdout no\n"},
			[]string{"--- FAIL: TestChild/sub/bad", "scenarios/sub/bad.txtar:4", "promised: It answers."}},
		"the configuration": {map[string]string{"dsh.hcl": agent + "agnet \"b\" {}\n", "scenarios/fine.txtar": fine},
			[]string{"has errors:", "dsh.hcl:7", "Unknown block"}},
		"a golden": {map[string]string{"dsh.hcl": agent, "scenarios/fine.txtar": fine, "golden/fine/old.json": "{}\n"},
			[]string{"--- PASS: TestChild/fine", "golden/fine/old.json: no scenario holds anything to it"}},
		"nothing":           {map[string]string{"dsh.hcl": agent}, []string{"there is no folder "}},
		"no configuration":  {map[string]string{"other.txt": ""}, []string{"has errors:", "dsh.hcl"}},
		"asserting nothing": {map[string]string{"dsh.hcl": agent, "scenarios/a.txtar": "agent a\nsend hi\n"}, []string{"asserts nothing"}},
	} {
		dir := t.TempDir()
		write(t, dir, c.files)
		out, ok := child(dir)
		if ok {
			t.Errorf("%s: the child passed", name)
		}
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: %q is missing in\n%s", name, w, out)
			}
		}
	}

	dir := t.TempDir()
	write(t, dir, map[string]string{"dsh.hcl": agent, "scenarios/g.txtar": "agent a\nsend hi\nheader golden -full h\n"})
	if out, ok := child(dir, "DSH_UPDATE=0", "CI="); ok || !strings.Contains(out, "there is no golden") {
		t.Errorf("without DSH_UPDATE:\n%s", out)
	}
	if out, ok := child(dir, "DSH_UPDATE=1", "CI=1"); ok || !strings.Contains(out, "goldens are not rewritten where CI is set") {
		t.Errorf("where CI is set:\n%s", out)
	}
	if out, ok := child(dir, "DSH_UPDATE=1", "CI="); !ok || !strings.Contains(out, "updated ") {
		t.Errorf("with DSH_UPDATE:\n%s", out)
	}
	if out, ok := child(dir, "DSH_UPDATE=0", "CI=1"); !ok {
		t.Errorf("with the golden:\n%s", out)
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The manual shows agents_test.go as it is, besides the name of the package.
func TestManualShowsTheTest(t *testing.T) {
	b, err := os.ReadFile("agents_test.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), "package dshtest_test", "package agents", 1)
	if !strings.Contains(scenarios.Manual(), "```go\n"+text+"```\n") {
		t.Errorf("docs/scenarios.md does not show:\n%s", text)
	}
}
