package hclfile

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// variable is a declared input. value is NilVal when there is none, which was
// reported.
type variable struct {
	name      string
	at        diag.Range
	kind      cty.Type
	sensitive bool
	value     cty.Value
	source    string // what outside of files gives the value, "" for a place in a file
	from      diag.Range
}

func (l *loader) declareVariables(root *body) {
	home := cty.NullVal(cty.String)
	if isPlain(l.opts.Home) && l.opts.Home != "" {
		home = cty.StringVal(l.opts.Home)
	}
	l.paths = cty.ObjectVal(map[string]cty.Value{
		"config": cty.StringVal(l.dir), "workspace": cty.StringVal(l.workspace), "home": home,
	})
	bodies := l.unique(root.of("variable"), "")
	for _, b := range bodies {
		l.names = append(l.names, b.label)
	}
	for _, b := range bodies {
		v := l.declare(b)
		l.variables[v.name] = v
	}
}

func (l *loader) declare(b *body) *variable {
	v := &variable{name: b.label, at: b.at, kind: cty.DynamicPseudoType}
	sc := constants("a variable block")
	l.setting(b, "description", sc)
	sensitive := l.setting(b, "sensitive", sc)
	v.sensitive = sensitive.bad || sensitive.v.True()
	nullable := l.setting(b, "nullable", sc)
	usable := !sensitive.bad && !nullable.bad

	var defaults *typeexpr.Defaults
	if attr, ok := b.attrs["type"]; ok {
		kind, d, diags := typeexpr.TypeConstraintWithDefaults(attr.Expr)
		l.typeProblems(diags)
		if diags.HasErrors() {
			usable = false
		} else {
			v.kind, defaults = kind, d
		}
	}
	var fallback cty.Value
	from := v.at
	if attr, ok := b.attrs["default"]; ok {
		from = place(attr.Expr.Range())
		fallback, ok = l.constant(v, attr.Expr, sc, defaults, "default", usable)
		usable = usable && ok
	}
	input, given, ok := l.input(b, v, defaults, usable)
	other := ""
	if !given {
		other = l.otherCase(v.name)
	}
	if !usable || !ok {
		return v
	}
	switch {
	case given && (!input.IsNull() || !nullable.bad && nullable.v.True()):
		v.value = input
		from = v.at
		v.source = l.given[v.name].source
		switch g, outside := l.given[v.name]; {
		case g.expr != nil:
			from = place(g.expr.Range())
		case !outside:
			v.source = "DSH_VAR_" + v.name
		}
	case fallback != cty.NilVal && fallback.IsNull() && !nullable.v.True():
		l.errorf(place(b.attrs["default"].Expr.Range()), "Invalid value", "The default of %q is null, and the variable is not nullable.", v.name)
		return v
	case fallback != cty.NilVal:
		v.value = fallback
		if other != "" {
			set := "Set DSH_VAR_" + v.name + "."
			if !variableName.MatchString(v.name) {
				set = "Give it a value" + waysToSet(v)
			}
			l.warnf(schema.RuleVariableCase, v.at, "Environment variable without effect", "%s is set, and the variable is written %q. %s", other, v.name, set)
		}
	case given:
		l.errorf(v.at, "Variable without value", "%s gives the variable %q null, which it does not allow, and it has no default.", l.sourceOf(v), v.name)
		return v
	default:
		if other != "" {
			other = " " + other + " is set, and its letters differ."
		}
		l.errorf(v.at, "Variable without value", "The variable %q has no default. Give it a value%s%s", v.name, waysToSet(v), other)
		return v
	}
	if v.sensitive {
		m := mark{source: "var." + v.name, at: v.at}
		l.keepPart(v.value, []mark{m})
		v.value = v.value.Mark(m)
	}
	v.from = from
	l.validate(b, v)
	return v
}

// sourceOf is what gives a variable its value: --var x, DSH_VAR_x or the file.
func (l *loader) sourceOf(v *variable) string {
	g, outside := l.given[v.name]
	switch {
	case g.expr != nil:
		return g.expr.Range().Filename
	case outside:
		return g.source
	}
	return "DSH_VAR_" + v.name
}

// constant evaluates a value that stands in a default or in a variable file, and
// checks it when the type of the variable is known.
func (l *loader) constant(v *variable, expr hcl.Expression, sc *scope, defaults *typeexpr.Defaults, what string, typed bool) (x cty.Value, ok bool) {
	l.hushed(v.sensitive, func() { x, ok = l.eval(expr, sc, "var."+v.name) })
	if !ok || !typed {
		return cty.NilVal, ok
	}
	if x, ok = l.inputValue(v, x, defaults, place(expr.Range()), what); ok {
		l.values = append(l.values, valued{expr, x, l.agentName})
	}
	return x, ok
}

