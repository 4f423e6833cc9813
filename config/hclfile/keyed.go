package hclfile

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// keyedIndex is an index expression whose value is as sensitive as its key. The
// library forgets the marks of a key that selects the attribute of an object,
// although the attribute that comes out tells what the key was.
type keyedIndex struct{ *hclsyntax.IndexExpr }

// keyed gives an index expression that meaning in place, since its parent holds
// it: it becomes the first element of a list of one, which is what it was.
func keyed(n *hclsyntax.IndexExpr) {
	switch n.Key.(type) {
	case *hclsyntax.LiteralValueExpr:
		return // no input, or keyed already
	}
	original := *n
	n.Collection = keyedIndex{&original}
	n.Key = &hclsyntax.LiteralValueExpr{Val: cty.Zero, SrcRange: original.Key.Range()}
}

// Value implements hcl.Expression. It returns a list of the one value.
func (e keyedIndex) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	collection, diags := e.Collection.Value(ctx)
	key, more := e.Key.Value(ctx)
	diags = append(diags, more...)
	v, problems := hcl.Index(collection, key, &e.BracketRange)
	for _, d := range problems {
		d.Expression, d.EvalContext = e.IndexExpr, ctx
	}
	_, marks := marksOf(key)
	return cty.TupleVal([]cty.Value{withMarks(v, marks)}), append(diags, problems...)
}
