package hclfile

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dsh-hcl/dsh/schema"
)

var leadingName = regexp.MustCompile(`^"?([A-Za-z_][A-Za-z0-9_]*)`)

// typeProblems reports what is wrong with the type of a variable. The names of
// types come from here; everything else is told in the words of the library.
func (l *loader) typeProblems(diags hcl.Diagnostics) {
	for _, d := range diags {
		at := placeOf(d.Subject)
		m := leadingName.FindStringSubmatch(l.textAt(at))
		if d.Subject == nil || m == nil {
			l.syntax(hcl.Diagnostics{d}, nil)
			continue
		}
		var names []string
		for _, t := range schema.TypeNames() {
			names = append(names, leadingName.FindString(t))
		}
		known := nearest(m[1], names)
		if alias, ok := typeAlias(m[1]); ok {
			known = alias
		}
		switch {
		case l.textAt(at) == quoted(known):
			l.errorf(at, "Unknown type", "A type is written without quotes: %s.", known)
		case strings.HasPrefix(l.textAt(at), `"`), known == m[1]:
			l.syntax(hcl.Diagnostics{d}, nil)
		default:
			advice := ""
			if known != "" {
				advice = " Did you mean " + quoted(known) + "?"
			}
			l.errorf(at, "Unknown type", "There is no type %q.%s There are these types: %s.", m[1], advice, strings.Join(schema.TypeNames(), ", "))
		}
	}
}

// typeAlias is what other languages call a type.
func typeAlias(name string) (string, bool) {
	switch strings.ToLower(name) {
	case "text", "str", "varchar":
		return "string", true
	case "int", "integer", "float", "double", "whole", "decimal":
		return "number", true
	case "boolean", "flag":
		return "bool", true
	case "array", "slice":
		return "list", true
	case "dict", "hash":
		return "map", true
	}
	return "", false
}