// otherCase is the environment variable that was probably meant to give a variable
// its value, "" when there is none: one whose letters differ in case, or that has _
// where no shell exports a dash. Where the environment cannot be listed, only the
// spellings that people use are looked up.
func (l *loader) otherCase(name string) string {
	meant := func(other string) bool {
		return other != name && !slices.Contains(l.names, other) && strings.EqualFold(strings.ReplaceAll(other, "-", "_"), strings.ReplaceAll(name, "-", "_"))
	}
	tries := []string{strings.ToUpper(name), strings.ToLower(name), strings.ReplaceAll(name, "-", "_")}
	if l.opts.EnvNames != nil {
		all := slices.Clone(l.opts.EnvNames())
		slices.Sort(all)
		for _, full := range all {
			if other, ours := strings.CutPrefix(full, "DSH_VAR_"); ours && isPlain(other) {
				tries = append(tries, other)
			}
		}
	}
	for _, other := range tries {
		if _, set := l.opts.env("DSH_VAR_" + other); set && meant(other) {
			return "DSH_VAR_" + other
		}
	}
	return ""
}

// waysToSet says how a variable gets a value. No shell exports a name with a dash.
func waysToSet(v *variable) string {
	flag := " with --var " + v.name + "=VALUE"
	switch exported := variableName.MatchString(v.name); {
	case exported && v.sensitive:
		return " by setting DSH_VAR_" + v.name + "."
	case exported:
		return flag + " or by setting DSH_VAR_" + v.name + "."
	case v.sensitive:
		return " in a variable file, with --var-file; no shell can export a name with a dash."
	}
	return flag + " or in a variable file, with --var-file; no shell can export a name with a dash."
}

// input is the value that was given from outside, not yet marked as sensitive.
// given is false when there is none; ok is false when it cannot be used. typed says
// that the type of the variable is known.
func (l *loader) input(b *body, v *variable, defaults *typeexpr.Defaults, typed bool) (x cty.Value, given, ok bool) {
	for _, in := range l.opts.Inputs {
		if in.File == "" && in.Name == v.name && v.sensitive {
			l.errorf(v.at, "Sensitive variable in --var", "The variable %q is sensitive, and a list of processes shows what --var gives. Set DSH_VAR_%s instead, or name a variable file with --var-file.", v.name, v.name)
			return cty.NilVal, true, false
		}
	}
	g, given := l.given[v.name]
	if g.expr != nil {
		x, ok = l.constant(v, g.expr, constants("a variable file"), defaults, "value", typed)
		return x, true, ok
	}
	source, text := g.source, g.text
	if !given {
		source = "DSH_VAR_" + v.name
		if text, given = l.opts.env(source); !given {
			return cty.NilVal, false, true
		}
	}
	if !utf8.ValidString(text) {
		l.errorf(v.at, "Not UTF-8", "The value of %s is not UTF-8 text.", source)
		return cty.NilVal, true, false
	}
	if _, typed := b.attrs["type"]; v.kind == cty.String || !typed {
		return cty.StringVal(text), true, true
	}
	// The text of a sensitive input is kept out of sources and messages.
	if !v.sensitive {
		l.sources[source] = []byte(text)
	}
	at := diag.Range{File: source, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1 + len(text), Byte: len(text)}}
	refuse := func(problem string) (cty.Value, bool, bool) {
		if v.sensitive {
			l.errorf(v.at, "Invalid input", "The value of %s is not %s.", source, typeexpr.TypeString(v.kind))
		} else {
			l.errorf(at, "Invalid input", "The value of %s is not %s: %s", source, typeexpr.TypeString(v.kind), sentence(problem))
		}
		return cty.NilVal, true, false
	}
	_, deep := tooDeep([]byte(text), source, hcl.InitialPos)
	_, long := tooManyLines([]byte(text), source, hcl.InitialPos, hclsyntax.LexConfig)
	if deep || long || len(text) > maxConfig {
		return refuse("it is nested too deeply or too long")
	}
	if strings.TrimSpace(text) == "" {
		return refuse("it is empty")
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), source, hcl.InitialPos)
	if diags.HasErrors() {
		return refuse("it cannot be read. " + diags[0].Detail)
	}
	twice := false
	if !diags.HasErrors() {
		hclsyntax.VisitAll(expr.(hclsyntax.Node), func(n hclsyntax.Node) hcl.Diagnostics {
			switch n := n.(type) {
			case *hclsyntax.ForExpr:
				count(n)
			case *hclsyntax.ObjectConsExpr:
				names := map[string]bool{}
				for _, item := range n.Items {
					name, constant := writtenKey(item.KeyExpr)
					twice = twice || constant && names[name]
					names[name] = true
				}
			}
			return nil
		})
		x, diags = value(expr, nil, 0)
	}
	if twice {
		return refuse("an object in it has a name twice")
	}
	if !diags.HasErrors() && absurd(x) {
		return refuse(errAbsurd.Error())
	}
	if !diags.HasErrors() && holdsInfinite(x) {
		return refuse("it holds a number that is infinite")
	}
	if diags.HasErrors() {
		return refuse("write a constant of that type")
	}
	x, problem := conform(x, v.kind, defaults)
	if problem != "" {
		return refuse(problem)
	}
	return x, true, true
}

