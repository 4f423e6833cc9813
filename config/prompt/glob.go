package prompt

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Globs names files below a folder by patterns of slash paths. In an element * stands
// for any characters, ? for one and [a-z] for one of some; an element ** stands for
// any number of folders, none included. A name that begins with a dot is matched by an
// element of include that begins with one, and by any of exclude.
type Globs struct {
	Folder           string // absolute
	Include, Exclude []string
}

// maxFound and maxFolders bound one search: how many files it finds, and how many
// folders it looks into.
const (
	maxFound   = 1000
	maxFolders = 20000
)

// maxPatterns and maxPattern bound what each file is held against: how many patterns,
// and the bytes of one.
const (
	maxPatterns = 200
	maxPattern  = 1000
)

// WrongGlob is what is wrong with a pattern, as the rest of a sentence that begins
// with it, "" when nothing is.
func WrongGlob(pattern string) string {
	switch {
	case pattern == "":
		return "is empty"
	case len(pattern) > maxPattern:
		return fmt.Sprintf("has more than %d bytes", maxPattern)
	case path.IsAbs(pattern):
		return "is absolute: patterns are relative to path, so write the folder there"
	case strings.Contains(pattern, "\\"):
		return "holds a backslash: write / between folders"
	}
	for _, e := range strings.Split(pattern, "/") {
		_, err := path.Match(e, "")
		switch {
		case e == "":
			return "has an empty element: write one / between folders and none at the end"
		case e == "." || e == "..":
			return "holds " + e + ": patterns lead downwards from path, so write the folder there"
		case strings.Contains(e, "**") && e != "**":
			return "holds ** beside other characters: it stands alone between slashes"
		case err != nil:
			return "cannot be read: a [ is not closed"
		}
	}
	return ""
}

// Find returns the paths of the files that match, in byte order of their slash paths
// below the folder. Folders that symbolic links lead to are not searched. An absent
// folder has no files; every other error is that of files, or a *Problem.
func (g Globs) Find(files Files) ([]string, error) {
	if n := len(g.Include) + len(g.Exclude); n > maxPatterns {
		return nil, &Problem{Path: g.Folder, Summary: "Too many patterns", Detail: fmt.Sprintf("include and exclude have %d patterns together, and %d are allowed. * and ** stand for many names.", n, maxPatterns)}
	}
	s := search{files: files}
	for _, p := range g.Include {
		s.include = append(s.include, strings.Split(p, "/"))
	}
	for _, p := range g.Exclude {
		s.exclude = append(s.exclude, strings.Split(p, "/"))
	}
	if err := s.folder(g.Folder, nil); err != nil && (len(s.found) > 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	slices.SortFunc(s.found, func(a, b []string) int { return cmp.Compare(strings.Join(a, "/"), strings.Join(b, "/")) })
	var out []string
	for _, f := range s.found {
		out = append(out, filepath.Join(append([]string{g.Folder}, f...)...))
	}
	return out, nil
}

// Unmatched returns the patterns that leave the files at these paths, which Find found,
// as they are: those of Include that none of them matches, not even one that Exclude
// leaves out. Errors are those of Find.
func (g Globs) Unmatched(files Files, paths []string) ([]string, error) {
	left := unmatched(g.Folder, g.Include, paths)
	if len(left) == 0 || len(g.Exclude) == 0 {
		return left, nil
	}
	all, err := (Globs{Folder: g.Folder, Include: left}).Find(files)
	return unmatched(g.Folder, left, all), err
}

// unmatched are the patterns that match none of the paths below the folder.
func unmatched(folder string, patterns, paths []string) []string {
	var out []string
	for _, p := range patterns {
		elements := strings.Split(p, "/")
		hit := slices.ContainsFunc(paths, func(path string) bool {
			rel, err := filepath.Rel(folder, path)
			return err == nil && matches(elements, strings.Split(filepath.ToSlash(rel), "/"))
		})
		if !hit {
			out = append(out, p)
		}
	}
	return out
}

type search struct {
	files            Files
	include, exclude [][]string
	found            [][]string // elements of their paths
	folders          int
}

func (s *search) folder(dir string, at []string) error {
	if s.folders++; s.folders > maxFolders {
		return &Problem{Path: dir, Summary: "Too many folders", Detail: fmt.Sprintf("The patterns lead into more than %d folders. Narrow include, or leave folders out with exclude.", maxFolders)}
	}
	names, err := s.files.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := append(slices.Clone(at), name)
		if !some(s.include, p, matches) || some(s.exclude, p, excludes) {
			continue
		}
		if slices.ContainsFunc(p, func(name string) bool { return !plainName(name) }) {
			return &Problem{Path: filepath.Join(dir, name), Summary: "File name cannot be used", Detail: fmt.Sprintf("The path of the file %q is no plain text, and the model is told it. Rename the file, or leave it out with exclude.", strings.Join(p, "/"))}
		}
		if s.found = append(s.found, p); len(s.found) > maxFound {
			return &Problem{Path: dir, Summary: "Too many files", Detail: fmt.Sprintf("The patterns match more than %d files. Narrow include, or leave files out with exclude.", maxFound)}
		}
	}
	folders, err := s.files.ReadFolders(dir, false)
	if err != nil {
		return err
	}
	for _, name := range folders {
		p := append(slices.Clone(at), name)
		if !some(s.include, p, leads) || some(s.exclude, p, excludesAll) {
			continue
		}
		if err := s.folder(filepath.Join(dir, name), p); err != nil {
			return err
		}
	}
	return nil
}

