// Package prompt reads what contributors are made of when that is more than one
// file with one text: messages of a JSON Lines file, files that patterns match,
// instructions with what they import, catalogues of skills. The check of a
// configuration and the composition of a prefix both read through it, so that what
// was checked is what is composed. It knows no HCL and makes no message; what is
// wrong in a file is a Problem with its place.
package prompt

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Files reads files below trusted folders; config/confine implements it. Paths are
// absolute.
type Files interface {
	// ReadFile returns the content of a regular file of at most max bytes. What does
	// not exist is fs.ErrNotExist.
	ReadFile(path string, max int64) ([]byte, error)
	// ReadDir returns the base names of the files that are direct children of a
	// folder, in byte order.
	ReadDir(path string) ([]string, error)
	// ReadFolders returns the base names of the folders that are direct children of a
	// folder, in byte order; links says whether symbolic links to folders count.
	ReadFolders(path string, links bool) ([]string, error)
}

// Problem is what is wrong in a file: the bytes From to To of Text, which is the
// text of the file at Path. Text is "" when the file itself is what is wrong; Err is
// then what reading it said, if that was the reason.
type Problem struct {
	Path     string // absolute
	Text     string
	From, To int
	Summary  string // a few words
	Detail   string // sentences that say what to do
	Err      error
}

// Line is the line of the problem, counted from 1; 0 when it has none.
func (p *Problem) Line() int {
	if p.Text == "" {
		return 0
	}
	return 1 + strings.Count(p.Text[:p.From], "\n")
}

func (p *Problem) Error() string {
	if p.Err != nil {
		return p.Err.Error()
	}
	return strings.TrimSuffix(p.Summary+": "+p.Detail, ".")
}

// Unwrap returns what reading the file said.
func (p *Problem) Unwrap() error { return p.Err }

// MaxTotal is how many bytes the files of one contributor may have together, 32 MiB.
const MaxTotal = 32 << 20

// Total adds up the bytes of the files of one contributor.
type Total struct{ bytes int }

// Add counts a file and reports the one that is too much.
func (t *Total) Add(path string, size int) *Problem {
	if t.bytes += size; t.bytes <= MaxTotal {
		return nil
	}
	return &Problem{Path: path, Summary: "Too much text", Detail: fmt.Sprintf("The files have more than %d MiB together. Leave some of them out.", MaxTotal>>20)}
}

// Intro is the line, and an empty one behind it, that introduces the content of a
// file among others.
func Intro(name string) string { return "Contents of " + line(name) + ":\n\n" }

// line is a path as part of a line: what would break the line, or is no text, is
// U+FFFD.
func line(path string) string {
	return strings.Map(func(r rune) rune {
		if unplain(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(path, "\uFFFD"))
}

// Join makes one text of introduced ones, with an empty line between them.
func Join(sections []string) string {
	var b strings.Builder
	for i, s := range sections {
		b.WriteString(s)
		if i == len(sections)-1 {
			break
		}
		if !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Blank reports text that is empty or white space, which contributes nothing.
func Blank(text string) bool { return strings.TrimSpace(text) == "" }

// Shown is how the model is told the path of a file: relative to the first of the
// folders that it lies in, with slashes, or else in full.
func Shown(path string, folders ...string) string {
	for _, folder := range folders {
		if rel, err := filepath.Rel(folder, path); folder != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}
