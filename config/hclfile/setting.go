package hclfile

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// setting is the value of one attribute of a body: known, unmarked, of the type
// and within the constraint that the table demands, or NilVal when there is none.
type setting struct {
	v   cty.Value
	set bool // it was written, and not as null
	bad bool // it was written, or is required, and has no usable value, which was reported
	at  diag.Range
}

// setting evaluates an attribute by the table. The value may be seen by a model
// or in a record, so a sensitive one is refused; secrets are read by secret.
func (l *loader) setting(b *body, name string, sc *scope) setting {
	s := l.readSetting(b, name, sc)
	if s.bad {
		l.lost[b.address+"."+name] = true
	}
	return s
}

func (l *loader) readSetting(b *body, name string, sc *scope) setting {
	a, _ := b.schema.Attribute(name)
	attr, written := b.attrs[name]
	if !written {
		return setting{v: a.Default, at: b.at, bad: a.Required}
	}
	at := place(attr.Expr.Range())
	owner := b.address + "." + name
	v, ok := l.eval(attr.Expr, sc, owner)
	if !ok {
		return setting{bad: true, at: at}
	}
	v, marks := marksOf(v)
	if len(marks) > 0 {
		if a.Type == schema.Command {
			l.seenError(at, owner, "a list of processes shows. Hand it over in env", marks)
		} else {
			l.sinkError(at, owner, marks)
		}
		return setting{bad: true, at: at}
	}
	if !v.IsWhollyKnown() {
		// It depends on a declaration that was reported.
		return setting{bad: true, at: at}
	}
	if v.IsNull() {
		if a.Required {
			source, advice := "it", ""
			if text := l.textOf(attr.Expr); text != "null" && !a.Sensitive && len(text) <= 80 && !strings.Contains(text, "\n") {
				source = text
				if a.Type == schema.Text && strings.Contains(text, "agent.description") {
					advice = " Give the agent a description, or write coalesce(agent.description, \"...\")."
				}
			}
			l.errorf(at, "Missing argument", "The argument %q is required here, and %s is null.%s", name, source, advice)
			return setting{bad: true, at: at}
		}
		return setting{v: a.Default, at: b.at}
	}
	v, problem := convertTo(a, v, attr.Expr)
	if problem != "" {
		l.errorf(at, "Invalid value", "The argument %q %s", name, sentence(problem))
		return setting{bad: true, at: at}
	}
	if !l.allowed(a, v, attr.Expr) {
		return setting{v: v, bad: true, at: at}
	}
	l.values = append(l.values, valued{attr.Expr, v, l.agentName})
	return setting{v: v, set: true, at: at}
}

// allowed reports the elements of a list that are none of those that may stand in
// it.
func (l *loader) allowed(a *schema.Attribute, v cty.Value, expr hcl.Expression) bool {
	ok := true
	c := a.Constraint
	lists := a.Type == schema.Texts || a.Type == schema.TextOrTexts || a.Type == schema.Command
	if v.Type().IsPrimitiveType() || !lists && len(c.OneOf) == 0 && c.Format == schema.AnyText {
		return true
	}
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		if lists && c.NotEmpty && e.AsString() == "" {
			ok = false
			l.errorf(l.elementPlace(expr, e), "Invalid value", "The argument %q holds an empty text.", a.Name)
			continue
		}
		if problem := wellFormed(a.Constraint.Format, e); problem != "" {
			ok = false
			l.errorf(l.elementPlace(expr, e), "Invalid value", "The argument %q %s", a.Name, sentence(strings.Replace(problem, "is ", "holds ", 1)))
		}
		if name := e.AsString(); len(a.Constraint.OneOf) > 0 && !slices.Contains(a.Constraint.OneOf, name) {
			ok = false
			l.errorf(l.elementPlace(expr, e), "Invalid value", "The argument %q holds %s, not %s.%s", a.Name, short(e),
				strings.ReplaceAll(a.Constraint.String(), `"`, ""), didYouMean(name, a.Constraint.OneOf))
		}
	}
	return ok
}

func attribute[T any](s setting, get func(cty.Value) T) config.Attr[T] {
	out := config.Attr[T]{Set: s.set, At: s.at}
	if s.v != cty.NilVal {
		out.V = get(s.v)
	}
	return out
}

func (s setting) text() config.Attr[string] { return attribute(s, cty.Value.AsString) }

func (s setting) truth() config.Attr[bool] { return attribute(s, cty.Value.True) }

func (s setting) whole() config.Attr[int] { return attribute(s, wholeNumber) }

func (s setting) size() config.Attr[int] { return attribute(s, sizeBytes) }

// decimal is a number as canonical JSON.
func (s setting) decimal() config.Attr[string] { return attribute(s, canonical) }

// amount is a sum of money in billionths.
func (s setting) amount() config.Attr[int64] {
	return attribute(s, func(v cty.Value) int64 { n, _ := billionths(v); return n })
}

func (s setting) texts() config.Attr[[]string] {
	return attribute(s, func(v cty.Value) []string {
		out := make([]string, 0, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			out = append(out, e.AsString())
		}
		return out
	})
}
