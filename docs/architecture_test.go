// Package docs tests that the documentation tells the truth: that the sources
// keep to the table of packages in architecture.md, and that links and names lead
// somewhere. The checks take a file system, so that each is proven on a small tree
// that breaks it.
package docs

import (
	"io/fs"
	"os"
	"slices"
	"testing"
)

// repository is the root of this repository, as tests see it.
func repository() fs.FS { return os.DirFS("..") }

func TestArchitecture(t *testing.T) {
	for _, p := range checkArchitecture(repository()) {
		t.Error(p)
	}
}

// checkArchitecture holds a repository to the table in its docs/architecture.md
// and to the rules that every package keeps, and returns all problems in order.
func checkArchitecture(repo fs.FS) []string {
	rows, problems := readTable(repo)
	sources, more := readTree(repo)
	problems = append(problems, more...)
	if len(problems) > 0 {
		return problems // the rules would only repeat it for every package
	}
	for _, rule := range [...]func(table, tree) []string{
		everyPackageHasARow,
		mentionsStopAtTheHost,
		everyRowHasAPackage,
		rowsPointUp,
		importsInside,
		importsOutside,
		pureIsPure,
		noInit,
		noBlankImports,
		noGrabBags,
		onePackageComment,
		filesAreShort,
	} {
		problems = append(problems, rule(rows, sources)...)
	}
	problems = append(problems, docsAreShort(repo)...)
	problems = append(problems, docsAreMerged(repo)...)
	slices.Sort(problems)
	return problems
}
