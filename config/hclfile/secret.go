package hclfile

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// secret keeps an expression for later. Its names and types are checked now, with
// the environment unknown, so that checking needs no key; its value is computed
// by Reveal. what begins the sentences about it: "The credential".
func (l *loader) secret(expr hcl.Expression, owner, what string) config.Secret {
	at := place(expr.Range())
	sc := everything()
	sc.unknown = true
	v, ok := l.eval(expr, sc, owner)
	if !ok {
		return config.Secret{}
	}
	plain, marks := marksOf(v)
	for _, m := range marks {
		// A value that comes through a local is a use of the environment here too.
		if name, env := strings.CutPrefix(m.source, "env."); env {
			l.starts = append(l.starts, config.Start{Kind: "env", Text: envStart(name, owner), At: at})
		}
	}
	switch {
	case plain.IsNull() && plain.IsKnown():
		return config.Secret{}
	case !isText(plain):
		l.errorf(at, "Invalid value", "%s is %s, not a text.", what, kindOf(plain))
		return config.Secret{}
	case plain.IsKnown() && plain.AsString() == "":
		l.errorf(at, "Invalid value", "%s is empty. Leave the argument out, or read it from the environment.", what)
		return config.Secret{}
	case plain.IsKnown() && len(marks) == 0:
		l.warnf(schema.RuleLiteralSecret, at, "Secret in the configuration",
			"%s is written into the configuration, where everyone who can read the file sees it. Read it from the environment: env.NAME.", what)
	}
	return config.NewSecret(at, func() (string, diag.List) { return l.reveal(expr, owner, what) })
}

// reveal computes a secret. It works on a copy of the loader, whose tables nobody
// changes any more, so that secrets can be revealed at the same time.
func (l *loader) reveal(expr hcl.Expression, owner, what string) (string, diag.List) {
	at := place(expr.Range())
	r := *l
	r.diags, r.starts, r.git, r.used, r.sizes = nil, nil, nil, map[string]bool{}, map[string]int{}
	r.functions = map[string]function.Function{}
	v, ok := r.eval(expr, everything(), owner)
	var errors diag.List
	for _, d := range r.diags {
		if d.Severity == diag.Error {
			errors = append(errors, d)
		}
	}
	if !ok {
		return "", errors
	}
	plain, _ := marksOf(v)
	problem := ""
	switch {
	case plain.IsNull() || plain.Type() != cty.String:
		problem = "is not a text"
	case plain.AsString() == "":
		problem = "is empty"
	case strings.ContainsFunc(plain.AsString(), func(r rune) bool { return r < 0x20 || r == 0x7f }):
		problem = "holds a line break or another control character"
	default:
		return plain.AsString(), nil
	}
	return "", diag.List{diag.Errorf(at, "Secret cannot be used", "%s %s.", what, problem)}
}
