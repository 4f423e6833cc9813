package docs

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const (
	maxLines    = 600        // of a Go file that is neither a test nor generated
	maxDocBytes = 300 * 1024 // of all Markdown
)

// testModules is what tests of every package may import besides their row.
var testModules = []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"}

func everyPackageHasARow(t table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		if _, ok := t.find(p.dir); !ok {
			problems = append(problems, p.dir+": the package has no row in docs/architecture.md")
		}
	}
	return problems
}

func everyRowHasAPackage(t table, tr tree) (problems []string) {
	for _, r := range t {
		exists := slices.ContainsFunc(tr.packages, func(p pkg) bool { return p.dir == r.pkg })
		switch {
		case !exists && !r.planned:
			problems = append(problems, r.pkg+": the row has no package and is not planned")
		case exists && r.planned:
			problems = append(problems, r.pkg+": the row says planned, but the package is there")
		}
	}
	return problems
}

// rowsPointUp keeps the order of the table an order of layers.
func rowsPointUp(t table, _ tree) (problems []string) {
	for i, r := range t {
		for _, pattern := range r.inside {
			match := func(o row) bool {
				ok, err := path.Match(pattern, o.pkg)
				return ok && err == nil
			}
			if !slices.ContainsFunc(t[:i], match) {
				problems = append(problems, fmt.Sprintf("%s: the row names %s, which no row above it is", r.pkg, pattern))
			}
		}
	}
	return problems
}

// importsInside holds sources to their rows. Tests may import any package of the
// module: they look at their own from outside, and the compiler refuses cycles.
func importsInside(t table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		r, ok := t.find(p.dir)
		if !ok {
			continue
		}
		for _, s := range p.sources(false) {
			for _, i := range s.imports {
				if other, ok := tr.inside(i.path); ok && !t.allows(r, other) {
					problems = append(problems, fmt.Sprintf("%s: the row of %s does not allow %s", s.path, p.dir, other))
				}
			}
		}
	}
	return problems
}

// importsOutside holds sources to the modules of their rows, and rows to modules
// that are really imported.
func importsOutside(t table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		r, ok := t.find(p.dir)
		if !ok {
			continue
		}
		for _, s := range p.files {
			for _, i := range s.imports {
				if tr.outside(i.path) && !within(i.path, r.outside) && !(s.test && within(i.path, testModules)) {
					problems = append(problems, fmt.Sprintf("%s: the row of %s does not allow %s", s.path, p.dir, i.path))
				}
			}
		}
		for _, module := range r.outside {
			if !slices.ContainsFunc(p.files, func(s source) bool {
				return slices.ContainsFunc(s.imports, func(i imported) bool { return within(i.path, []string{module}) })
			}) {
				problems = append(problems, fmt.Sprintf("%s: the row allows %s, which is not imported", r.pkg, module))
			}
		}
	}
	return problems
}

// mentionsStopAtTheHost keeps the @ that people type out of everything below the
// program, whatever the table says.
func mentionsStopAtTheHost(_ table, tr tree) (problems []string) {
	const grammar = "engine/ref/mention"
	for _, p := range tr.packages {
		if p.dir == grammar || within(p.dir, []string{"cmd"}) {
			continue
		}
		for _, s := range p.sources(false) {
			for _, i := range s.imports {
				if other, ok := tr.inside(i.path); ok && other == grammar {
					problems = append(problems, fmt.Sprintf("%s: %s is for hosts, and %s is none", s.path, grammar, p.dir))
				}
			}
		}
	}
	return problems
}

// impure is what a pure package imports nothing of, by first element or path.
var impure = []string{"os", "net", "syscall", "math/rand", "crypto/rand"}

// clock is the functions of package time that ask for the time or wait for it.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

func pureIsPure(t table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		if r, ok := t.find(p.dir); !ok || !r.pure {
			continue
		}
		for _, s := range p.sources(false) {
			name := ""
			for _, i := range s.imports {
				if within(i.path, impure) {
					problems = append(problems, fmt.Sprintf("%s: %s is pure and imports %s", s.path, p.dir, i.path))
				}
				if i.path == "time" {
					if name = i.name; name == "" {
						name = "time"
					}
				}
			}
			if name == "." {
				problems = append(problems, s.path+": time is imported into the file's own scope")
			}
			ast.Inspect(s.ast, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && name != "" {
					if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && slices.Contains(clock, sel.Sel.Name) {
						problems = append(problems, fmt.Sprintf("%s: %s is pure and uses time.%s", s.path, p.dir, sel.Sel.Name))
					}
				}
				return true
			})
		}
	}
	return problems
}

func noInit(_ table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		for _, s := range p.files {
			for _, d := range s.ast.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
					problems = append(problems, s.path+": func init runs before anybody asked")
				}
			}
		}
	}
	return problems
}

// noBlankImports forbids what is imported for its effects. Package embed has none.
func noBlankImports(_ table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		for _, s := range p.files {
			for _, i := range s.imports {
				if i.name == "_" && i.path != "embed" {
					problems = append(problems, fmt.Sprintf("%s: blank import of %s", s.path, i.path))
				}
			}
		}
	}
	return problems
}

// grabBags are names that say nothing about what a package is for.
var grabBags = []string{"util", "utils", "common", "helper", "helpers", "type", "types", "misc", "shared", "internal"}

func noGrabBags(_ table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		names := strings.Split(p.dir, "/")
		for _, s := range p.files {
			names = append(names, strings.TrimSuffix(s.ast.Name.Name, "_test"))
		}
		slices.Sort(names)
		for _, n := range slices.Compact(names) {
			if slices.Contains(grabBags, n) {
				problems = append(problems, fmt.Sprintf("%s: %q does not say what the package is for", p.dir, n))
			}
		}
	}
	return problems
}

// onePackageComment counts the comments of a package; one that has only tests has
// it there.
func onePackageComment(_ table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		files := p.sources(false)
		if len(files) == 0 {
			files = p.sources(true)
		}
		n := 0
		for _, s := range files {
			if s.ast.Doc != nil && !s.external {
				n++
			}
		}
		if n != 1 {
			problems = append(problems, fmt.Sprintf("%s: %d package comments instead of one", p.dir, n))
		}
	}
	return problems
}

func filesAreShort(_ table, tr tree) (problems []string) {
	for _, p := range tr.packages {
		for _, s := range p.sources(false) {
			if s.lines > maxLines && !s.generated {
				problems = append(problems, fmt.Sprintf("%s: %d lines, the limit is %d", s.path, s.lines, maxLines))
			}
		}
	}
	return problems
}

func docsAreShort(repo fs.FS) []string {
	var total int64
	for _, name := range markdown(repo) {
		info, err := fs.Stat(repo, name)
		if err != nil {
			return []string{err.Error()}
		}
		total += info.Size()
	}
	if total > maxDocBytes {
		return []string{fmt.Sprintf("the documentation has %d bytes, the limit is %d", total, maxDocBytes)}
	}
	return nil
}

// docsAreMerged finds what a merge left behind: in Go it would not compile, and in a page
// nothing else would notice.
func docsAreMerged(repo fs.FS) (problems []string) {
	for _, name := range markdown(repo) {
		text, err := fs.ReadFile(repo, name)
		if err != nil {
			return []string{err.Error()}
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
				problems = append(problems, fmt.Sprintf("%s:%d: a conflict of a merge", name, i+1))
			}
		}
	}
	return problems
}
