package hclfile

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// template decodes a template contributor. Everything that the template reads is
// known now, so it is rendered now, and a mistake in it is reported by the check.
func (l *loader) template(b *body, sc *scope, c *contributor) {
	vars := l.setting(b, "vars", sc)
	if vars.v == cty.NilVal {
		vars.v = cty.EmptyObjectVal
	}
	c.usable = c.usable && !vars.bad
	objects := map[string]cty.Value{"vars": vars.v}
	if vars.bad {
		objects["vars"] = cty.DynamicVal
	}
	if _, inline := b.attrs["content"]; inline {
		l.inlineTemplate(b, sc.with(objects), c)
		return
	}
	path := l.setting(b, "path", sc)
	c.usable = c.usable && path.set
	if !path.set {
		return
	}
	c.config.Path = path.text()
	c.config.Path.V = l.resolve(path.v.AsString(), path.at.File)
	c.config.Origin = l.origin(c.config.Path.V)
	if !c.active() {
		return
	}
	text, ok := l.read(c.config.Path.V, maxConfig, path.at, "template")
	if !ok {
		return
	}
	name := l.opts.shown(c.config.Path.V)
	before := len(l.diags)
	defer func() {
		for i := before; i < len(l.diags); i++ {
			if d := &l.diags[i]; d.Subject.File == name && len(d.Related) == 0 {
				d.Related = []diag.Related{{Message: "the file is used", At: path.at}}
			}
		}
	}()
	expr, ok := l.parseTemplate(name, c.config.Path.V, text, path.at)
	if !ok {
		return
	}
	inner := (&scope{what: templateFile, workspace: true, noFile: true}).with(objects)
	for _, n := range []string{"agent", "model"} {
		inner.objects[n] = sc.objects[n]
	}
	l.unusedVars(b, expr)
	l.render(expr, inner, c, b.address)
	sum := sha256.Sum256(text)
	c.extra.text("path", c.config.Origin)
	c.extra.text("sha256", hex.EncodeToString(sum[:]))
	c.extra.raw("vars", canonical(vars.v))
}

// inlineTemplate is a template whose text stands in the configuration; it sees
// vars besides everything else.
func (l *loader) inlineTemplate(b *body, sc *scope, c *contributor) {
	attr := b.attrs["content"]
	c.config.Origin = l.inlineOrigin(place(attr.Expr.Range()))
	l.unusedVars(b, attr.Expr)
	content := l.setting(b, "content", sc)
	c.usable = c.usable && !content.bad
	if !content.set {
		return
	}
	text := unixNewlines(content.v.AsString())
	c.config.Content = content.text()
	c.config.Content.V = text
	c.config.Template = config.Template{Render: func() (string, diag.List) { return text, nil }}
	c.extra.text("content", text)
	if c.active() {
		l.checkBudget(c, len(text), content.at)
	}
}

// parseTemplate reads the text of a template file.
func (l *loader) parseTemplate(name, path string, text []byte, at diag.Range) (hclsyntax.Expression, bool) {
	l.keepSource(name, text)
	start := hcl.InitialPos
	plain, ok := l.promptText(name, path, text, at)
	if !ok {
		return nil, false
	}
	start.Byte = len(text) - len(plain)
	if r, deep := templateTooDeep(plain, name, start); deep {
		l.errorf(place(r), "Nested too deeply", "A template may be nested %d levels deep.", maxDepth)
		return nil, false
	}
	if r, long := tooManyLines(plain, name, start, hclsyntax.LexTemplate); long {
		l.errorf(place(r), "Text too long", "A template has at most %d lines between two parts that are evaluated. Put the text into a file of its own, and use a file contributor.", maxLines)
		return nil, false
	}
	expr, diags := hclsyntax.ParseTemplate(plain, name, start)
	if diags.HasErrors() {
		l.templateSyntax(plain, name, start, diags)
		return nil, false
	}
	prepare(expr)
	return expr, true
}

// templateSyntax reports what is wrong in the text of a template file: what has no
// end where it begins, since the parser says it where the text ends.
func (l *loader) templateSyntax(text []byte, name string, start hcl.Pos, diags hcl.Diagnostics) {
	tokens, _ := hclsyntax.LexTemplate(text, name, start)
	problem, _, found := unclosed(tokens)
	if !found && diags[0].Summary == "Unexpected end of template" {
		problem, found = openDirective(tokens)
	}
	if found {
		l.report(problem)
		return
	}
	l.syntax(diags, nil)
}

// render evaluates a template file. The result is kept, since it cannot change.
func (l *loader) render(expr hclsyntax.Expression, sc *scope, c *contributor, owner string) {
	v, ok := l.eval(expr, sc, owner)
	if !ok || !v.IsWhollyKnown() {
		return
	}
	at := place(expr.Range())
	v, marks := marksOf(v)
	if len(marks) > 0 {
		l.sinkError(at, owner, marks)
		return
	}
	result, err := textOfValue(v)
	if err != nil || v.IsNull() {
		l.errorf(at, "Template is no text", "The template yields %s; it must yield a text.", kindOf(v))
		return
	}
	text := unixNewlines(result.AsString())
	if strings.ContainsRune(text, 0) {
		l.errorf(at, "NUL character", "The template yields a NUL character, which a text for a model does not hold. Remove it from its vars.")
		return
	}
	c.config.Template = config.Template{Render: func() (string, diag.List) { return text, nil }}
	l.checkBudget(c, len(text), c.config.Path.At)
}

// unusedVars warns about vars that a template does not read.
func (l *loader) unusedVars(b *body, template hcl.Expression) {
	attr, ok := b.attrs["vars"]
	if !ok {
		return
	}
	given, ok := pairs(attr.Expr)
	if !ok {
		return
	}
	read := map[string]bool{}
	for _, t := range template.Variables() {
		if t.RootName() != "vars" {
			continue
		}
		name, named := memberName(t)
		if !named {
			return // all of them
		}
		read[name] = true
	}
	for _, v := range given {
		if !read[v.name] {
			l.warnf(schema.RuleUnused, v.key, "Never used", "The template does not read vars.%s.", v.name)
		}
	}
}
