package hclfile

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// Input is one value, or one variable file, that the command line gives.
type Input struct {
	Name, Value string // --var
	File        string // --var-file, as messages show it; "" for --var
	Text        []byte // of the file

	// IfDeclared passes over variables that the configuration does not declare,
	// which are errors otherwise.
	IfDeclared bool
}

// The endings of variable files. Those that end in autoValues are read without
// being named.
const (
	valuesEnding = ".dshvars"
	autoValues   = ".auto" + valuesEnding
)

// given is a value from outside that a variable was given, with no other above it.
type given struct {
	source string         // "--var team" or "DSH_VAR_team", "" for a value in a file
	text   string         // with a source
	expr   hcl.Expression // in a file
}

// readValues reads the variable files, in the order in which they win: those of
// the folder, then those of the command line. It reports names that no variable
// has.
func (l *loader) readValues(root *body) {
	hidden := map[string]bool{}
	for _, n := range root.of("variable") {
		if b, ok := n.block.Body.(*hclsyntax.Body); ok && len(n.block.Labels) > 0 {
			hidden[n.block.Labels[0]] = hidden[n.block.Labels[0]] || maybeSensitive(b)
		}
	}
	l.given = map[string]given{}
	total := 0
	for _, name := range l.autoFiles() {
		path := filepath.Join(l.dir, name)
		text, ok := l.read(path, maxConfig, diag.Range{}, "variable file")
		if !ok {
			l.blind = true
			continue
		}
		if total += len(text); total > maxFolder {
			l.blind = true
			l.errorf(diag.Range{}, "Configuration too large", "The variable files have more than %d MiB together.", maxFolder>>20)
			return
		}
		l.valuesIn(l.opts.shown(path), text, hidden, false)
	}
	for _, in := range l.opts.Inputs {
		if in.File == "" {
			l.given[in.Name] = given{source: "--var " + in.Name, text: in.Value}
			continue
		}
		l.valuesIn(in.File, in.Text, hidden, in.IfDeclared)
	}
}

// autoFiles are the names of the variable files in the configuration folder, in
// byte order.
func (l *loader) autoFiles() []string {
	names, err := l.opts.Files.ReadDir(l.dir)
	if err != nil {
		return nil // it was read a moment ago
	}
	var out []string
	for _, n := range names {
		folded := strings.ToLower(n)
		switch {
		case folded == "auto.dshvars", folded == "terraform.tfvars", strings.HasSuffix(folded, ".auto.tfvars"), strings.HasSuffix(folded, ".auto.dshvar"), strings.HasSuffix(folded, ".auto.hclvars"), strings.HasSuffix(folded, autoValues+".json"):
			l.warnf(schema.RuleFileName, diag.Range{}, "File passed over", "%s is not read: variable files are called NAME%s and hold a line NAME = VALUE each.",
				l.opts.shown(filepath.Join(l.dir, plain(n))), autoValues)
		case strings.HasPrefix(n, ".") || !strings.HasSuffix(folded, autoValues):
		case unusableName(n) != "":
			l.errorf(diag.Range{}, "File name cannot be used", "The name of the variable file %s %s. Rename it.", plain(n), unusableName(n))
		case !strings.HasSuffix(n, autoValues):
			l.warnf(schema.RuleFileName, diag.Range{}, "File passed over", "%s is not read: the names of variable files end in lower case. Rename it to %s.",
				l.opts.shown(filepath.Join(l.dir, n)), n[:len(n)-len(autoValues)]+autoValues)
		default:
			out = append(out, n)
		}
	}
	return out
}

// valuesIn takes the values out of a file. hidden tells of each declared variable
// whether its value must not be seen. What it holds for a sensitive or an
// unknown variable is blotted out in the copy that snippets are cut from.
func (l *loader) valuesIn(name string, text []byte, hidden map[string]bool, ifDeclared bool) {
	s := &source{name: name, folder: l.dir, text: text}
	p := scan(s)
	l.accept(s, p)
	if p.blind && slices.Contains(slices.Collect(maps.Values(hidden)), true) {
		l.blotValues(name)
	}
	if p.blind || s.body == nil {
		return
	}
	for _, b := range s.body.Blocks {
		l.errorf(place(b.DefRange()), "Unknown block", "A variable file holds values only, a line each: NAME = VALUE. Blocks are written in a *.%s file.", mainFile)
	}
	attributes := slices.SortedFunc(maps.Values(s.body.Attributes), func(a, b *hclsyntax.Attribute) int {
		return cmp.Compare(a.NameRange.Start.Byte, b.NameRange.Start.Byte)
	})
	for _, a := range attributes {
		sensitive, declared := hidden[a.Name]
		if sensitive || !declared {
			l.blot(name, a.Expr.Range().Start.Byte, a.Expr.Range().End.Byte)
		}
		if declared {
			l.given[a.Name] = given{expr: a.Expr}
			continue
		}
		if ifDeclared {
			continue
		}
		l.errorf(place(a.NameRange), "Unknown variable", "The configuration declares no variable %q.%s", a.Name, suggestOrList(a.Name, "variables", slices.Sorted(maps.Keys(hidden))))
	}
}

// blotValues blots out what stands behind the names of a file that could not be
// understood. It rather hides too much.
func (l *loader) blotValues(name string) {
	offset := 0
	for line := range bytes.Lines(l.sources[name]) {
		// Behind a line without a name stands the rest of a value.
		l.blot(name, offset+bytes.IndexByte(line, '=')+1, offset+len(line))
		offset += len(line)
	}
}

// maybeSensitive reports whether a variable block says that it is sensitive, or
// says it in a way that is not understood.
func maybeSensitive(b *hclsyntax.Body) bool {
	a := b.Attributes["sensitive"]
	if a == nil {
		for name := range b.Attributes {
			if nearest(name, []string{"sensitive"}) != "" {
				return true // and is misspelt
			}
		}
		return false
	}
	v, diags := value(a.Expr, nil, 0)
	return diags.HasErrors() || v.Type() != cty.Bool || v.IsNull() || !v.IsKnown() || v.True()
}

// hushed runs what evaluates a sensitive value and takes from the errors that it
// reports what may hold the value.
func (l *loader) hushed(sensitive bool, f func()) {
	before := len(l.diags)
	f()
	if !sensitive {
		return
	}
	for i := before; i < len(l.diags); i++ {
		l.diags[i].Detail = "The details are withheld, because the variable is sensitive."
		l.diags[i].Values = nil
	}
}
