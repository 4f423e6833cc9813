package hclfile

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
)

// permissions decodes the permissions block of an agent.
func (l *loader) permissions(b *body, tools []config.ToolRef) *config.Permissions {
	return &config.Permissions{
		At:    b.at,
		Allow: l.rules(b, "allow", tools),
		Ask:   l.rules(b, "ask", tools),
		Deny:  l.rules(b, "deny", tools),
	}
}

// rules decodes rules for the tools of an agent. What is wrong with one was
// reported, and it is left out.
func (l *loader) rules(b *body, name string, tools []config.ToolRef) []config.Rule {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	s := l.setting(b, name, everything())
	if s.bad {
		return nil
	}
	var out []config.Rule
	for _, text := range s.texts().V {
		wrong := func(summary, detail string, args ...any) {
			l.errorf(l.elementPlace(b.attrs[name].Expr, cty.StringVal(text)), summary, detail, args...)
		}
		tool, rest, pattern := strings.Cut(text, "(")
		switch {
		case pattern && (!strings.HasSuffix(rest, ")") || rest == ")"), !pattern && strings.Contains(text, ")"):
			wrong("Invalid value", "The argument %q holds %s, which is no rule: write the name of a tool, or NAME(PATTERN).", name, quoted(text))
			continue
		case !slices.Contains(names, tool):
			why := suggestOrList(tool, "tools of this agent", names)
			if n := strings.TrimPrefix(strings.TrimPrefix(tool, "builtin."), "tool."); n != tool && slices.Contains(names, n) {
				why = " A rule names a tool as the model does: " + n + "."
			}
			wrong("Rule for nothing", "The argument %q has a rule for %s, and the agent lists no such tool.%s", name, quoted(tool), why)
			continue
		}
		r := config.Rule{Tool: tool, Pattern: strings.TrimSuffix(rest, ")")}
		if slices.Contains(out, r) {
			wrong("Listed twice", "The argument %q holds %s twice. Remove one of them.", name, quoted(text))
			continue
		}
		out = append(out, r)
	}
	return out
}

// permissionsDigest is a permissions block as digests see it.
func permissionsDigest(p *config.Permissions) string {
	var o object
	for _, list := range []struct {
		name  string
		rules []config.Rule
	}{{"allow", p.Allow}, {"ask", p.Ask}, {"deny", p.Deny}} {
		out := []string{}
		for _, r := range list.rules {
			out = append(out, r.String())
		}
		o.raw(list.name, texts(out))
	}
	return o.end()
}