// inputValue checks a value against the type of its variable.
func (l *loader) inputValue(v *variable, x cty.Value, defaults *typeexpr.Defaults, at diag.Range, what string) (cty.Value, bool) {
	plain, marks := marksOf(x)
	plain, problem := conform(plain, v.kind, defaults)
	if problem != "" {
		if len(marks) > 0 || v.sensitive {
			problem = "it has another type"
		}
		l.errorf(at, "Invalid value", "The %s of %q is not %s: %s", what, v.name, typeexpr.TypeString(v.kind), sentence(problem))
		return cty.NilVal, false
	}
	return withMarks(plain, marks), true
}

// conform converts a value to a type where only the kind of collection differs: a
// list that is written out to list(string), say. A text never becomes a number or
// the reverse.
func conform(v cty.Value, want cty.Type, defaults *typeexpr.Defaults) (cty.Value, string) {
	if defaults != nil && !v.IsNull() {
		v = defaults.Apply(v)
	}
	if problem := mismatch(v, want); problem != "" {
		return v, problem
	}
	if v.Type().IsTupleType() && typeWork(v.Type()) > maxWork/8 {
		return v, "it is too long a list"
	}
	out, err := convert.Convert(v, want)
	if err != nil {
		return v, err.Error()
	}
	return out, ""
}

// mismatch finds a primitive value of another type than is wanted at its place.
func mismatch(v cty.Value, want cty.Type) string {
	have := v.Type()
	if v.IsNull() || !v.IsKnown() || want == cty.DynamicPseudoType {
		return ""
	}
	if want.IsPrimitiveType() && have != want {
		return "it holds " + kindOf(v) + " where " + typeexpr.TypeString(want) + " is wanted"
	}
	switch {
	case want.IsCollectionType() && v.CanIterateElements():
		for it := v.ElementIterator(); it.Next(); {
			if _, e := it.Element(); true {
				if p := mismatch(e, want.ElementType()); p != "" {
					return p
				}
			}
		}
	case want.IsTupleType() && have.IsTupleType() && have.Length() == want.Length():
		for i, t := range want.TupleElementTypes() {
			if p := mismatch(v.Index(cty.NumberIntVal(int64(i))), t); p != "" {
				return p
			}
		}
	case want.IsObjectType() && have.IsObjectType():
		types := want.AttributeTypes()
		for _, name := range slices.Sorted(maps.Keys(types)) {
			if have.HasAttribute(name) {
				if p := mismatch(v.GetAttr(name), types[name]); p != "" {
					return p
				}
			}
		}
		for _, name := range attributeNames(have) {
			if !want.HasAttribute(name) {
				return "it has no attribute " + quoted(name) + " in its type"
			}
		}
	}
	return ""
}

// attributeNames are the attributes of an object type, sorted.
func attributeNames(t cty.Type) []string { return slices.Sorted(maps.Keys(t.AttributeTypes())) }

// checkInputs reports --var names that no variable has, and those of the environment
// that were probably meant to be one.
func (l *loader) checkInputs() {
	l.checkEnvironment()
	seen := map[string]bool{}
	for _, in := range l.opts.Inputs {
		_, declared := l.variables[in.Name]
		if in.File != "" || in.IfDeclared || declared || seen[in.Name] {
			continue
		}
		seen[in.Name] = true
		if !utf8.ValidString(in.Name) {
			l.errorf(diag.Range{}, "Not UTF-8", "The name of a --var is not UTF-8 text.")
		} else {
			l.errorf(diag.Range{}, "Unknown variable", "--var gives %q, which the configuration does not declare.%s", in.Name, suggestOrList(in.Name, "variables", l.names))
		}
	}
}

// checkEnvironment warns about variables DSH_VAR_x whose name is nearly that of a
// declared one. Others may be meant for another configuration.
func (l *loader) checkEnvironment() {
	if l.opts.EnvNames == nil {
		return
	}
	names := slices.Clone(l.opts.EnvNames())
	slices.Sort(names)
	for _, full := range names {
		name, ours := strings.CutPrefix(full, "DSH_VAR_")
		if !ours || l.variables[name] != nil || !isPlain(name) {
			continue
		}
		meant := nearest(name, l.names)
		if meant == "" || l.otherCase(meant) == full { // that was told where the variable is declared
			continue
		}
		if !variableName.MatchString(meant) {
			l.warnf(schema.RuleVariableCase, l.variables[meant].at, "Environment variable without effect",
				"%s is set, and no variable %q is declared. If %s was meant, give it a value%s", full, name, meant, waysToSet(l.variables[meant]))
			continue
		}
		l.warnf(schema.RuleVariableCase, l.variables[meant].at, "Environment variable without effect",
			"%s is set, and no variable %q is declared. Did you mean DSH_VAR_%s?", full, name, meant)
	}
}
