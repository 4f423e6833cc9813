package hclfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/dsh-hcl/dsh/config/diag"
)

// eval evaluates an expression. It reports whether there is a value; when not,
// the reason was reported, here or where the missing input is declared. owner is
// the address of what the expression belongs to.
func (l *loader) eval(expr hcl.Expression, sc *scope, owner string) (cty.Value, bool) {
	l.checkNFC(expr)
	in, ok := l.gather(expr, sc, owner)
	if !ok {
		return cty.DynamicVal, false
	}
	outer := l.paying
	ctx, left := withBudget(in.context, in.size)
	l.paying = left
	v, diags := valueWithin(expr, ctx, left)
	l.paying = outer
	if tooMuch(diags) {
		l.errorf(place(expr.Range()), tooMuchSummary, "Evaluating the expression takes too much: its loops and functions may have %d rounds and yield %d MiB.", maxRounds, maxOutput>>20)
		return cty.DynamicVal, false
	}
	for _, d := range diags {
		l.report(l.explain(d, &in))
	}
	if diags.HasErrors() || in.failed {
		return cty.DynamicVal, false
	}
	return v, true
}

// value evaluates an expression whose inputs have size bytes. A panic of the
// expression library on what a person wrote is an error at that place; its text
// could hold values, so it is not shown. An evaluation that takes too much ends with
// an error that tooMuch knows.
func value(expr hcl.Expression, ctx *hcl.EvalContext, size int) (cty.Value, hcl.Diagnostics) {
	ctx, left := withBudget(ctx, size)
	return valueWithin(expr, ctx, left)
}

// valueWithin is value in a context with this budget.
func valueWithin(expr hcl.Expression, ctx *hcl.EvalContext, left *budget) (v cty.Value, diags hcl.Diagnostics) {
	defer func() {
		summary := "Expression cannot be evaluated"
		if recover() == nil && !left.spent {
			return
		}
		if left.spent {
			summary = tooMuchSummary
		}
		v = cty.DynamicVal
		diags = hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: summary,
			Detail: "Evaluating the expression failed unexpectedly. Write it in another way.", Subject: expr.Range().Ptr(),
		}}
	}()
	return expr.Value(ctx)
}

const tooMuchSummary = "Expression too expensive"

// tooMuch reports the end of an evaluation that went over its budget.
func tooMuch(diags hcl.Diagnostics) bool {
	return len(diags) == 1 && diags[0].Summary == tooMuchSummary
}

// explain turns a problem of an evaluation into a diagnostic. When the expression
// uses a sensitive value, only words that cannot hold it are kept.
func (l *loader) explain(d *hcl.Diagnostic, in *inputs) diag.Diagnostic {
	out := diag.Diagnostic{Summary: d.Summary, Detail: d.Detail, Subject: placeOf(d.Subject), Context: placeOf(d.Context)}
	if d.Severity == hcl.DiagWarning {
		out.Severity = diag.Warning
	}
	if d.Subject != nil {
		for _, t := range in.traversals {
			if !overlap(t.SourceRange(), *d.Subject) {
				continue
			}
			if summary, detail := l.explainTraversal(t, in); summary != "" {
				out.Summary, out.Detail = summary, detail
				out.Subject = place(t.SourceRange())
				return out
			}
		}
	}
	if call := failedCall(d); call != nil {
		if d.Expression != nil && d.Subject != nil && overlap(d.Expression.Range(), *d.Subject) {
			out.Subject = place(d.Expression.Range())
		}
		switch {
		case call.Error() == errInfinite.Error() && len(in.marks) == 0 && strings.Contains(d.Detail, partText):
			out.Summary, out.Detail = "Infinite number", "The number is infinite and has no text."
			return out
		case call.Error() == errSensitive.Error():
			// The library wraps the error in a type that hides it from errors.Is.
			return out
		case len(in.marks) == 0 && isPanic(call):
			out.Detail = "The function has no result for these arguments."
		case len(in.marks) == 0 && calledFunction(d) == "jsondecode" && (strings.Contains(call.Error(), "EOF") || strings.Contains(call.Error(), "invalid character")):
			out.Detail = "The text cannot be read as JSON."
		}
	}
	if len(in.marks) > 0 {
		out.Detail = withheld(in.marks)
		return out
	}
	for _, t := range in.traversals {
		if secretNameOnly.MatchString(lastName(t)) {
			out.Detail = fmt.Sprintf("The details are withheld, because %s may be a secret by its name.", cmp.Or(written(t), t.RootName()))
			return out
		}
	}
	out.Detail = sentence(libraryWords.Replace(out.Detail))
	out.Values = l.valuesOf(d, in)
	return out
}

