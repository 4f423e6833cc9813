package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tree is the Go sources of a repository by folder, folders in byte order.
type tree struct {
	module   string
	packages []pkg
}

type pkg struct {
	dir   string
	files []source
}

// source is one parsed file.
type source struct {
	path      string
	test      bool // name ends in _test.go
	external  bool // package x_test
	generated bool
	lines     int
	ast       *ast.File
	imports   []imported
}

type imported struct {
	path string
	name string // as written in the file: "" when there is none, "_", "."
}

func (p pkg) sources(test bool) []source {
	return slices.DeleteFunc(slices.Clone(p.files), func(s source) bool { return s.test != test })
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)
	generated  = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// readTree parses every Go file of a repository in this process, whatever its
// build constraints. A subprocess would be quicker to write, but the test cache
// knows only of files that the test itself opens.
func readTree(repo fs.FS) (tree, []string) {
	var t tree
	var problems []string
	mod, err := fs.ReadFile(repo, "go.mod")
	if m := moduleLine.FindSubmatch(mod); err != nil || m == nil {
		problems = append(problems, "go.mod: no module")
	} else {
		t.module = string(m[1])
	}
	err = fs.WalkDir(repo, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		s, err := readSource(repo, name)
		if err != nil {
			problems = append(problems, err.Error())
			return nil
		}
		dir := path.Dir(name)
		i := slices.IndexFunc(t.packages, func(p pkg) bool { return p.dir == dir })
		if i < 0 {
			i = len(t.packages)
			t.packages = append(t.packages, pkg{dir: dir})
		}
		t.packages[i].files = append(t.packages[i].files, s)
		return nil
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	if len(t.packages) == 0 {
		problems = append(problems, "no Go file was found")
	}
	return t, problems
}

// skipped reports whether the go command, too, would look past a folder.
func skipped(dir string) bool {
	base := path.Base(dir)
	return dir != "." && (base[0] == '.' || base[0] == '_' || base == "testdata")
}

func readSource(repo fs.FS, name string) (source, error) {
	text, err := fs.ReadFile(repo, name)
	if err != nil {
		return source{}, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	s := source{
		path:      name,
		test:      strings.HasSuffix(name, "_test.go"),
		external:  strings.HasSuffix(f.Name.Name, "_test"),
		generated: generated.Match(text),
		lines:     strings.Count(string(text), "\n"),
		ast:       f,
	}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, err
		}
		i := imported{path: p}
		if spec.Name != nil {
			i.name = spec.Name.Name
		}
		s.imports = append(s.imports, i)
	}
	return s, nil
}

// inside returns the folder of an import of the own module.
func (t tree) inside(importPath string) (string, bool) {
	if importPath == t.module {
		return ".", true
	}
	return strings.CutPrefix(importPath, t.module+"/")
}

// outside reports whether an import is neither of the own module nor of the
// standard library, whose paths have no dot in their first element.
func (t tree) outside(importPath string) bool {
	if _, ok := t.inside(importPath); ok {
		return false
	}
	first, _, _ := strings.Cut(importPath, "/")
	return strings.Contains(first, ".")
}

// within reports whether an import belongs to one of the modules.
func within(importPath string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool {
		return importPath == m || strings.HasPrefix(importPath, m+"/")
	})
}
