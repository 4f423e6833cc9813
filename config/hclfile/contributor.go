package hclfile

import (
	"errors"
	"io/fs"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/prompt"
	"github.com/dsh-hcl/dsh/schema"
)

// contributor is a decoded contributor with what it adds to the agent's digest.
type contributor struct {
	config config.Contributor
	digest string // canonical JSON
	extra  object // what the kind adds to the digest
	usable bool   // every attribute has a value
}

// composition is where contributors are decoded for: a system or a prefix block.
type composition struct {
	scope    *scope
	prefix   string // what stands in front of addresses: "system.", or ""
	system   bool
	included map[string]diag.Range // groups that it includes so far, by name
}

// contributors decodes the contributors of a system or a prefix block in the
// order they are written, with those of the groups that it includes.
func (l *loader) contributors(b *body, in *composition) []*contributor {
	var out []*contributor
	for _, inner := range l.unique(b.blocks, b.address) {
		if inner.schema.Type == "include" {
			out = append(out, l.include(inner, in)...)
			continue
		}
		c := l.contributor(inner, in.scope)
		c.config.Address = in.prefix + string(c.config.Kind) + "." + inner.label
		c.digest = c.canonical()
		out = append(out, c)
	}
	return out
}

func (l *loader) contributor(b *body, sc *scope) *contributor {
	kind := config.Kind(b.schema.Type)
	c := l.common(b, kind, sc)
	switch kind {
	case config.KindText:
		l.text(b, sc, c)
	case config.KindFile:
		l.file(b, sc, c)
	case config.KindTemplate:
		l.template(b, sc, c)
	case config.KindMessages:
		l.messages(b, sc, c)
	case config.KindFiles:
		l.filesOf(b, sc, c)
	case config.KindInstructions:
		l.instructions(b, sc, c)
	case config.KindCommand:
		l.commandOf(b, sc, c)
	case config.KindSkills:
		l.skills(b, sc, c)
	}
	return c
}

// common decodes the attributes that all contributors have.
func (l *loader) common(b *body, kind config.Kind, sc *scope) *contributor {
	c := &contributor{usable: true}
	read := func(name string) setting {
		s := l.setting(b, name, sc)
		c.usable = c.usable && !s.bad
		return s
	}
	role := setting{v: cty.StringVal("user"), at: b.at}
	if _, ok := b.schema.Attribute("role"); ok {
		role = read("role")
	}
	c.config = config.Contributor{
		Kind:     kind,
		Name:     b.label,
		At:       b.at,
		Role:     role.text(),
		Envelope: read("envelope").text(),
		When:     read("when").truth(),
		OnError:  read("on_error").text(),
		OnChange: read("on_change").text(),
		MaxBytes: read("max_bytes").size(),
		Oversize: read("oversize").text(),
	}
	if _, perFile := b.attrs["max_file_bytes"]; c.config.Oversize.Set && !c.config.MaxBytes.Set && !perFile && c.usable {
		l.warnf(schema.RuleNoEffect, c.config.Oversize.At, "Argument without effect", "Without max_bytes nothing is oversized, so oversize changes nothing.")
	}
	return c
}

// active reports whether the contributor takes part, as far as is known; one
// that does not is not checked against files and budgets.
func (c *contributor) active() bool { return c.usable && c.config.When.V }

// attempt reads files for a contributor. With on_error = "skip" what is wrong with
// them is no problem of the configuration.
func (l *loader) attempt(c *contributor, read func()) {
	before := len(l.diags)
	read()
	if c.config.OnError.V == "skip" {
		l.diags = l.diags[:before]
	}
}

// errReported stands for what was reported already.
var errReported = errors.New("reported")

// promptFile reads a file of text that a model will see, without its byte order
// mark. at is where the configuration asks for it. An error other than
// fs.ErrNotExist was reported.
func (l *loader) promptFile(path string, at diag.Range) (string, error) {
	text, err := l.opts.Files.ReadFile(path, maxPrompt)
	if errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err != nil {
		l.unreadable(path, err, at, "file")
		return "", errReported
	}
	text, ok := l.promptText(l.opts.shown(path), path, text, at)
	if !ok {
		return "", errReported
	}
	return string(text), nil
}

// counted is the text of a file as limits count it.
func (c *contributor) counted(text string) string {
	if c.config.Newlines.V == "lf" {
		return unixNewlines(text)
	}
	return text
}

// inFile reports what is wrong in a file that the configuration uses at a place.
func (l *loader) inFile(p *prompt.Problem, at diag.Range) {
	if errors.Is(p.Err, errReported) {
		return
	}
	name := l.opts.shown(p.Path)
	d := diag.Errorf(at, p.Summary, "%s", p.Detail)
	if p.Text != "" {
		l.keepSource(name, []byte(p.Text))
		d.Subject = placeAt(name, []byte(p.Text), p.From, p.To)
		d.Related = []diag.Related{{Message: "the file is used", At: at}}
	}
	l.report(d)
}

// checkBudget reports content that is known now and already over its budget.
func (l *loader) checkBudget(c *contributor, content int, at diag.Range) {
	if limit := c.config.MaxBytes; limit.Set && content > limit.V && c.config.Oversize.V == "error" && c.config.OnError.V == "fail" {
		d := diag.Errorf(at, "Over budget", "The content has %d bytes, and max_bytes allows %d. Shorten it, raise the limit, or choose what to keep with oversize.", content, limit.V)
		d.Related = []diag.Related{{Message: "limited", At: limit.At}}
		l.report(d)
	}
}

// canonical is the contributor as the digest of its agent sees it. One that does
// not take part counts with its address only.
func (c *contributor) canonical() string {
	var o object
	o.text("address", c.config.Address)
	o.raw("when", canonical(cty.BoolVal(c.config.When.V)))
	if !c.config.When.V {
		return o.end()
	}
	o.text("role", c.config.Role.V)
	o.text("envelope", c.config.Envelope.V)
	o.text("on_error", c.config.OnError.V)
	o.text("on_change", c.config.OnChange.V)
	o.whole("max_bytes", c.config.MaxBytes.V)
	o.text("oversize", c.config.Oversize.V)
	o.text("newlines", c.config.Newlines.V)
	o.members(&c.extra)
	return o.end()
}
