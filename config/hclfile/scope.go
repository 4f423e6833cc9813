package hclfile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
)

// scope says what an expression may read.
type scope struct {
	what      string               // whose expression it is, for messages: "a template"
	globals   bool                 // var, local, path, env
	workspace bool                 // workspace
	objects   map[string]cty.Value // what this place adds: agent, model, vars
	noFile    bool                 // file() is not there
	unknown   bool                 // env and file() are not read: only types are checked
}

// everything is the scope of ordinary expressions.
func everything() *scope { return &scope{globals: true, workspace: true} }

// constants is the scope of what must not depend on anything.
func constants(what string) *scope { return &scope{what: what, noFile: true} }

// with adds objects to a scope.
func (s *scope) with(objects map[string]cty.Value) *scope {
	out := *s
	out.objects = map[string]cty.Value{}
	for name, v := range s.objects {
		out.objects[name] = v
	}
	for name, v := range objects {
		out.objects[name] = v
	}
	return &out
}

// roots are the names a scope begins with, sorted.
func (s *scope) roots() []string {
	var out []string
	if s.globals {
		out = append(out, "env", "local", "path", "var")
	}
	if s.workspace {
		out = append(out, "workspace")
	}
	for name := range s.objects {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// inputs is what one expression reads: its context, the marks of all sensitive
// values it uses, and whether a value it needs could not be had, which was
// reported. Such a value is unknown, so that evaluating still finds the other
// mistakes.
type inputs struct {
	context    *hcl.EvalContext
	traversals []hcl.Traversal
	marks      []mark
	failed     bool
	size       int // bytes of text in the values, each counted as often as it is read
}

// maxInputs bounds the bytes that an expression reads, so that a few locals that
// repeat each other do not fill the memory.
const maxInputs = maxOutput

// gather resolves the names that an expression reads. It reports names that do
// not exist, whatever the expression would do with them. When it returns false,
// evaluating the expression would take too much.
func (l *loader) gather(expr hcl.Expression, sc *scope, owner string) (inputs, bool) {
	in := inputs{traversals: expr.Variables()}
	variables := map[string]cty.Value{}
	members := map[string]map[string]cty.Value{}
	lost := map[string]bool{} // roots without a value
	for _, t := range in.traversals {
		root := t.RootName()
		if v, found := sc.objects[root]; found {
			variables[root] = v
			if v.ContainsMarked() {
				_, marks := marksOf(v)
				in.marks = append(in.marks, marks...)
			}
			continue
		}
		if !slices.Contains(sc.roots(), root) {
			l.unknownRoot(t, sc, expr)
			lost[root] = true
			continue
		}
		switch root {
		case "path":
			variables[root] = l.paths
			if name, named := memberName(t); (!named || name == "home") && !isPlain(l.opts.Home) {
				l.errorf(place(t.SourceRange()), "Folder name cannot be used", "The path of the home folder is not plain text: it %s.", unusableName(l.opts.Home))
				in.failed = true
			}
			continue
		case "workspace":
			variables[root] = l.workspaceObject(t)
			continue
		}
		if members[root] == nil {
			members[root] = map[string]cty.Value{}
		}
		name, named := memberName(t)
		if !named {
			l.errorf(place(t.SourceRange()), "Name missing", "Write the name after %s: %s.NAME.", root, root)
			lost[root] = true
			continue
		}
		v, found, reported := l.member(root, name, t, sc, owner)
		switch {
		case reported || found && v == cty.NilVal:
			in.failed = true
			members[root][name] = cty.DynamicVal
		case found:
			if _, again := members[root][name]; !again || root == "env" { // each use of env has a place
				members[root][name] = v
				in.marks = append(in.marks, l.marksIn(root, name, v)...)
			}
			in.size += l.sizeOf(root, name)
		}
	}
	if in.size > maxInputs {
		l.errorf(place(expr.Range()), "Expression too large", "The values that this expression uses have more than %d MiB together.", maxInputs>>20)
		return in, false
	}
	for root, values := range members {
		variables[root] = cty.ObjectVal(values)
	}
	for root := range lost {
		variables[root] = cty.DynamicVal
		in.failed = true
	}
	in.context = &hcl.EvalContext{Variables: variables, Functions: l.functions}
	calls, ok := l.calls(expr, sc)
	if calls != nil {
		in.context = in.context.NewChild()
		in.context.Functions = calls.functions
		in.marks = append(in.marks, calls.marks...)
		in.failed = in.failed || calls.failed
	}
	return in, ok
}

// member returns var.NAME, local.NAME or env.NAME. A value of NilVal could not be
// had, for a reason that was reported; reported says that the name itself is
// wrong. An environment variable that is not set is not found.
func (l *loader) member(root, name string, t hcl.Traversal, sc *scope, owner string) (v cty.Value, found, reported bool) {
	at := place(t.SourceRange())
	switch root {
	case "var":
		x, ok := l.variables[name]
		if !ok {
			l.errorf(at, "Unknown variable", "No variable %q is declared.%s", name, suggestOrList(name, "variables", l.names))
			return cty.NilVal, false, true
		}
		l.used["var."+name] = true
		return x.value, true, false
	case "local":
		x, ok := l.locals[name]
		if !ok {
			l.errorf(at, "Unknown local", "No local %q is defined.%s", name, suggestOrList(name, "locals", l.localList))
			return cty.NilVal, false, true
		}
		l.used["local."+name] = true
		return l.localValue(x), true, false
	}
	if !variableName.MatchString(name) {
		const rule = "The name of an environment variable has only letters, digits and _, and no digit in front."
		if sc.unknown { // it may be the secret itself
			l.blot(at.File, at.Start.Byte, at.End.Byte)
		}
		l.errorf(at, "Invalid variable name", "%s", rule)
		return cty.NilVal, false, true
	}
	l.starts = append(l.starts, config.Start{Kind: "env", For: owner, Text: envStart(name, owner), At: at})
	m := mark{source: "env." + name, at: at}
	if sc.unknown {
		return cty.UnknownVal(cty.String).Mark(m), true, false
	}
	if s, ok := l.opts.env(name); ok {
		if !utf8.ValidString(s) {
			l.errorf(at, "Not UTF-8", "The value of the environment variable %s is not UTF-8 text.", name)
			return cty.NilVal, true, false
		}
		v = cty.StringVal(s)
		l.keepPart(v, []mark{m})
		return v.Mark(m), true, false
	}
	return cty.NilVal, false, false
}

// marksIn are the marks of the value of a variable, a local or the environment. Those
// of a variable or local are looked for once, since that walks all of it.
func (l *loader) marksIn(root, name string, v cty.Value) []mark {
	if root == "env" {
		_, marks := marksOf(v)
		return marks
	}
	key := root + "." + name
	marks, known := l.marked[key]
	if !known {
		_, marks = marksOf(v)
		l.marked[key] = marks
	}
	return marks
}

// sizeOf is the number of bytes of text in a variable or local.
func (l *loader) sizeOf(root, name string) int {
	key := root + "." + name
	n, known := l.sizes[key]
	if !known {
		switch root {
		case "var":
			n = textBytes(l.variables[name].value)
		case "local":
			n = textBytes(l.locals[name].value)
		}
		l.sizes[key] = n
	}
	return n
}

func textBytes(v cty.Value) int {
	v, _ = v.Unmark()
	switch {
	case v.IsNull() || !v.IsKnown():
		return 0
	case v.Type() == cty.String:
		return len(v.AsString())
	case !v.CanIterateElements():
		return 8
	}
	n := 8
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		n += textBytes(e)
	}
	return n
}

// envStart is how a use of the environment is shown to the person who trusts it.
// It names the user of the value, so that a key which moves to another provider is
// asked about again.
func envStart(name, owner string) string { return "env." + name + " for " + owner }

// memberName is the name after the root of a traversal.
func memberName(t hcl.Traversal) (string, bool) {
	if len(t) < 2 {
		return "", false
	}
	switch step := t[1].(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

// lastName is the last name of a traversal that is made of names.
func lastName(t hcl.Traversal) string {
	if attr, ok := t[len(t)-1].(hcl.TraverseAttr); ok {
		return attr.Name
	}
	return t.RootName()
}

// templateFile is whose expression it is in a template file.
const templateFile = "a template file"

// unknownRoot reports a name that a scope does not begin with. expr is the
// expression that reads it.
func (l *loader) unknownRoot(t hcl.Traversal, sc *scope, expr hcl.Expression) {
	root := t.RootName()
	at := place(t.SourceRange())
	roots := sc.roots()
	var detail string
	switch {
	case len(roots) == 0:
		detail = fmt.Sprintf("There are no names in %s; only constants and functions.", sc.what)
	case (root == "model" || root == "provider" || root == "hook" || root == "tool" || root == "builtin" || root == "prefix") && sc.globals:
		detail = fmt.Sprintf("The address of a %s can only stand alone, as the value of an argument that asks for one.", strings.Replace(root, "builtin", "builtin tool", 1))
	case sc.unknown && nearest(root, roots) == "":
		l.unknownInSecret(at, "Unknown name")
		return
	case root == "agent" && sc.globals:
		detail = "The names agent and model exist in contributors only."
	case sc.what == templateFile && slices.Contains([]string{"var", "local", "path"}, root) && written(t) != "":
		detail = fmt.Sprintf("There is no %q in %s. Hand the value over in the block: vars = { %s = %s }, and write vars.%s here.", root, sc.what, lastName(t), written(t), lastName(t))
	case sc.what != "":
		detail = fmt.Sprintf("There is no %q in %s.%s", root, sc.what, suggestOrList(root, "names", roots))
	default:
		detail = fmt.Sprintf("There is no %q.%s", root, suggestOrList(root, "names", roots))
	}
	if _, alone := expr.(*hclsyntax.ScopeTraversalExpr); alone && nearest(root, roots) == "" {
		detail += " A text is written in quotes."
	}
	l.errorf(at, "Unknown name", "%s%s", detail, l.literalAdvice(t.SourceRange()))
}
