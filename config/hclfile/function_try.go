package hclfile

import (
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// tryFunction returns the value of the first expression that has one. Which
// expression that is depends on all expressions before it, so the result is as
// sensitive as what those read.
func tryFunction() function.Function {
	try := func(args []cty.Value) (cty.Value, error) {
		var marks []mark
		var last *hcl.Diagnostic
		for _, arg := range args {
			closure := customdecode.ExpressionClosureFromVal(arg)
			v, diags := closure.Value()
			if !diags.HasErrors() {
				return withMarks(v, marks), nil
			}
			marks = append(marks, closureMarks(closure)...)
			last = diags[0]
		}
		switch {
		case last == nil:
			return cty.NilVal, errors.New("at least one expression is required")
		case len(marks) > 0:
			return cty.NilVal, errSensitive
		}
		return cty.NilVal, fmt.Errorf("none of the expressions has a value; the last one: %s: %s", last.Summary, last.Detail)
	}
	return function.New(&function.Spec{
		VarParam: &function.Parameter{Name: "expressions", Type: customdecode.ExpressionClosureType},
		Type: func(args []cty.Value) (cty.Type, error) {
			v, err := try(args)
			if err != nil {
				return cty.NilType, err
			}
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return try(args) },
	})
}

// canFunction tells whether an expression has a value, which is as sensitive as
// what the expression reads.
func canFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "expression", Type: customdecode.ExpressionClosureType}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			closure := customdecode.ExpressionClosureFromVal(args[0])
			v, diags := closure.Value()
			_, marks := marksOf(v)
			return withMarks(cty.BoolVal(!diags.HasErrors()), append(marks, closureMarks(closure)...)), nil
		},
	})
}

func withMarks(v cty.Value, marks []mark) cty.Value {
	for _, m := range marks {
		v = v.Mark(m)
	}
	return v
}

// closureMarks are the marks of everything an expression reads that can be had, and
// of what it calls sensitive.
func closureMarks(c *customdecode.ExpressionClosure) []mark {
	var out []mark
	for _, t := range c.Expression.Variables() {
		v, diags := t.TraverseAbs(c.EvalContext)
		if diags.HasErrors() {
			if v, _ = rootValue(c.EvalContext, t.RootName()); v == cty.NilVal {
				continue
			}
		}
		_, marks := marksOf(v)
		out = append(out, marks...)
	}
	if node, ok := c.Expression.(hclsyntax.Node); ok {
		hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
			if call, is := n.(*hclsyntax.FunctionCallExpr); is && call.Name == "sensitive" {
				out = append(out, mark{source: "sensitive(...)", at: place(call.Range())})
			}
			return nil
		})
	}
	return out
}
