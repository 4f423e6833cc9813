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
	"github.com/dsh-hcl/dsh/schema"
)

// mistake is a line of a file with the problem that it has and the lines that are
// right in its place.
type mistake struct {
	file    string
	wrong   string
	right   []string
	problem string // "error" or "warning"
	place   string // "" for its own line, "+1" for the next one, FILE:LINE or "none"
	pattern *regexp.Regexp
}

var (
	mistakeComment = regexp.MustCompile(`(?:#|//) (ERROR|WARNING)(?:\(([^)]*)\))?: (.*)$`)
	rightComment   = regexp.MustCompile(`^\s*(?:#|//) RIGHT:(?: (.*))?$`)
)

// page is a file of a test: lines, some of which are mistakes.
type page struct {
	name  string
	lines []string
	at    map[int]*mistake // by index of lines
}

// readPage takes a file apart. A line that ends in "# ERROR: pattern" is a mistake;
// the comments "# RIGHT: line" behind it are what is right there. Without any the
// line is left out.
func readPage(t *testing.T, name, text string) page {
	t.Helper()
	p := page{name: name, at: map[int]*mistake{}}
	var last *mistake
	for line := range strings.Lines(text) {
		if m := rightComment.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			if last == nil {
				t.Fatalf("%s: %q stands behind no mistake", name, line)
			}
			if m[1] != "" {
				last.right = append(last.right, m[1]+"\n")
			}
			continue
		}
		last = nil
		if m := mistakeComment.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			pattern, err := regexp.Compile(m[3])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			last = &mistake{file: name, wrong: line, problem: strings.ToLower(m[1]), place: m[2], pattern: pattern}
			p.at[len(p.lines)] = last
		}
		p.lines = append(p.lines, line)
	}
	return p
}

// with is the text in which only some of the mistakes are made, and where each of
// them is.
func (p page) with(made func(*mistake) bool) (text string, places map[*mistake]string) {
	var b strings.Builder
	places = map[*mistake]string{}
	number := 1
	write := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(l)
			number++
		}
	}
	for i, line := range p.lines {
		m := p.at[i]
		switch {
		case m == nil:
			write(line)
		case !made(m):
			write(m.right...)
		default:
			at := m.place
			if offset, err := strconv.Atoi(at); err == nil || at == "" {
				at = fmt.Sprintf("%s:%d", p.name, number+offset)
			}
			places[m] = at
			write(line)
		}
	}
	return b.String(), places
}

// TestMistakes makes each mistake of testdata/mistakes alone, in a configuration
// that is right otherwise, and demands its problem and no other; then all mistakes
// of a file at once, unless it says "# ONE AT A TIME"; and it holds that the
// configuration without any has no problem.
func TestMistakes(t *testing.T) {
	paths, err := filepath.Glob("testdata/mistakes/*")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	total := 0
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(raw), `<\xff>`, "\xff")
			var pages []page
			var mistakes []*mistake
			for name, content := range archive(path, text) {
				p := readPage(t, name, content)
				pages = append(pages, p)
				for _, m := range p.at {
					mistakes = append(mistakes, m)
				}
			}
			total += len(mistakes)
			check := func(what string, made func(*mistake) bool) {
				t.Helper()
				m := memory{}
				want := map[*mistake]string{}
				for _, p := range pages {
					text, places := p.with(made)
					m[filepath.Join(testDir, p.name)] = text
					for made, at := range places {
						want[made] = at
					}
				}
				opts := options(m, directives(text, "ENV"))
				_, sources, diags := Load(testDir, testWorkspace, opts)
				strict := strings.Contains(text, "# WARNING")
				compare(t, what, want, diags, sources, strict)
			}
			check("nothing wrong", func(*mistake) bool { return false })
			for _, one := range mistakes {
				check(strings.TrimSpace(one.wrong), func(m *mistake) bool { return m == one })
			}
			if !strings.Contains(text, "# ONE AT A TIME") {
				check("all wrong", func(*mistake) bool { return true })
			}
		})
	}
	if total < 120 {
		t.Errorf("%d mistakes, and 120 are wanted", total)
	}
	t.Logf("%d mistakes", total)
}

// compare holds the problems against those that are wanted. Unless it is strict,
// declarations that nothing uses are no problem.
func compare(t *testing.T, what string, want map[*mistake]string, got diag.List, sources diag.Sources, strict bool) {
	t.Helper()
	var unexpected []string
	for _, d := range got {
		at := "none"
		if !d.Subject.IsZero() {
			at = fmt.Sprintf("%s:%d", d.Subject.File, d.Subject.Start.Line)
		}
		text := d.Summary + ": " + d.Detail
		found := false
		for m, place := range want {
			if place == at && m.problem == d.Severity.String() && m.pattern.MatchString(text) {
				delete(want, m)
				found = true
				break
			}
		}
		if !found && (strict || !slices.Contains([]string{schema.RuleUnused, schema.RuleNoAgent}, d.Rule)) {
			unexpected = append(unexpected, fmt.Sprintf("%s at %s: %s", d.Severity, at, text))
		}
	}
	for m, place := range want {
		t.Errorf("%s: no %s at %s: %s", what, m.problem, place, m.pattern)
	}
	for _, u := range unexpected {
		t.Errorf("%s: unexpected %s", what, u)
	}
	if out := rendered(got, sources); strings.Contains(out, "canary") {
		t.Errorf("%s: a secret is shown:\n%s", what, out)
	}
}
