package hclfile

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config/diag"
)

// elementPlace is the place of a constant element in a list expression, or that
// of the list when it is not written out.
func (l *loader) elementPlace(list hcl.Expression, element cty.Value) diag.Range {
	elements, diags := hcl.ExprList(list)
	if !diags.HasErrors() {
		for _, e := range elements {
			if v, ds := value(e, nil, 0); !ds.HasErrors() && v.RawEquals(element) {
				return place(e.Range())
			}
		}
	}
	return place(list.Range())
}

// pair is a name and its expression in an object that is written out.
type pair struct {
	name string
	key  diag.Range
	expr hcl.Expression
}

// pairs takes apart an object expression whose names are constants, without
// evaluating its values.
func pairs(object hcl.Expression) ([]pair, bool) {
	items, diags := hcl.ExprMap(object)
	if diags.HasErrors() {
		return nil, false
	}
	out := make([]pair, 0, len(items))
	for _, item := range items {
		v, ds := value(item.Key, nil, 0)
		if ds.HasErrors() || v.Type() != cty.String || v.IsNull() || !v.IsKnown() {
			return nil, false
		}
		out = append(out, pair{v.AsString(), place(item.Key.Range()), item.Value})
	}
	return out, true
}

// computedName is the first name of an object that is no constant, nil for none.
func computedName(object hcl.Expression) hcl.Expression {
	items, diags := hcl.ExprMap(object)
	if diags.HasErrors() {
		return nil
	}
	for _, item := range items {
		if v, ds := value(item.Key, nil, 0); ds.HasErrors() || v.Type() != cty.String || v.IsNull() || !v.IsKnown() {
			return item.Key
		}
	}
	return nil
}

// written are the pairs of an attribute that is an object whose values are read
// late. reject reports a pair that is not allowed; name is what two pairs must not
// share. what begins the sentence about two that do: "The variable".
func (l *loader) written(b *body, attribute, what string, name func(string) string, reject func(pair) bool) []pair {
	attr, ok := b.attrs[attribute]
	if !ok {
		return nil
	}
	given, ok := pairs(attr.Expr)
	if !ok {
		a, _ := b.schema.Attribute(attribute)
		at := place(attr.Expr.Range())
		l.blot(at.File, at.Start.Byte, at.End.Byte) // it may be a secret without quotes
		switch list, _ := attr.Expr.(*hclsyntax.TupleConsExpr); {
		case list != nil:
			l.errorf(at, "Invalid value", "The argument %q is a list, not an object: %s.", attribute, a.Type.Written())
		case computedName(attr.Expr) != nil:
			l.errorf(place(computedName(attr.Expr).Range()), "Computed name", "The names of %q are constants, since its values are read late. Write the name out: a text in quotes, without ${ }.", attribute)
		default:
			l.errorf(at, "Invalid value", "The argument %q must be written out, so that its values can be read late: %s.", attribute, a.Type.Written())
		}
		return nil
	}
	first := map[string]diag.Range{}
	return slices.DeleteFunc(given, func(p pair) bool {
		if reject(p) {
			return true
		}
		earlier, again := first[name(p.name)]
		if again {
			l.report(twice(what+" "+quoted(p.name), p.key, earlier))
			return true
		}
		first[name(p.name)] = p.key
		return false
	})
}
