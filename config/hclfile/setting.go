package hclfile

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
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
		l.sinkError(at, owner, marks)
		return setting{bad: true, at: at}
	}
	if !v.IsWhollyKnown() {
		// It depends on a declaration that was reported.
		return setting{bad: true, at: at}
	}
	if v.IsNull() {
		if a.Required {
			l.errorf(at, "Missing argument", "The argument %q is required here and must not be null. %s", name, a.Doc)
			return setting{bad: true, at: at}
		}
		return setting{v: a.Default, at: b.at}
	}
	v, problem := convertTo(a, v, attr.Expr)
	if problem != "" {
		l.errorf(at, "Invalid value", "The argument %q %s", name, sentence(problem))
		return setting{bad: true, at: at}
	}
	return setting{v: v, set: true, at: at}
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

// reference reads an attribute that names a declaration, from its syntax alone:
// model.chat. declared are the names that exist. It returns "" when there is no
// such declaration, which was reported.
func (l *loader) reference(b *body, name string, declared []string) config.Attr[string] {
	a, _ := b.schema.Attribute(name)
	attr, written := b.attrs[name]
	if !written {
		return config.Attr[string]{At: b.at}
	}
	at := place(attr.Expr.Range())
	out := config.Attr[string]{At: at}
	t, diags := hcl.AbsTraversalForExpr(attr.Expr)
	if diags.HasErrors() {
		l.errorf(at, "Reference required", "The argument %q names a declared %s: %s.NAME.%s", name, a.Refers, a.Refers, quotedReference(attr.Expr, a, declared))
		return out
	}
	target, named := memberName(t)
	if t.RootName() != a.Refers || !named || len(t) != 2 {
		advice := didYouMeanReference(t, a, declared)
		l.errorf(at, "Reference required", "The argument %q names a declared %s: %s.NAME.%s", name, a.Refers, a.Refers, advice)
		return out
	}
	for _, d := range declared {
		if d == target {
			l.used[a.Refers+"."+target] = true
			out.V, out.Set = target, true
			return out
		}
	}
	l.errorf(at, "Reference to nothing", "There is no %s %q.%s", a.Refers, target, suggestOrList(target, a.Refers+"s", declared))
	return out
}

// quotedReference suggests the reference that stands in quotes: "chat",
// "model.chat" or "${model.chat}" for model.chat.
func quotedReference(expr hcl.Expression, a *schema.Attribute, declared []string) string {
	guess := ""
	if wrap, ok := expr.(*hclsyntax.TemplateWrapExpr); ok {
		t, diags := hcl.AbsTraversalForExpr(wrap.Wrapped)
		if diags.HasErrors() {
			return ""
		}
		guess = written(t)
	} else if v, diags := value(expr, nil); !diags.HasErrors() && v.Type() == cty.String && !v.IsNull() && v.IsKnown() {
		guess = v.AsString()
	} else {
		return ""
	}
	guess = strings.TrimPrefix(guess, a.Refers+".")
	if n := nearest(guess, declared); n != "" {
		return " A reference is written without quotes: " + a.Refers + "." + n + "."
	}
	return suggestOrList(guess, a.Refers+"s", declared)
}

// didYouMeanReference suggests the reference that another traversal was meant to
// be: chat or models.chat for model.chat.
func didYouMeanReference(t hcl.Traversal, a *schema.Attribute, declared []string) string {
	last := t.RootName()
	if attr, ok := t[len(t)-1].(hcl.TraverseAttr); ok && len(t) <= 2 {
		last = attr.Name
	}
	if n := nearest(last, declared); n != "" {
		return " Did you mean " + a.Refers + "." + n + "?"
	}
	return ""
}
