package hclfile

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// boundCalls are functions that one expression sees in its own way.
type boundCalls struct {
	functions map[string]function.Function
	marks     []mark
	failed    bool // a function is not there, which was reported
}

// calls checks the names of the functions that an expression calls, and binds
// those that need to know their place and those that do not exist. It returns
// false when the expression must not be evaluated.
func (l *loader) calls(expr hcl.Expression, sc *scope) (*boundCalls, bool) {
	node, native := expr.(hclsyntax.Node)
	if !native {
		return nil, true
	}
	var bound *boundCalls
	ok := true
	bind := func(name string, f function.Function) {
		if bound == nil {
			bound = &boundCalls{functions: map[string]function.Function{}}
		}
		if _, first := bound.functions[name]; !first {
			bound.functions[name] = f
		}
	}
	lost := func(name string) {
		bind(name, lostFunction())
		bound.failed = true
	}
	hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		if number, is := n.(*hclsyntax.LiteralValueExpr); is {
			ok = l.checkLiteral(number) && ok
			return nil
		}
		if o, is := n.(*hclsyntax.ObjectConsExpr); is {
			l.checkKeys(o)
			return nil
		}
		call, is := n.(*hclsyntax.FunctionCallExpr)
		if !is {
			return nil
		}
		at := place(call.Range())
		_, known := l.functions[call.Name]
		if !known {
			var f function.Function
			if f, known = lookupFunction(call.Name); known {
				if call.Name != "file" { // which is bound to its place below
					f = l.charged(call.Name, f)
				}
				l.functions[call.Name] = f
			}
		}
		switch {
		case !known && sc.unknown && nearest(call.Name, functionNames()) == "":
			l.unknownInSecret(place(call.NameRange), "Unknown function")
			lost(call.Name)
		case !known:
			l.errorf(place(call.NameRange), "Unknown function", "There is no function %q.%s", call.Name, functionAdvice(call.Name))
			lost(call.Name)
		case call.Name == "file" && sc.noFile:
			l.errorf(place(call.NameRange), "Function not available", "There is no function file in %s.", sc.what)
			lost(call.Name)
		case call.Name == "file":
			bind("file", l.charged("file", l.fileFunction(at, sc)))
		case call.Name == "sensitive":
			bind("sensitive", l.sensitiveFunction(at))
			bound.marks = append(bound.marks, mark{source: "sensitive(...)", at: at})
		}
		return nil
	})
	return bound, ok
}

// functionAdvice says what to write for a function that does not exist: the one that
// does what it does elsewhere, or the nearest name.
func functionAdvice(name string) string {
	switch name {
	case "templatefile":
		return " Use a template contributor, with path and vars."
	case "len", "size", "count":
		return " The number of elements is length(list), that of characters strlen(text)."
	case "strip":
		return " White space is taken off by trimspace(text)."
	case "timestamp", "now", "plantimestamp":
		return " No function reads the clock. Hand the time over with --var, or let a command contributor write it."
	case "yamldecode", "yamlencode", "tomldecode":
		return " Write the values as HCL or JSON, which jsondecode reads."
	}
	return didYouMean(name, functionNames())
}

// lostFunction stands for a function that is not there: its value is unknown.
func lostFunction() function.Function {
	return function.New(&function.Spec{
		VarParam: &function.Parameter{Type: cty.DynamicPseudoType, AllowMarked: true, AllowNull: true, AllowUnknown: true, AllowDynamicType: true},
		Type:     function.StaticReturnType(cty.DynamicPseudoType),
		Impl:     func([]cty.Value, cty.Type) (cty.Value, error) { return cty.DynamicVal, nil },
	})
}

// checkLiteral refuses numbers whose text would be absurdly long.
func (l *loader) checkLiteral(e *hclsyntax.LiteralValueExpr) bool {
	if e.Val.Type() != cty.Number || e.Val.IsNull() || !e.Val.IsKnown() {
		return true
	}
	const bits = 4096
	f := e.Val.AsBigFloat()
	if exp := f.MantExp(nil); f.IsInf() || exp > bits || exp < -bits {
		l.errorf(place(e.SrcRange), "Number out of range", "This number is too large or too small.")
		return false
	}
	return true
}

// checkKeys reports names that are written twice in an object, of which the library
// would keep the last.
func (l *loader) checkKeys(o *hclsyntax.ObjectConsExpr) {
	first := map[string]hcl.Range{}
	for _, item := range o.Items {
		name, constant := writtenKey(item.KeyExpr)
		if !constant {
			continue
		}
		if earlier, again := first[name]; again {
			l.report(twice("The name "+quoted(name), place(item.KeyExpr.Range()), place(earlier)))
			continue
		}
		first[name] = item.KeyExpr.Range()
	}
}

// writtenKey is the name of an object's member when it is a constant.
func writtenKey(key hclsyntax.Expression) (string, bool) {
	wrapped := key
	if k, ok := key.(*hclsyntax.ObjectConsKeyExpr); ok {
		if name := hcl.ExprAsKeyword(k); name != "" && !k.ForceNonLiteral {
			return cty.NormalizeString(name), true
		}
		wrapped = k.Wrapped
	}
	switch e := wrapped.(type) {
	case *hclsyntax.TemplateExpr:
		if !e.IsStringLiteral() {
			return "", false
		}
	case *hclsyntax.LiteralValueExpr:
	default:
		return "", false
	}
	v, diags := wrapped.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || absurd(v) {
		return "", false
	}
	v, err := textOfValue(v)
	if err != nil {
		return "", false
	}
	return v.AsString(), true
}
