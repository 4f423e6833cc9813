package hclfile

import (
	"github.com/hashicorp/hcl/v2"
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
