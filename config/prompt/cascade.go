package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// MaxImportDepth is how many imports lead from a file of instructions to the last one.
const MaxImportDepth = 5

// Cascade is instructions by the convention of AGENTS.md: in each folder the first
// of some files that exists, with the files that it imports.
type Cascade struct {
	Folders []string // absolute, the nearest last
	Names   []string // relative to a folder, with slashes
}

// Document is one file of instructions.
type Document struct{ Path, Text string }

// Import is the bytes From to To of a document, which import a file. The zero value
// stands for a file that nothing imports.
type Import struct {
	Document
	From, To int
}

// Reading is what a cascade reads with. Text returns a file's text without a byte
// order mark, and fs.ErrNotExist for one that is not there; by is what asks for it.
// Shown is the path of a file in messages.
type Reading struct {
	Files Files
	Text  func(path string, by Import) (string, error)
	Shown func(path string) string
}

// Read returns the documents in order: those of the outermost folder first, each in
// front of what it imports, and none twice. A token that looks like the import of a
// file that is not there stays text and is in missing. With problems the documents
// are not all.
func (c Cascade) Read(r Reading) (list []Document, missing, problems []*Problem) {
	t := &tree{Reading: r, seen: map[string]bool{}}
	for _, folder := range c.Folders {
		for _, name := range c.Names {
			path := filepath.Join(folder, filepath.FromSlash(name))
			text, err := r.Text(path, Import{})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				t.problems = append(t.problems, &Problem{Path: path, Err: err})
			} else {
				t.add(Document{path, text}, nil)
			}
			break
		}
	}
	return t.list, t.missing, t.problems
}

// tree collects documents with their imports.
type tree struct {
	Reading
	seen              map[string]bool
	total             Total
	full              bool // the rest is left out, which was reported
	list              []Document
	missing, problems []*Problem
}

// add adds a document and what it imports. chain is the paths of the documents that
// lead to it.
func (t *tree) add(d Document, chain []string) {
	if t.seen[d.Path] || t.full {
		return
	}
	t.seen[d.Path] = true
	if p := t.total.Add(d.Path, len(d.Text)); p != nil {
		t.full = true
		t.problems = append(t.problems, p)
		return
	}
	t.list = append(t.list, d)
	chain = append(slices.Clone(chain), d.Path)
	for _, i := range imports(d.Text) {
		if t.full {
			return
		}
		at := Problem{Path: d.Path, Text: d.Text, From: i.from, To: i.to}
		path := filepath.Join(filepath.Dir(d.Path), filepath.FromSlash(i.target))
		if first := slices.Index(chain, path); first >= 0 {
			at.Summary, at.Detail = "Cycle", fmt.Sprintf("A file cannot import itself: %s.", t.way(append(chain[first:len(chain):len(chain)], path)))
			t.problems = append(t.problems, &at)
			continue
		}
		if _, err := t.Files.ReadDir(path); err == nil || t.seen[path] {
			continue // the name of a folder is no import
		}
		text, err := t.Text(path, Import{d, i.from, i.to})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if filepath.Ext(path) != "" {
				at.Summary = "Import of nothing"
				at.Detail = fmt.Sprintf("The file %s does not exist, so @%s stays as it is written. Correct the path, or write it between backquotes.", t.Shown(path), i.target)
				t.missing = append(t.missing, &at)
			}
		case err != nil:
			at.Err = err
			t.problems = append(t.problems, &at)
		case len(chain) > MaxImportDepth:
			at.Summary = "Imports too deep"
			at.Detail = fmt.Sprintf("Imports may be %d files deep, and this one goes further: %s. Import the file from one further up.", MaxImportDepth, t.way(append(chain[:len(chain):len(chain)], path)))
			t.problems = append(t.problems, &at)
		default:
			t.add(Document{path, text}, chain)
		}
	}
}

// way shows a chain of imports.
func (t *tree) way(paths []string) string {
	var out []string
	for _, p := range paths {
		out = append(out, t.Shown(p))
	}
	return strings.Join(out, " -> ")
}

// imported is an import: @target at the bytes from to to of its text.
type imported struct {
	from, to int
	target   string
}

// imports finds the imports of a text: @ at the start of a line or behind white
// space, with a relative path up to the next white space, outside of code.
// Punctuation at the end does not belong to the path.
func imports(text string) []imported {
	code := codeIn(text)
	var out []imported
	for i := 0; i < len(text); i++ {
		if text[i] != '@' || code[i] || i > 0 && !strings.ContainsRune(" \t\r\n", rune(text[i-1])) {
			continue
		}
		end := i + 1
		for end < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[end])) {
			end++
		}
		target := strings.TrimRight(text[i+1:end], ".,;:!?)]}>\"'*_`")
		if target != "" && !strings.ContainsAny(target[:1], "/~@") && plainName(target) {
			out = append(out, imported{i, i + 1 + len(target), target})
		}
		i = end - 1
	}
	return out
}

// codeIn marks the bytes of a Markdown text that are in fenced code or in code spans.
func codeIn(text string) []bool {
	code := make([]bool, len(text))
	fence, paragraph := "", 0 // the fence that is open; where the paragraph begins
	at := 0
	for line := range strings.Lines(text) {
		start, end := at, at+len(line)
		at = end
		run := fenceOf(line)
		switch {
		case fence != "":
			mark(code, start, end)
			if rest := strings.TrimSpace(line); run != "" && run[0] == fence[0] && len(run) >= len(fence) && rest == run {
				fence, paragraph = "", end
			}
		case run != "":
			spans(text, code, paragraph, start)
			mark(code, start, end)
			fence = run
		case Blank(line):
			spans(text, code, paragraph, start)
			paragraph = end
		}
	}
	if fence == "" {
		spans(text, code, paragraph, len(text))
	}
	return code
}

// fenceOf is the run of backquotes or tildes with which a line begins or ends fenced
// code, "" for another line.
func fenceOf(line string) string {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || s == "" || s[0] != '`' && s[0] != '~' {
		return ""
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	if n < 3 || s[0] == '`' && strings.Contains(s[n:], "`") {
		return ""
	}
	return s[:n]
}

// spans marks the code spans of a paragraph: a run of backquotes up to the next run of
// the same length.
func spans(text string, code []bool, from, to int) {
	type run struct{ at, n int }
	var runs []run
	ofLength := map[int][]int{} // indices of runs that were not passed yet
	for i := from; i < to; i++ {
		if text[i] != '`' {
			continue
		}
		r := run{at: i}
		for i < to && text[i] == '`' {
			i++
		}
		r.n = i - r.at
		ofLength[r.n] = append(ofLength[r.n], len(runs))
		runs = append(runs, r)
	}
	for i := 0; i < len(runs); i++ {
		same := ofLength[runs[i].n]
		for len(same) > 0 && same[0] <= i {
			same = same[1:]
		}
		ofLength[runs[i].n] = same
		if len(same) > 0 {
			mark(code, runs[i].at, runs[same[0]].at+runs[i].n)
			i = same[0]
		}
	}
}

func mark(code []bool, from, to int) {
	for i := from; i < to; i++ {
		code[i] = true
	}
}
