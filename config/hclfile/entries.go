package hclfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// entries lists every attribute that the table has for the blocks of a
// configuration without errors.
func (l *loader) entries(root *body) []config.Entry {
	r := *l // opening a block again reports nothing new
	r.diags = nil
	of := outcomes{last: make(map[hcl.Expression]cty.Value, len(l.values)), agents: map[string]map[hcl.Expression]cty.Value{}}
	for _, v := range l.values {
		of.last[v.expr] = v.value
		if of.agents[v.agent] == nil {
			of.agents[v.agent] = map[hcl.Expression]cty.Value{}
		}
		of.agents[v.agent][v.expr] = v.value
	}
	var out []config.Entry
	r.entriesIn(root, "", of, &out)
	for i := range out {
		out[i].Hidden = out[i].Hidden || r.showsCredential(out[i].Value)
	}
	return out
}

// showsCredential reports a value, as JSON text, that a credential stands in. One of
// a few characters must be all of it: it stands in many a text by chance.
func (l *loader) showsCredential(value string) bool {
	const few = 4
	return slices.ContainsFunc(l.credentials, func(s string) bool {
		text := quoted(s)
		return value == text || len(s) > few && strings.Contains(value, text[1:len(text)-1])
	})
}

// valued is an expression with what it came to, and the agent that was read then, ""
// for none: in a group an expression comes to something else for each.
type valued struct {
	expr  hcl.Expression
	value cty.Value
	agent string
}

// outcomes are what expressions came to, the last time and for each agent.
type outcomes struct {
	last   map[hcl.Expression]cty.Value
	agents map[string]map[hcl.Expression]cty.Value
}

// rows are the entries of one attribute: one, or in a group with a value that differs
// between the agents that include it one for each, with the address it has there.
func (l *loader) rows(b *body, address string, a *schema.Attribute, of outcomes) []config.Entry {
	all := []config.Entry{l.entry(b, address, a, of.last)}
	rest, grouped := strings.CutPrefix(address, "prefix.")
	name, _, _ := strings.Cut(rest, ".")
	if !grouped || l.groups[name] == nil || len(l.groups[name].of) < 2 {
		return all
	}
	var each []config.Entry
	same := true
	for _, by := range l.groups[name].of {
		e := l.entry(b, address, a, of.agents[by.agent])
		e.Group, e.Block = e.Block, "agent."+by.agent+"."+by.where+"."+rest
		each = append(each, e)
		same = same && e.Value == each[0].Value && e.Default == each[0].Default
	}
	if same {
		return all
	}
	return each
}

func (l *loader) entriesIn(b *body, address string, of outcomes, out *[]config.Entry) {
	for _, a := range b.schema.Attributes {
		*out = append(*out, l.rows(b, address, &a, of)...)
	}
	count := map[string]int{}
	for _, n := range b.blocks {
		inner := l.open(n, address)
		at := inner.address
		switch {
		case n.child.Block.Names != nil:
			l.localEntries(inner, out)
			continue
		case n.child.Max != 1 && len(n.block.Labels) == 0:
			at = fmt.Sprintf("%s[%d]", at, count[at])
		case n.child.Block.Type == "variable":
			*out = append(*out, l.variableEntry(l.variables[inner.label]))
		}
		count[inner.address]++
		l.entriesIn(inner, at, of, out)
	}
	for _, c := range b.schema.Blocks {
		if len(b.of(c.Block.Type)) == 0 && holdsUnwritten(c) {
			at := strings.TrimPrefix(address+"."+c.Block.Type, ".")
			l.entriesIn(&body{schema: c.Block, address: at, at: b.at, attrs: hcl.Attributes{}}, at, of, out)
		}
	}
}

// holdsUnwritten reports whether the defaults of a block hold where it is not
// written.
func holdsUnwritten(c schema.Child) bool {
	return c.Max == 1 && !c.Block.Enables && len(c.Block.Labels) == 0 && len(c.Block.OneOf) == 0 &&
		!slices.ContainsFunc(c.Block.Attributes, func(a schema.Attribute) bool { return a.Required })
}

func (l *loader) entry(b *body, address string, a *schema.Attribute, of map[hcl.Expression]cty.Value) config.Entry {
	e := config.Entry{Block: address, Name: a.Name, Value: "null", Note: a.Absence, Default: true, At: b.at}
	attr, written := b.attrs[a.Name]
	if !written {
		if computed, ok := l.computed[b.address+"."+a.Name]; ok && computed != "" {
			e.Value = computed
		} else if a.Default != cty.NilVal && !replaced(b, a, of) {
			e.Value = canonical(a.Default)
		}
		return e
	}
	given := e
	given.Default, given.At, given.Note = false, place(attr.Expr.Range()), ""
	v, known := of[attr.Expr]
	switch {
	case a.Sensitive, b.schema.Type == "variable" && a.Type == schema.Any && l.variables[b.label].sensitive:
		given.Hidden = true
	case a.Type == schema.Reference:
		given.Refers, given.Value = true, quoted(addressOf(attr.Expr))
	case a.Type == schema.References:
		given.Refers, given.Value = true, addressesOf(attr.Expr)
	case a.Type == schema.TypeName:
		given.Value = quoted(strings.Join(strings.Fields(l.textOf(attr.Expr)), " "))
	case !known: // it was written as null
		if a.Default != cty.NilVal {
			e.Value = canonical(a.Default)
		}
		return e
	default:
		given.Value = canonical(v)
	}
	return given
}

// replaced reports whether another attribute was written in the place of one whose
// default then does not hold.
func replaced(b *body, a *schema.Attribute, of map[hcl.Expression]cty.Value) bool {
	for _, group := range b.schema.AtMostOne {
		for _, name := range group {
			if other, written := b.attrs[name]; written && name != a.Name && slices.Contains(group, a.Name) {
				if _, has := of[other.Expr]; has {
					return true
				}
			}
		}
	}
	return false
}

func addressOf(expr hcl.Expression) string {
	t, _ := hcl.AbsTraversalForExpr(expr)
	return written(t)
}

func addressesOf(expr hcl.Expression) string {
	elements, _ := hcl.ExprList(expr)
	out := make([]string, len(elements))
	for i, e := range elements {
		out[i] = quoted(addressOf(e))
	}
	return array(out)
}

func (l *loader) variableEntry(v *variable) config.Entry {
	e := valueEntry("var", v.name, v.value, v.from)
	e.Source = v.source
	return e
}

func (l *loader) localEntries(b *body, out *[]config.Entry) {
	attributes := slices.SortedFunc(maps.Values(b.attrs), func(x, y *hcl.Attribute) int {
		return x.NameRange.Start.Byte - y.NameRange.Start.Byte
	})
	for _, attr := range attributes {
		*out = append(*out, valueEntry("local", attr.Name, l.locals[attr.Name].value, place(attr.Expr.Range())))
	}
}

// valueEntry is a value that may be sensitive, or be made of what is.
func valueEntry(block, name string, v cty.Value, at diag.Range) config.Entry {
	e := config.Entry{Block: block, Name: name, Value: "null", At: at}
	plain, marks := marksOf(v)
	if len(marks) > 0 {
		e.Hidden = true
		return e
	}
	e.Value = canonical(plain)
	return e
}
