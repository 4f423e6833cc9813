package hclfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// secretUse says what a secret is for. what begins the sentences about it: "The
// credential". credential says that a person would keep such a value to herself;
// optional, that null means that there is none.
type secretUse struct {
	owner      string
	what       string
	credential bool
	optional   bool
	variable   bool // of a process's environment, which holds any text, an empty one too
}

// wrong is what keeps a text from being used, "" when nothing does.
func (u secretUse) wrong(s string) string {
	switch {
	case !u.variable:
		return unsendable(s)
	case strings.ContainsRune(s, 0):
		return "holds a NUL character"
	}
	return ""
}

// unevaluated is an expression that was meant to be evaluated and stands in
// quotes; shellName is a variable as a shell writes it.
var (
	unevaluated = regexp.MustCompile(`^(?:env|var|local)\.[A-Za-z_][A-Za-z0-9_-]*$`)
	shellName   = regexp.MustCompile(`^\$[A-Za-z_][A-Za-z0-9_]*$`)
)

// secret keeps an expression for later. Its names and types are checked now, with
// the environment unknown, so that checking needs no key; its value is computed
// by Reveal.
func (l *loader) secret(expr hcl.Expression, use secretUse) config.Secret {
	at := place(expr.Range())
	sc := everything()
	sc.unknown = true
	v, ok := l.eval(expr, sc, use.owner)
	if !ok {
		return config.Secret{}
	}
	plain, marks := marksOf(v)
	for _, m := range marks {
		// A value that comes through a local is a use of the environment here too.
		if name, env := strings.CutPrefix(m.source, "env."); env {
			l.starts = append(l.starts, config.Start{Kind: "env", For: use.owner, Text: envStart(name, use.owner), At: at})
		}
	}
	switch {
	case plain.IsNull() && plain.IsKnown() && use.optional:
		return config.Secret{}
	case plain.IsNull() && plain.IsKnown():
		l.errorf(at, "Invalid value", "%s is null. Leave it out, or give it a value.", use.what)
		return config.Secret{}
	case !isText(plain):
		l.errorf(at, "Invalid value", "%s is %s, not a text.", use.what, kindOf(plain))
		return config.Secret{}
	case plain.IsKnown() && !l.usableSecret(plain.AsString(), len(marks) == 0 || len(expr.Variables()) == 0, expr, use):
		return config.Secret{}
	}
	s := config.NewComposed(at, func() (string, []string, diag.List) { return l.reveal(expr, use) })
	if len(marks) == 0 && !use.credential {
		return s.Open()
	}
	return s
}

// usableSecret checks a secret whose value is known before it is used. literal
// says that the value is written in the configuration.
func (l *loader) usableSecret(s string, literal bool, expr hcl.Expression, use secretUse) bool {
	at := place(expr.Range())
	problem := use.wrong(s)
	switch {
	case s == "" && !use.variable:
		l.errorf(at, "Invalid value", "%s is empty. Leave the argument out, or read it from the environment.", use.what)
		return false
	case problem != "":
		l.errorf(at, "Invalid value", "%s %s.", use.what, problem)
		return false
	case !literal:
		return true
	case unevaluated.MatchString(s):
		l.errorf(at, "Invalid value", "%s is the text %s, not the value of that name. Remove the quotes: %s.", use.what, quoted(s), s)
		return false
	case shellName.MatchString(s):
		l.errorf(at, "Invalid value", "%s is the name of a variable as a shell writes it. Write env.NAME, without quotes.", use.what)
		return false
	}
	if use.credential {
		l.credentials = append(l.credentials, s)
		if names := l.variablesRead(expr, map[string]bool{}); len(names) > 0 {
			l.openCredential(names, at, use)
			return true
		}
		// Whoever wrote it can see in the provider's account what is sent there.
		l.starts = append(l.starts, config.Start{Kind: "literal", For: use.owner, Text: "a credential written in the configuration for " + use.owner, At: at})
		l.warnf(schema.RuleLiteralSecret, at, "Secret in the configuration",
			"%s is written into the configuration, where everyone who can read the file sees it. Read it from the environment: env.NAME.", use.what)
	}
	return true
}

