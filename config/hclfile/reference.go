package hclfile

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// reference reads an attribute that names a declaration, from its syntax alone:
// model.chat. declared are the names that exist. It returns "" when there is no
// such declaration, which was reported.
func (l *loader) reference(b *body, name string, declared []string) config.Attr[string] {
	a, _ := b.schema.Attribute(name)
	attr, written := b.attrs[name]
	if !written {
		return config.Attr[string]{At: b.at}
	}
	out := config.Attr[string]{At: place(attr.Expr.Range())}
	out.V, out.Set = l.target(attr.Expr, a, "names a declared "+a.Refers+": "+a.Refers+".NAME.", declared)
	return out
}

// references reads an attribute that lists declarations: [hook.guard]. What is
// wrong with an element was reported, and the element is left out.
func (l *loader) references(b *body, name string, declared []string) []string {
	a, _ := b.schema.Attribute(name)
	attr, written := b.attrs[name]
	if !written {
		return nil
	}
	want := "lists declared " + several(a.Refers) + ": [" + a.Refers + ".NAME]."
	elements, diags := hcl.ExprList(attr.Expr)
	if diags.HasErrors() {
		if v, ds := value(attr.Expr, nil, 0); !ds.HasErrors() && v.IsNull() {
			return nil
		}
		l.errorf(place(attr.Expr.Range()), "References required", "The argument %q %s%s", name, want, l.inBrackets(attr.Expr, a, declared))
		return nil
	}
	var out []string
	first := map[string]diag.Range{}
	for _, e := range elements {
		target, ok := l.target(e, a, want, declared)
		if !ok {
			continue
		}
		at := place(e.Range())
		if earlier, again := first[target]; again {
			d := diag.Errorf(at, "Listed twice", "The argument %q lists %s.%s twice. Remove one of them.", name, a.Refers, target)
			d.Related = []diag.Related{{Message: "first listed", At: earlier}}
			l.report(d)
			continue
		}
		first[target] = at
		out = append(out, target)
	}
	return out
}

// several is the plural of a type of block.
func several(blockType string) string {
	if strings.HasSuffix(blockType, "x") {
		return blockType + "es"
	}
	return blockType + "s"
}

// inBrackets suggests the list that holds the one reference which stands there
// alone.
func (l *loader) inBrackets(expr hcl.Expression, a *schema.Attribute, declared []string) string {
	t, diags := hcl.AbsTraversalForExpr(expr)
	if diags.HasErrors() || t.RootName() != a.Refers {
		return ""
	}
	if name, named := memberName(t); named && slices.Contains(declared, name) {
		return " Write [" + a.Refers + "." + name + "]."
	}
	return ""
}

// target is the declaration that an expression names. want says what the argument
// does, behind its name.
func (l *loader) target(expr hcl.Expression, a *schema.Attribute, want string, declared []string) (string, bool) {
	at := place(expr.Range())
	t, diags := hcl.AbsTraversalForExpr(expr)
	if diags.HasErrors() {
		l.errorf(at, "Reference required", "The argument %q %s%s", a.Name, want, quotedReference(expr, a, declared))
		return "", false
	}
	target, named := memberName(t)
	if t.RootName() != a.Refers || !named || len(t) != 2 || written(t) == "" {
		l.errorf(at, "Reference required", "The argument %q %s%s", a.Name, want, didYouMeanReference(t, a, declared))
		return "", false
	}
	if !slices.Contains(declared, target) {
		l.errorf(at, "Reference to nothing", "There is no %s %q.%s", a.Refers, target, suggestOrList(target, several(a.Refers), declared))
		return "", false
	}
	l.used[a.Refers+"."+target] = true
	return target, true
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
	} else if v, diags := value(expr, nil, 0); !diags.HasErrors() && v.Type() == cty.String && !v.IsNull() && v.IsKnown() {
		guess = v.AsString()
	} else {
		return ""
	}
	guess = strings.TrimPrefix(guess, a.Refers+".")
	if n := nearest(guess, declared); n != "" {
		return " A reference is written without quotes: " + a.Refers + "." + n + "."
	}
	return suggestOrList(guess, several(a.Refers), declared)
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
