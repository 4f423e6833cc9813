package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/permit"
	"github.com/dsh-hcl/dsh/engine/tool"
)

// Bounds of what the tools that search look at and return.
const (
	maxEntries = 1000    // of a result
	maxMatches = 500     // of grep
	maxLine    = 500     // bytes of a line that grep shows
	maxFolder  = 50_000  // entries of one folder
	maxVisited = 200_000 // entries of a search
)

func (w *workspace) list() tool.Tool {
	return w.onPath(schema("list", "Lists a folder of the workspace: a line for each entry in byte order, folders with a / at the end.",
		`{"path":{"type":"string","description":"The folder, relative to the workspace; the workspace itself when not given."}}`, ""),
		func(_ context.Context, path string, _ canon.Value) (string, error) {
			entries, err := w.entries(path)
			if err != nil {
				return "", err
			}
			var out found
			for _, e := range entries {
				name := shown(e.Name())
				switch {
				case e.IsDir():
					name += "/"
				case e.Type()&fs.ModeSymlink != 0:
					name += " (link)"
				case !e.Type().IsRegular():
					name += " (no file)"
				}
				out.add(name, maxEntries)
			}
			return out.text("[" + path + " is an empty folder]"), nil
		})
}

func (w *workspace) glob() tool.Tool {
	return w.onPath(schema("glob", "Finds files by a pattern of their path. Returns paths relative to the workspace, sorted by folder, at most 1000. Does not look into .git and does not follow links.",
		`{"pattern":{"type":"string","minLength":1,"maxLength":1000,"description":"* is any text within a name, ? one character, ** any folders: **/*.go"},"path":{"type":"string","description":"The folder that the pattern starts at; the workspace when not given."}}`, `"pattern"`),
		func(ctx context.Context, start string, args canon.Value) (string, error) {
			pattern := permit.Glob(text(args, "pattern"))
			var out found
			err := w.walk(ctx, start, func(p string, d fs.DirEntry) error {
				rel := p
				if start != "." {
					rel = strings.TrimPrefix(p, start+"/")
				}
				if pattern.MatchString(rel) {
					out.add(shown(p), maxEntries)
				}
				return nil
			})
			return out.text("[no file fits]"), err
		})
}

func (w *workspace) grep() tool.Tool {
	return w.onPath(schema("grep", "Searches text files for a regular expression (RE2), line by line. Returns path:line:text, sorted by folder, at most 500 lines. Does not look into .git, into binary files and behind links.",
		`{"pattern":{"type":"string","minLength":1,"maxLength":1000,"description":"The regular expression."},"path":{"type":"string","description":"The file or folder to search; the workspace when not given."},"glob":{"type":"string","minLength":1,"maxLength":1000,"description":"Only files with such a path below that folder: **/*.go"},"ignore_case":{"type":"boolean"}}`, `"pattern"`),
		func(ctx context.Context, start string, args canon.Value) (string, error) {
			expression := text(args, "pattern")
			if args.Get("ignore_case").IsTrue() {
				expression = "(?i)" + expression
			}
			re, err := regexp.Compile(expression)
			if err != nil {
				return "", fmt.Errorf("the pattern is no regular expression: %w", err)
			}
			var filter *regexp.Regexp
			if g := text(args, "glob"); g != "" {
				filter = permit.Glob(g)
			}
			var out found
			skipped := 0
			search := func(p string) error {
				b, _, err := w.content(p)
				if err != nil {
					return err
				}
				for n, line := range lineSeq(w.cleaned(b)) {
					if out.more {
						return fs.SkipAll
					}
					if re.Match(line) {
						out.add(shown(p)+":"+strconv.Itoa(n)+":"+beginning(strings.TrimSuffix(string(line), "\r"), maxLine), maxMatches)
					}
				}
				return nil
			}
			if root, rerr := w.folder(); rerr != nil {
				return "", rerr
			} else if info, serr := root.Stat(start); serr == nil && !info.IsDir() {
				if w.hidden != nil && slices.ContainsFunc(w.subjects(start), w.hidden) {
					return "", fmt.Errorf("%s may not be read", start)
				}
				if err := search(start); err != nil && !errors.Is(err, fs.SkipAll) {
					return "", err
				}
				return out.text("[no line matches]"), nil
			}
			names := w.subjects(start) // a link may lead to what is hidden
			hidden := func(rel string) bool {
				return w.hidden != nil && slices.ContainsFunc(names, func(folder string) bool { return w.hidden(path.Join(folder, rel)) })
			}
			err = w.walk(ctx, start, func(p string, d fs.DirEntry) error {
				rel := p
				if start != "." {
					rel = strings.TrimPrefix(p, start+"/")
				}
				if !d.Type().IsRegular() || filter != nil && !filter.MatchString(rel) || hidden(rel) {
					return nil
				}
				if err := search(p); errors.Is(err, fs.SkipAll) {
					return err
				} else if err != nil {
					skipped++
				}
				return nil
			})
			if err != nil {
				return "", err
			}
			s := out.text("[no line matches]")
			if skipped > 0 {
				s += fmt.Sprintf("\n[not searched, since binary, not UTF-8, too large or unreadable: %d files]", skipped)
			}
			return s, nil
		})
}