func some(patterns [][]string, path []string, match func(pattern, path []string) bool) bool {
	return slices.ContainsFunc(patterns, func(p []string) bool { return match(p, path) })
}

// matches reports whether a pattern of include matches a whole path.
func matches(pattern, path []string) bool { return match(pattern, path, false, false) }

// excludes reports whether a pattern of exclude matches a whole path.
func excludes(pattern, path []string) bool { return match(pattern, path, true, false) }

// excludesAll reports whether a pattern of exclude matches all that a folder holds.
func excludesAll(pattern, path []string) bool {
	n := len(pattern) - 1
	return pattern[n] == "**" && match(pattern[:n], path, true, false)
}

// leads reports whether a pattern of include may match something in a folder.
func leads(pattern, path []string) bool { return match(pattern, path, false, true) }

// match reports whether a pattern matches a path. dots says that * matches names that
// begin with a dot; partly, that the path may end before the pattern does. It keeps the
// set of places in the pattern that the path may have come to, so that no pattern takes
// more than its length for each name.
func match(pattern, names []string, dots, partly bool) bool {
	at := make([]bool, len(pattern)+1)
	// reach adds a place, and those behind it that need no name.
	reach := func(set []bool, i int) {
		for set[i] = true; i < len(pattern) && pattern[i] == "**"; i++ {
			set[i+1] = true
		}
	}
	reach(at, 0)
	for _, name := range names {
		next := make([]bool, len(pattern)+1)
		for i, here := range at[:len(pattern)] {
			switch {
			case !here:
			case pattern[i] == "**":
				if dots || !strings.HasPrefix(name, ".") {
					reach(next, i)
				}
			case matchesName(pattern[i], name, dots):
				reach(next, i+1)
			}
		}
		at = next
	}
	return at[len(pattern)] && !partly || partly && slices.Contains(at[:len(pattern)], true)
}

func matchesName(element, name string, dots bool) bool {
	if strings.HasPrefix(name, ".") && !dots && !strings.HasPrefix(element, ".") {
		return false
	}
	ok, err := path.Match(element, name)
	return ok && err == nil
}

// plainName reports a name that reads as what it is wherever it is shown.
func plainName(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unplain)
}

// unplain reports characters that are not seen, break a line or turn its direction.
func unplain(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