// openCredential warns of a credential that comes by variables which are not sensitive.
func (l *loader) openCredential(names []string, at diag.Range, use secretUse) {
	v := l.variables[names[0]]
	l.starts = append(l.starts, config.Start{Kind: "literal", For: use.owner, Text: "the credential in var." + v.name + " for " + use.owner, At: at})
	advice := fmt.Sprintf("Write sensitive = true in the block of the variable %q, so that it is neither shown nor put into a text.", v.name)
	if v.source == "" && v.from.File == v.at.File {
		advice = fmt.Sprintf("Everyone who can read the file sees its default: take that out, write sensitive = true, and set DSH_VAR_%s.", v.name)
	}
	d := diag.Warnf(schema.RuleLiteralSecret, at, "Secret in a variable that is not sensitive", "%s comes from var.%s. %s", use.what, v.name, advice)
	d.Related = []diag.Related{{Message: "declared", At: v.at}}
	l.report(d)
}

// variablesRead are the names of the variables that an expression reads, through locals
// too, in the order of their declaration. seen holds the locals that were followed.
func (l *loader) variablesRead(expr hcl.Expression, seen map[string]bool) []string {
	read := map[string]bool{}
	for _, t := range expr.Variables() {
		name, named := memberName(t)
		switch x := l.locals[name]; {
		case !named:
		case t.RootName() == "var" && l.variables[name] != nil:
			read[name] = true
		case t.RootName() == "local" && x != nil && !seen[name]:
			seen[name] = true
			for _, v := range l.variablesRead(x.attr.Expr, seen) {
				read[v] = true
			}
		}
	}
	var out []string
	for _, name := range l.names {
		if read[name] {
			out = append(out, name)
		}
	}
	return out
}

// unknownInSecret reports a name that does not exist without repeating it: it may
// be the secret itself, written without quotes.
func (l *loader) unknownInSecret(at diag.Range, summary string) {
	l.blot(at.File, at.Start.Byte, at.End.Byte)
	l.errorf(at, summary, "There is no such name. An environment variable is read as env.NAME, and a text is written in quotes.")
}

// unsendable is what keeps a text from being sent in a header, "" when nothing
// does.
func unsendable(s string) string {
	switch {
	case strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return "holds a line break or another control character; trimspace(...) removes it at both ends"
	case strings.TrimSpace(s) != s:
		return "begins or ends with a blank; trimspace(...) removes it"
	}
	return ""
}

// reveal computes a secret and the sensitive texts it is made of. It works on a
// copy of the loader, whose tables nobody changes any more, so that secrets can be
// revealed at the same time.
func (l *loader) reveal(expr hcl.Expression, use secretUse) (string, []string, diag.List) {
	at := place(expr.Range())
	r := *l
	r.late = true
	r.paying = nil
	r.diags, r.starts, r.git, r.used, r.sizes = nil, nil, nil, map[string]bool{}, map[string]int{}
	r.parts = slices.Clip(l.parts)
	r.functions = map[string]function.Function{partText: r.textFunction()}
	v, ok := r.eval(expr, everything(), use.owner)
	var errors diag.List
	for _, d := range r.diags {
		if d.Severity == diag.Error {
			errors = append(errors, d)
		}
	}
	if !ok {
		return "", nil, errors
	}
	plain, marks := marksOf(v)
	problem := ""
	switch {
	case plain.IsNull() && use.optional:
		return "", nil, nil
	case plain.IsNull():
		problem = "is null. Leave it out, or give it a value"
	case plain.Type() != cty.String:
		problem = "is not a text"
	case plain.AsString() == "" && !use.variable:
		problem = "is empty"
	default:
		if problem = use.wrong(plain.AsString()); problem == "" {
			return plain.AsString(), r.partsOf(marks, plain.AsString()), nil
		}
	}
	return "", nil, diag.List{diag.Errorf(at, "Secret cannot be used", "%s %s.", use.what, problem)}
}
