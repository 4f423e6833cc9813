package hclfile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

func (l *loader) toolBlocks(root *body, cfg *config.Config) {
	for _, b := range l.unique(root.of("tool"), "") {
		cfg.Tools = append(cfg.Tools, l.tool(b))
	}
}

func (l *loader) tool(b *body) config.Tool {
	sc := everything()
	t := config.Tool{
		Name:        b.label,
		At:          b.at,
		Description: l.setting(b, "description", sc).text(),
		Command:     l.command(b, sc),
		Input:       l.toolInput(b, sc),
		Timeout:     attribute(l.setting(b, "timeout", sc), durationOf),
		MaxOutput:   l.setting(b, "max_output", sc).size(),
		Env:         l.environment(b),
	}
	if !toolName.MatchString(t.Name) {
		l.errorf(b.at, "Invalid name", "The name of a tool is what the model calls it by: at most 64 letters of a to z, digits, _ and -.")
	}
	return t
}

// toolName is what every provider takes as the name of a tool.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// tools reads the tools that an agent lists. What is wrong with an element was
// reported, and the element is left out.
func (l *loader) tools(b *body, cfg *config.Config) []config.ToolRef {
	a, _ := b.schema.Attribute("tools")
	attr, written := b.attrs["tools"]
	if !written {
		return nil
	}
	var declared []string
	for _, t := range cfg.Tools {
		declared = append(declared, t.Name)
	}
	const want = "lists tools: [builtin.read, tool.NAME]."
	elements, diags := hcl.ExprList(attr.Expr)
	if diags.HasErrors() {
		if v, ds := value(attr.Expr, nil, 0); !ds.HasErrors() && v.IsNull() {
			return nil
		}
		l.errorf(place(attr.Expr.Range()), "References required", "The argument \"tools\" %s", want)
		return nil
	}
	var out []config.ToolRef
	for _, e := range elements {
		t, ok := l.toolReference(e, a, want, declared)
		if !ok {
			continue
		}
		if i := slices.IndexFunc(out, func(o config.ToolRef) bool { return o.Name == t.Name }); i >= 0 {
			detail := "lists %s twice. Remove one of them."
			if out[i].Kind != t.Kind {
				detail = "lists two tools that the model would call %s. Remove one of them, or rename the block."
			}
			d := diag.Errorf(t.At, "Listed twice", "The argument \"tools\" "+detail, t.Name)
			d.Related = []diag.Related{{Message: "first listed", At: out[i].At}}
			l.report(d)
			continue
		}
		out = append(out, t)
	}
	return out
}

// toolStarts records which tools of an agent start or change something, with the rules
// for them: a rule that lets more through is something else to trust. What a tool block
// starts was recorded with the block.
func (l *loader) toolStarts(b *body, a *config.Agent) {
	for _, t := range a.Tools {
		rules := ""
		if p := a.Permissions; p != nil {
			for _, list := range []struct {
				name  string
				rules []config.Rule
			}{{"allow", p.Allow}, {"ask", p.Ask}, {"deny", p.Deny}} {
				for _, r := range list.rules {
					if r.Tool == t.Name {
						rules += ", " + list.name + " " + quoted(r.String())
					}
				}
			}
		}
		if t.Kind == "builtin" && !harmless(t.Name) || t.Kind == "tool" && rules != "" {
			l.starts = append(l.starts, config.Start{Kind: "tool", For: b.address, Text: t.Kind + "." + t.Name + " for " + b.address + rules, At: t.At})
		}
	}
}

// harmless reports a builtin tool that changes nothing and reaches nothing outside
// the workspace, so that it needs no trust.
func harmless(name string) bool {
	return slices.Contains([]string{"read", "list", "glob", "grep", "todo"}, name)
}

// toolReference is the tool that an expression names.
func (l *loader) toolReference(e hcl.Expression, a *schema.Attribute, want string, declared []string) (config.ToolRef, bool) {
	p := a.Provided
	at := place(e.Range())
	t, diags := hcl.AbsTraversalForExpr(e)
	switch name, named := memberName(t); {
	case diags.HasErrors():
		if guess := plainText(e); guess != "" {
			if n := nearest(strings.TrimPrefix(guess, p.Root+"."), p.Names); n != "" {
				l.errorf(at, "Reference required", "The argument %q %s A reference is written without quotes: %s.%s.", a.Name, want, p.Root, n)
				return config.ToolRef{}, false
			}
		}
	case t.RootName() == p.Root && named && len(t) == 2 && written(t) != "":
		if !slices.Contains(p.Names, name) {
			l.errorf(at, "Reference to nothing", "There is no builtin tool %q.%s", name, suggestOrList(name, "builtin tools", p.Names))
			return config.ToolRef{}, false
		}
		return config.ToolRef{Kind: p.Root, Name: name, At: at}, true
	case t.RootName() != a.Refers:
		last := t.RootName()
		if len(t) <= 2 {
			last = lastName(t)
		}
		if n := nearest(last, p.Names); n != "" && nearest(last, declared) == "" {
			l.errorf(at, "Reference required", "The argument %q %s Did you mean %s.%s?", a.Name, want, p.Root, n)
			return config.ToolRef{}, false
		}
	}
	name, ok := l.target(e, a, want, declared)
	return config.ToolRef{Kind: "tool", Name: name, At: at}, ok
}

// plainText is the text that an expression is, "" when it is none.
func plainText(e hcl.Expression) string {
	if v, diags := value(e, nil, 0); !diags.HasErrors() && v.Type() == cty.String && !v.IsNull() && v.IsKnown() {
		return v.AsString()
	}
	return ""
}

// toolDigests are the tools of an agent as its digest sees them.
func (l *loader) toolDigests(a *config.Agent, cfg *config.Config) []string {
	var out []string
	for _, ref := range a.Tools {
		var o object
		o.text("kind", ref.Kind)
		o.text("name", ref.Name)
		if t, ok := cfg.Tool(ref.Name); ok && ref.Kind == "tool" {
			o.text("description", t.Description.V)
			o.raw("command", l.commandDigest(t.Command.V))
			o.raw("input", t.Input.V)
			o.text("timeout", t.Timeout.V.String())
			o.whole("max_output", t.MaxOutput.V)
			o.raw("env", envDigest(t.Env))
		}
		out = append(out, o.end())
	}
	return out
}
