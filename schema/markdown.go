package schema

import (
	"math/big"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Markdown is the reference of the language, the text of docs/language.md.
func Markdown() string {
	m := &markdown{}
	m.line("# The language")
	m.line("This file is generated from package `schema`; `DSH_UPDATE=1 go test ./schema` rewrites it.")
	root := Language()
	m.line(root.Doc)
	m.line("A configuration is HCL: blocks with labels, and attributes with expressions. A name that is not described here is an error.")

	m.line("## Blocks")
	m.outline(root)
	for _, c := range root.Blocks {
		m.block(c, nil)
	}

	m.line("## Values")
	m.table([]string{"type", "how it is written"}, func(row func(...string)) {
		for t := Text; t <= Secrets; t++ {
			written := t.Written()
			switch t {
			case Reference:
				written = "write the address of a declaration without quotes, such as `model.chat`"
			case References:
				written = "write a list of such addresses, such as `[hook.guard]`"
			case Any:
				written = "write any expression"
			}
			row(t.String(), strings.TrimPrefix(written, "write "))
		}
	})
	m.line("A type is `" + strings.Join(TypeNames(), "`, `") + "`. `optional(TYPE, DEFAULT)` stands for TYPE inside `object`.")
	m.line("A number in a text, such as `\"${1 / 3}\"`, is written in full when it is whole or has at most 17 significant digits, else as the nearest double. Dividing by zero is an error.")
	m.line("A size unit is `B`, `KiB`, `MiB`, `kB` or `MB`. Units of a duration are `h`, `m`, `s`, `ms`.")

	m.line("## Names in expressions")
	m.table([]string{"name", "value"}, func(row func(...string)) {
		for _, n := range Names() {
			row("`"+n.Name+"`", n.Doc)
		}
	})

	m.line("## Functions")
	m.line("Expressions, templates and blocks may be nested 400 levels deep.")
	m.table([]string{"function", "value"}, func(row func(...string)) {
		for _, f := range Functions() {
			row("`"+f.Call+"`", f.Doc)
		}
	})

	m.line("## Warning rules")
	m.table([]string{"rule", "warns about"}, func(row func(...string)) {
		for _, r := range Rules() {
			row("`"+r.Name+"`", r.Doc)
		}
	})

	m.line("## The scripted model")
	script := Script()
	m.line(script.Doc)
	m.outline(script)
	for _, c := range script.Blocks {
		m.block(c, nil)
	}
	return m.b.String()
}

// BlockMarkdown is the reference of one block and those inside it.
func BlockMarkdown(path string) (string, bool) {
	c, ok := Find(path)
	if !ok {
		return "", false
	}
	around := strings.Split(path, ".")
	m := &markdown{top: len(around) + 1}
	m.section(c, around[:len(around)-1])
	return m.b.String(), true
}

type markdown struct {
	b   strings.Builder
	top int // how many levels headings are raised
}

// line writes a paragraph or a heading, an empty line in front of all but the
// first.
func (m *markdown) line(s string) {
	if m.b.Len() > 0 {
		m.b.WriteByte('\n')
	}
	m.b.WriteString(s + "\n")
}

func (m *markdown) table(head []string, rows func(row func(...string))) {
	m.b.WriteString("\n| " + strings.Join(head, " | ") + " |\n|" + strings.Repeat("---|", len(head)) + "\n")
	rows(func(cells ...string) {
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		m.b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	})
}

// outline lists the blocks of a language as a tree.
func (m *markdown) outline(root *Block) {
	m.b.WriteByte('\n')
	var walk func(b *Block, depth int)
	walk = func(b *Block, depth int) {
		for _, c := range b.Blocks {
			m.b.WriteString(strings.Repeat("  ", depth) + "* `" + header(c.Block) + "`\n")
			walk(c.Block, depth+1)
		}
	}
	walk(root, 0)
}

func header(b *Block) string {
	parts := []string{b.Type}
	for _, l := range b.Labels {
		parts = append(parts, `"`+l.Name+`"`)
	}
	return strings.Join(parts, " ")
}

// block writes the section of a block, unless it is documented elsewhere.
func (m *markdown) block(c Child, path []string) {
	if c.Block.Like == "" {
		m.section(c, path)
	}
}

// section writes the section of a block and those of the blocks inside it. path is
// the types of the blocks around it.
func (m *markdown) section(c Child, path []string) {
	b := c.Block
	path = append(path[:len(path):len(path)], b.Type)
	m.line(strings.Repeat("#", min(2+len(path)-m.top, 6)) + " " + strings.Join(path, " / "))
	m.line("`" + header(b) + "`: " + b.Doc + occurrence(c))
	if b.Stability == Experimental {
		m.line("Experimental: it may change with any version.")
	}
	if b.Example != "" {
		m.line("```hcl\n" + b.Example + "\n```")
	}
	for _, group := range b.OneOf {
		m.line("Exactly one of `" + strings.Join(group, "` and `") + "` is written.")
	}
	for _, group := range b.AtMostOne {
		m.line("At most one of `" + strings.Join(group, "` and `") + "` is written" + whereNone(b, group) + ".")
	}
	attributes := b.Attributes
	if b.Names != nil {
		attributes = append(attributes[:len(attributes):len(attributes)], *b.Names)
	}
	if len(attributes) > 0 {
		m.table([]string{"attribute", "type", "default", "meaning"}, func(row func(...string)) {
			for _, a := range attributes {
				row("`"+a.Name+"`", typeCell(a), defaultCell(a), meaningCell(a))
			}
		})
	}
	m.likes(b)
	for _, inner := range b.Blocks {
		m.block(inner, path)
	}
}

// likes says which nested blocks are documented elsewhere.
func (m *markdown) likes(b *Block) {
	var names []string
	like, lacking := "", ""
	for _, c := range b.Blocks {
		if c.Block.Like == "" {
			continue
		}
		names, like = append(names, "`"+c.Block.Type+"`"), c.Block.Like
		if len(names) == 1 && len(c.Block.Absent) > 0 { // what the first lacks they all lack
			lacking = ", without `" + c.Block.Absent[0].Name + "`"
		}
	}
	if len(names) > 0 {
		m.line("Inside it stand " + strings.Join(names, ", ") + " as in `" + like + "`" + lacking + ".")
	}
}

func occurrence(c Child) string {
	if c.Max == 1 {
		return " There is at most one."
	}
	return ""
}

// whereNone says that a default holds where none of a group is written.
func whereNone(b *Block, group []string) string {
	for _, name := range group {
		if a, ok := b.Attribute(name); ok && a.Default != cty.NilVal {
			return "; the default holds where none is"
		}
	}
	return ""
}

func typeCell(a Attribute) string {
	s := a.Type.String()
	switch a.Type {
	case Reference:
		s += " to a `" + a.Refers + "`"
	case References:
		s += " to `" + a.Refers + "`s"
		if p := a.Provided; p != nil {
			s += ", or to `" + p.Root + "." + strings.Join(p.Names, "`, `"+p.Root+".") + "`"
		}
	}
	if c := a.Constraint.String(); c != "" {
		s += " (" + c + ")"
	}
	return s
}

func defaultCell(a Attribute) string {
	switch {
	case a.Required:
		return "required"
	case a.Default != cty.NilVal:
		return "`" + literal(a.Default) + "`"
	}
	return a.Absence
}

func meaningCell(a Attribute) string {
	s := a.Doc
	if a.Sensitive {
		s += " Never shown."
	}
	if a.Stability == Experimental {
		s += " Experimental."
	}
	for _, f := range a.Former {
		s += " Its name was `" + f.Name + "` before, which is still read: " + f.Why
	}
	return s
}

// literal writes a default as HCL. Defaults are primitive.
func literal(v cty.Value) string {
	switch v.Type() {
	case cty.Bool:
		if v.True() {
			return "true"
		}
		return "false"
	case cty.Number:
		return new(big.Float).Set(v.AsBigFloat()).Text('f', -1)
	}
	return `"` + v.AsString() + `"`
}
