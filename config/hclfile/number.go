package hclfile

import (
	"errors"
	"math/big"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// maxDigits is how many significant digits a number that is not whole may have to
// be written in full: what tells any two doubles apart. The arithmetic of the
// language is more precise, and 1/3 would have more than a hundred.
const maxDigits = 17

// partText is the function that writes the parts of a template. No name in a
// configuration can be the same.
const partText = "(text)"

var (
	errInfinite     = errors.New("the number is infinite")
	errAbsurd       = errors.New("the number is too large or too small")
	errZeroDivision = errors.New("division by zero")
)

// prepare gives the operators and templates below a node the language's own
// meaning where it differs from that of the library: a division by zero is an
// error, as is a number of absurd length, loops count against a budget, a number in a template is written as numberInText does, and an index is
// as sensitive as its key.
func prepare(node hclsyntax.Node) {
	divide := &hclsyntax.Operation{Impl: nonZero(stdlib.DivideFunc), Type: cty.Number}
	modulo := &hclsyntax.Operation{Impl: nonZero(stdlib.ModuloFunc), Type: cty.Number}
	multiply := &hclsyntax.Operation{Impl: moderate(stdlib.MultiplyFunc), Type: cty.Number}
	hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.BinaryOpExpr:
			switch n.Op {
			case hclsyntax.OpDivide:
				n.Op = divide
			case hclsyntax.OpModulo:
				n.Op = modulo
			case hclsyntax.OpMultiply:
				n.Op = multiply
			}
		case *hclsyntax.ForExpr:
			count(n)
		case *hclsyntax.FunctionCallExpr:
			weigh(n)
		case *hclsyntax.TemplateExpr:
			for i, part := range n.Parts {
				n.Parts[i] = inText(part)
			}
		case *hclsyntax.IndexExpr:
			keyed(n)
		}
		return nil
	})
}

// inText wraps a part of a template that may be a number.
func inText(part hclsyntax.Expression) hclsyntax.Expression {
	switch p := part.(type) {
	case *hclsyntax.LiteralValueExpr:
		if p.Val.Type() == cty.String {
			return part
		}
	case *hclsyntax.TemplateExpr, *hclsyntax.TemplateJoinExpr:
		return part
	case *hclsyntax.FunctionCallExpr:
		if p.Name == partText {
			return part
		}
	}
	r := part.Range()
	return &hclsyntax.FunctionCallExpr{
		Name: partText, Args: []hclsyntax.Expression{part},
		NameRange: r, OpenParenRange: r, CloseParenRange: r,
	}
}

// nonZero is a division that refuses to divide by zero, which the library answers
// with an infinite number or the dividend.
func nonZero(f function.Function) function.Function {
	return function.New(&function.Spec{
		Params: f.Params(),
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if args[1].AsBigFloat().Sign() == 0 {
				return cty.NilVal, errZeroDivision
			}
			return inRange(f.Call(args))
		},
	})
}

// moderate is an operation that refuses results whose text would be absurdly long.
func moderate(f function.Function) function.Function {
	return function.New(&function.Spec{
		Params: f.Params(),
		Type:   function.StaticReturnType(cty.Number),
		Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return inRange(f.Call(args)) },
	})
}

func inRange(v cty.Value, err error) (cty.Value, error) {
	if err == nil && absurd(v) {
		return cty.NilVal, errAbsurd
	}
	return v, err
}

// textFunction writes a number as numberInText does, and leaves every other value
// as it is. A sensitive one is remembered, since the text around it may be gone
// where it is shown.
func (l *loader) textFunction() function.Function {
	isNumber := func(v cty.Value) bool { return v.Type() == cty.Number && v.IsKnown() && !v.IsNull() }
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowMarked: true, AllowNull: true, AllowUnknown: true, AllowDynamicType: true}},
		Type: func(args []cty.Value) (cty.Type, error) {
			if isNumber(args[0]) {
				return cty.String, nil
			}
			return args[0].Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			_, all := marksOf(args[0])
			l.keepPart(args[0], all)
			if !isNumber(args[0]) {
				return args[0], nil
			}
			v, marks := args[0].Unmark()
			if infinite(v) {
				return cty.NilVal, errInfinite
			}
			return cty.StringVal(numberInText(v.AsBigFloat())).WithMarks(marks), nil
		},
	})
}

// toStringFunction is tostring(), which writes numbers as templates do.
func toStringFunction() function.Function {
	other := stdlib.MakeToFunc(cty.String)
	return function.New(&function.Spec{
		Params: other.Params(),
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, marks := args[0].Unmark()
			if v.Type() != cty.Number || !v.IsKnown() || v.IsNull() {
				return other.Call(args)
			}
			text, err := textOfValue(v)
			return text.WithMarks(marks), err
		},
	})
}

// textOfValue converts a known, unmarked value to a text.
func textOfValue(v cty.Value) (cty.Value, error) {
	switch {
	case infinite(v):
		return v, errInfinite
	case v.Type() == cty.Number && !v.IsNull():
		return cty.StringVal(numberInText(v.AsBigFloat())), nil
	}
	return convert.Convert(v, cty.String)
}

// infinite reports a known, unmarked number that is infinite.
func infinite(v cty.Value) bool {
	return v.Type() == cty.Number && v.IsKnown() && !v.IsNull() && v.AsBigFloat().IsInf()
}

// holdsInfinite reports a value that is or holds an infinite number.
func holdsInfinite(v cty.Value) bool {
	if infinite(v) {
		return true
	}
	if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
		return false
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, e := it.Element(); holdsInfinite(e) {
			return true
		}
	}
	return false
}

// numberInText is a finite number as a text holds it: in full when it is whole or
// has few digits, else as the nearest double in its shortest form.
func numberInText(f *big.Float) string {
	if f.Sign() == 0 {
		return "0"
	}
	s := f.Text('f', -1)
	digits := strings.TrimLeft(strings.TrimLeft(s, "-"), "0.")
	if f.IsInt() || len(strings.Replace(digits, ".", "", 1)) <= maxDigits {
		return s
	}
	return numberText(f)
}