// libraryWords are names of types as the expression library has them, in the phrases
// in which it says them, with those of this language.
var libraryWords = strings.NewReplacer(
	"tuple required", "list required", "have tuple", "have a list",
	"string required", "text required", "have string", "have a text",
	"bool required", "true or false required", "have bool", "have true or false",
	"have number", "have a number", "have object", "have an object",
	"invalid regexp pattern", "the pattern is no regular expression",
	`Missing value for "str"`, "Missing value for the text",
)

// calledFunction is the name of the function whose call failed, "" for none.
func calledFunction(d *hcl.Diagnostic) string {
	if extra, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d); ok {
		return extra.CalledFunctionName()
	}
	return ""
}

// sentence ends a text with one full stop.
func sentence(s string) string {
	s = strings.TrimRight(s, ". \n")
	if strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

func failedCall(d *hcl.Diagnostic) error {
	if extra, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d); ok {
		return extra.FunctionCallError()
	}
	return nil
}

func isPanic(err error) bool {
	var p function.PanicError
	return errors.As(err, &p)
}

// explainTraversal says why a name cannot be followed to its end, "" when it can.
func (l *loader) explainTraversal(t hcl.Traversal, in *inputs) (summary, detail string) {
	root := t.RootName()
	if root == "env" {
		if name, ok := memberName(t); ok {
			switch _, set := l.opts.env(name); {
			case !set && l.late:
				return "Environment variable not set", fmt.Sprintf(
					"%s is not set, and what reads it is used now. Set it in the environment that dsh is started from.", name)
			case !set:
				return "Environment variable not set", fmt.Sprintf(
					"%s is not set. Set it, or write try(env.%s, ...) with another value. Only a provider's api_key and headers and the env of a process are read as late as when they are used.", name, name)
			}
		}
	}
	v, ok := rootValue(in.context, root)
	if !ok {
		return "", ""
	}
	path := root
	for _, step := range t[1:] {
		name := ""
		switch step := step.(type) {
		case hcl.TraverseAttr:
			name = step.Name
		case hcl.TraverseIndex:
			if step.Key.Type() != cty.String || !step.Key.IsKnown() || step.Key.IsNull() {
				return "", ""
			}
			name = step.Key.AsString()
		default:
			return "", ""
		}
		v, _ = v.Unmark()
		if !v.Type().IsObjectType() || v.IsNull() || !v.IsKnown() {
			return "", ""
		}
		if !v.Type().HasAttribute(name) {
			detail = fmt.Sprintf("There is no %s.%s.", path, name)
			if own := attributeNames(v.Type()); path == "var" && len(own) == 1 && slices.Contains(l.names, name) {
				// Ordinary expressions see every variable that is declared.
				return "Variable not available", fmt.Sprintf("A validation reads only the variable of its own block, var.%s.", own[0])
			}
			if len(in.marks) == 0 { // names can be sensitive as well
				detail += suggestOrList(name, "names", attributeNames(v.Type()))
			}
			return "Unknown attribute", detail
		}
		v = v.GetAttr(name)
		path += "." + name
	}
	return "", ""
}

func rootValue(ctx *hcl.EvalContext, name string) (cty.Value, bool) {
	for ; ctx != nil; ctx = ctx.Parent() {
		if v, ok := ctx.Variables[name]; ok {
			return v, true
		}
	}
	return cty.NilVal, false
}

// valuesOf shows what the names in a failed expression are. It is called for
// expressions without sensitive values only.
func (l *loader) valuesOf(d *hcl.Diagnostic, in *inputs) []diag.Value {
	if d.Expression == nil {
		return nil
	}
	var out []diag.Value
	seen := map[string]bool{}
	for _, t := range d.Expression.Variables() {
		name := written(t)
		if _, ok := rootValue(in.context, t.RootName()); !ok || name == "" || seen[name] {
			continue
		}
		seen[name] = true
		v, diags := t.TraverseAbs(in.context)
		if !diags.HasErrors() && !v.ContainsMarked() && v.IsWhollyKnown() {
			out = append(out, diag.Value{Traversal: name, Text: short(v)})
		}
	}
	return out
}

// written is a traversal as the source spells it, "" when it is not made of names
// alone.
func written(t hcl.Traversal) string {
	s := t.RootName()
	for _, step := range t[1:] {
		attr, ok := step.(hcl.TraverseAttr)
		if !ok {
			return ""
		}
		s += "." + attr.Name
	}
	return s
}

// short is a value in a few characters.
func short(v cty.Value) string {
	const limit = 60
	switch {
	case v.IsNull():
		return "null"
	case v.Type() == cty.String:
		s := v.AsString()
		if utf8.RuneCountInString(s) > limit {
			s = string([]rune(s)[:limit]) + "..."
		}
		return quoted(s)
	case v.Type() == cty.Number || v.Type() == cty.Bool:
		return canonical(v)
	case v.Type().IsObjectType() || v.Type().IsMapType():
		return "an object"
	}
	return fmt.Sprintf("a list of %d", v.LengthInt())
}
