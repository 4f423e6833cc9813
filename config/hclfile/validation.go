package hclfile

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config/diag"
)

// validate holds the value of a variable to the conditions of its block.
func (l *loader) validate(b *body, v *variable) {
	for _, n := range b.of("validation") {
		inner := l.open(n, b.address)
		sc := constants("a validation block").with(map[string]cty.Value{
			"var": cty.ObjectVal(map[string]cty.Value{v.name: v.value}),
		})
		holds, ok := true, false
		l.hushed(v.sensitive, func() { holds, ok = l.condition(inner, sc) })
		// A message that would show a sensitive value is refused like any other text.
		message := l.setting(inner, "error_message", sc)
		if !ok || holds || message.bad {
			continue
		}
		d := diag.Errorf(v.from, "Invalid value", "The value of %q is refused: %s", v.name, sentence(message.v.AsString()))
		d.Related = []diag.Related{{Message: "checked", At: place(inner.attrs["condition"].Expr.Range())}}
		l.report(d)
	}
}

// condition evaluates the condition of a validation. That it holds says little of
// a sensitive value, so it may depend on one.
func (l *loader) condition(b *body, sc *scope) (holds, ok bool) {
	attr, written := b.attrs["condition"]
	if !written {
		return false, false // which was reported
	}
	x, ok := l.eval(attr.Expr, sc, b.address+".condition")
	if !ok {
		return false, false
	}
	x, _ = marksOf(x)
	if x.Type() != cty.Bool || x.IsNull() || !x.IsKnown() {
		l.errorf(place(attr.Expr.Range()), "Invalid value", "The argument \"condition\" is %s, not true or false: compare something, as in strlen(var.team) > 0.", kindOf(x))
		return false, false
	}
	l.values = append(l.values, valued{attr.Expr, x, l.agentName})
	return x.True(), true
}
