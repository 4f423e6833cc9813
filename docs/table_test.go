package docs

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// tableHead begins the table of packages.
const tableHead = "| package | inside the module | outside the standard library |"

// row is one line of the table: a package, what it may import, and the words that
// stand after its name.
type row struct {
	pkg     string   // folder, relative to the module's root
	pure    bool     // no clock, file, network or randomness
	planned bool     // there is no such package yet
	all     bool     // may import every row above
	inside  []string // folders, or patterns of path.Match
	outside []string // module paths
}

type table []row

func (t table) find(pkg string) (row, bool) {
	i := slices.IndexFunc(t, func(r row) bool { return r.pkg == pkg })
	if i < 0 {
		return row{}, false
	}
	return t[i], true
}

// allows reports whether a package of this row may import another one.
func (t table) allows(r row, other string) bool {
	above := slices.IndexFunc(t, func(o row) bool { return o.pkg == other })
	own := slices.IndexFunc(t, func(o row) bool { return o.pkg == r.pkg })
	if above < 0 || above >= own {
		return false
	}
	return r.all || slices.ContainsFunc(r.inside, func(pattern string) bool {
		ok, err := path.Match(pattern, other)
		return ok && err == nil
	})
}

var quoted = regexp.MustCompile("`([^`]+)`")

// readTable reads the table of packages from docs/architecture.md.
func readTable(repo fs.FS) (table, []string) {
	const file = "docs/architecture.md"
	text, err := fs.ReadFile(repo, file)
	if err != nil {
		return nil, []string{err.Error()}
	}
	_, after, ok := strings.Cut(string(text), tableHead+"\n")
	if !ok {
		return nil, []string{file + ": no table with the head " + tableHead}
	}
	var t table
	var problems []string
	for line := range strings.SplitSeq(after, "\n") {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if strings.HasPrefix(line, "|--") || strings.HasPrefix(line, "| --") {
			continue
		}
		r, err := parseRow(line)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v: %s", file, err, line))
			continue
		}
		if _, twice := t.find(r.pkg); twice {
			problems = append(problems, fmt.Sprintf("%s: two rows for %s", file, r.pkg))
		}
		t = append(t, r)
	}
	if len(t) == 0 {
		problems = append(problems, file+": the table has no rows")
	}
	return t, problems
}

func parseRow(line string) (row, error) {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	if len(cells) != 3 {
		return row{}, fmt.Errorf("row of %d cells", len(cells))
	}
	var r row
	name := quoted.FindStringSubmatch(cells[0])
	if name == nil {
		return row{}, fmt.Errorf("no package in the row")
	}
	r.pkg = name[1]
	for _, word := range strings.Fields(strings.Replace(cells[0], name[0], "", 1)) {
		switch word {
		case "pure":
			r.pure = true
		case "planned":
			r.planned = true
		default:
			return row{}, fmt.Errorf("unknown word %q in the row", word)
		}
	}
	switch inside := strings.TrimSpace(cells[1]); inside {
	case "nothing":
	case "everything above":
		r.all = true
	default:
		r.inside = items(inside)
		if len(r.inside) == 0 {
			return row{}, fmt.Errorf("the inside column names nothing")
		}
	}
	r.outside = items(cells[2])
	if len(r.outside) == 0 && strings.TrimSpace(cells[2]) != "" {
		return row{}, fmt.Errorf("the outside column names nothing")
	}
	return r, nil
}

// items returns what is quoted in a cell.
func items(cell string) []string {
	var out []string
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}
