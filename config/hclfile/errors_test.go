package hclfile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config/diag"
)

// expectation is one comment of a test file: which problem is reported where.
type expectation struct {
	place    string // FILE:LINE, or "none"
	severity string
	text     string // the beginning of summary and detail
}

var expectComment = regexp.MustCompile(`# (ERROR|WARNING)(?:\(([^)]*)\))?: (.*)$`)

// expectations reads the comments "# ERROR: text" of a file. The problem is on the
// line of the comment; (+2) moves it, (FILE:LINE) places it elsewhere and (none)
// says that it has no place.
func expectations(name, text string) []expectation {
	var out []expectation
	for i, line := range strings.Split(text, "\n") {
		m := expectComment.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		e := expectation{place: m[2], severity: strings.ToLower(m[1]), text: m[3]}
		if offset, err := strconv.Atoi(m[2]); err == nil || m[2] == "" {
			e.place = fmt.Sprintf("%s:%d", name, i+1+offset)
		}
		out = append(out, e)
	}
	return out
}

// archive splits a txtar-like file; any other file is one dsh.hcl.
func archive(path, text string) map[string]string {
	files := map[string]string{}
	if filepath.Ext(path) != ".txtar" {
		files["dsh.hcl"] = text
		return files
	}
	name := ""
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(n, " --") {
			name = strings.TrimSuffix(n, " --")
			files[name] = ""
			continue
		}
		files[name] += line
	}
	return files
}

// directives reads lines such as "# ENV: NAME=VALUE".
func directives(text, kind string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "# "+kind+": "); ok {
			name, value, _ := strings.Cut(rest, "=")
			out[name] = value
		}
	}
	return out
}

// checkExpected compares the set of all diagnostics with the expectations.
func checkExpected(t *testing.T, want []expectation, got diag.List, sources diag.Sources) {
	t.Helper()
	for _, d := range got {
		at := "none"
		if !d.Subject.IsZero() {
			at = fmt.Sprintf("%s:%d", d.Subject.File, d.Subject.Start.Line)
		}
		text := d.Summary + ": " + d.Detail
		i := slices.IndexFunc(want, func(e expectation) bool {
			return e.place == at && e.severity == d.Severity.String() && strings.Contains(text, e.text)
		})
		if i < 0 {
			t.Errorf("unexpected %s at %s: %s", d.Severity, at, text)
			continue
		}
		want = slices.Delete(want, i, i+1)
		if (d.Severity == diag.Warning) != (d.Rule != "") {
			t.Errorf("%s at %s has rule %q", d.Severity, at, d.Rule)
		}
	}
	for _, e := range want {
		t.Errorf("missing %s at %s: %s", e.severity, e.place, e.text)
	}
	if t.Failed() {
		t.Log("\n" + rendered(got, sources))
	}
	if out := rendered(got, sources); strings.Contains(out, "canary") {
		t.Errorf("a secret is shown:\n%s", out)
	}
}

// TestErrors reads every configuration below testdata/errors. The file is the
// test: its comments are all problems that there are.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := archive(path, string(raw))
			var want []expectation
			m := memory{}
			for name, text := range files {
				want = append(want, expectations(name, text)...)
				m[filepath.Join(testDir, name)] = text
			}
			if len(want) == 0 && !strings.HasSuffix(t.Name(), "warn_disabled") {
				t.Fatal("the file expects nothing")
			}
			opts := options(m, directives(string(raw), "ENV"))
			for name, value := range directives(string(raw), "VAR") {
				opts.Inputs = append(opts.Inputs, Input{Name: name, Value: value})
			}
			for name := range directives(string(raw), "VAR-FILE") {
				opts.Inputs = append(opts.Inputs, Input{File: name, Text: []byte(files[name])})
			}
			cfg, sources, diags := Load(testDir, testWorkspace, opts)
			checkExpected(t, want, diags, sources)
			if (cfg == nil) != diags.HasErrors() {
				t.Errorf("configuration %v, errors %v", cfg != nil, diags.HasErrors())
			}
		})
	}
}