// lineSeq are the lines of a text with their numbers, from 1.
func lineSeq(b []byte) func(yield func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		for n := 1; len(b) > 0; n++ {
			line, rest, _ := bytes.Cut(b, []byte("\n"))
			if !yield(n, line) {
				return
			}
			b = rest
		}
	}
}

// found gathers the lines of a result.
type found struct {
	b    strings.Builder
	n    int
	more bool
}

func (f *found) add(line string, max int) {
	if f.n >= max || f.b.Len()+len(line) >= maxText {
		f.more = true
		return
	}
	if f.n > 0 {
		f.b.WriteByte('\n')
	}
	f.b.WriteString(line)
	f.n++
}

// text is the result; none is what it is without lines.
func (f *found) text(none string) string {
	switch {
	case f.n == 0:
		return none
	case f.more:
		return f.b.String() + fmt.Sprintf("\n[there is more; these are the first %d]", f.n)
	}
	return f.b.String()
}

// shown is a name in a line of its own.
func shown(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// entries lists a folder in byte order.
func (w *workspace) entries(path string) ([]fs.DirEntry, error) {
	root, err := w.folder()
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(path)
	if err != nil {
		return nil, explain(path, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", path)
	}
	f, err := root.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, explain(path, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(maxFolder + 1)
	if err != nil && len(entries) == 0 && !errors.Is(err, io.EOF) {
		return nil, explain(path, err)
	}
	if len(entries) > maxFolder {
		return nil, fmt.Errorf("%s has more than %d entries", path, maxFolder)
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// walk calls visit for what is below a folder and no folder, in byte order of names,
// folders in their place. It does not look into .git and follows no links. visit ends
// it with fs.SkipAll. A folder below it that cannot be listed is passed over.
func (w *workspace) walk(ctx context.Context, start string, visit func(path string, d fs.DirEntry) error) error {
	visited := 0
	var down func(folder string, top bool) error
	down = func(folder string, top bool) error {
		entries, err := w.entries(folder)
		if err != nil {
			if top {
				return err
			}
			return nil
		}
		for _, e := range entries {
			if visited++; visited > maxVisited {
				return fmt.Errorf("there are more than %d files and folders below %s: name a smaller folder", maxVisited, start)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			p := path.Join(folder, e.Name())
			if e.IsDir() {
				if e.Name() != ".git" {
					if err := down(p, false); err != nil {
						return err
					}
				}
				continue
			}
			if err := visit(p, e); err != nil {
				return err
			}
		}
		return nil
	}
	err := down(start, true)
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}
