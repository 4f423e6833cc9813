package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
)

// unchanged are the scripts of testscript's own tests that need nothing but the commands
// that testscript has.
func unchanged() []string {
	return []string{
		"cmpenv",
		"cond",
		"cpstdout",
		"evalsymlink",
		"exec_path_change",
		"execguard",
		"exists",
		"hello",
		"kill",
		"kill_unnamed",
		"nothing",
		"regexpquote",
		"stdin",
		"wait",
	}
}

// foreign are the others, with what each needs first that only testscript's own tests
// have: a command that they define in Go.
func foreign() map[string]string {
	return map[string]string{
		"big_diff":                       "testscript",
		"cmd_stdout_stderr":              "fprintargs",
		"command":                        "printargs",
		"commandstatus":                  "status",
		"custom_cd":                      "mkChdir",
		"defer":                          "testdefer",
		"interrupt":                      "signalcatcher",
		"interrupt_implicit":             "signalcatcher",
		"long_diff":                      "testscript",
		"pty":                            "terminalprompt",
		"readfile":                       "fprintargs",
		"setcmd":                         "register",
		"setenv":                         "setSpecialVal",
		"setupfiles":                     "setup-filenames",
		"testscript_duplicate_name":      "testscript",
		"testscript_explicit_exec":       "testscript",
		"testscript_explicit_files":      "testscript",
		"testscript_logging":             "testscript",
		"testscript_notfound":            "testscript",
		"testscript_stdout_stderr_error": "testscript",
		"testscript_update_script":       "testscript",
		"testscript_update_script_actual_is_file":          "testscript",
		"testscript_update_script_expected_not_in_archive": "testscript",
		"testscript_update_script_quote":                   "testscript",
		"testscript_update_script_stderr":                  "testscript",
		"values":                                           "test-values",
	}
}

// TestTestscript runs testscript's own scripts through dsh test: what testscript can do
// works there, and nothing of it is shadowed by a verb.
func TestTestscript(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/rogpeppe/go-internal").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "testscript", "testdata")
	scripts, err := filepath.Glob(filepath.Join(dir, "*.txt*"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%s holds no scripts, and it is in the module cache of this module's dependencies: %v", dir, err)
	}
	d := newDesk(t)
	d.file("dsh.hcl", "")
	want := map[string]string{}
	for _, name := range unchanged() {
		want[name] = "pass"
	}
	for name, command := range foreign() {
		want[name] = "unknown command " + command
	}
	if testing.Short() {
		delete(want, "exec_path_change") // it builds programs without a cache
	}
	for _, path := range scripts {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		if name == "exec_path_change" && testing.Short() {
			continue
		}
		d.file("scenarios/"+name+".txtar", string(b))
	}
	var events, problems bytes.Buffer
	cli.Run(t.Context(), []string{"test", "--json", "--trust"}, cli.Unguarded(d.surroundings(strings.NewReader(""), &events, &problems)))
	got, logs := map[string]string{}, map[string]string{}
	for line := range bytes.Lines(events.Bytes()) {
		var e struct{ Action, Test, Output string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		switch e.Action {
		case "output":
			logs[e.Test] += e.Output
		case "pass", "skip", "fail":
			got[e.Test] = e.Action
		}
	}
	delete(got, "") // the whole
	for name, state := range got {
		if _, needs, ok := strings.Cut(logs[name], "unknown command \""); ok && state == "fail" {
			needs, _, _ = strings.Cut(needs, "\"")
			got[name] = "unknown command " + needs
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, &problems)
		for name, state := range got {
			if state != want[name] {
				t.Logf("%s:\n%s", name, logs[name])
			}
		}
	}
}
