package hclfile

import (
	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// reportUnused warns about declarations that nothing uses, and when there is
// nothing that could use them. With errors around,
// a use may not have been seen, so nothing is said then.
func (l *loader) reportUnused(cfg *config.Config) {
	if l.diags.HasErrors() {
		return
	}
	unused := func(key, what string, at diag.Range) {
		if !l.used[key] {
			l.warnf(schema.RuleUnused, at, "Never used", "Nothing uses the %s. Remove it, or use it as %s.", what, key)
		}
	}
	if len(cfg.Agents) == 0 {
		l.warnf(schema.RuleNoAgent, diag.Range{}, "No agent", "The configuration declares no agent, so there is nothing to run. Declare one: agent \"NAME\" { ... }")
	}
	for _, name := range l.names {
		unused("var."+name, "variable "+quoted(name), l.variables[name].at)
	}
	for _, name := range l.localList {
		unused("local."+name, "local "+quoted(name), place(l.locals[name].attr.NameRange))
	}
	for _, p := range cfg.Providers {
		unused("provider."+p.Name, "provider "+quoted(p.Name), p.At)
	}
	for _, m := range cfg.Models {
		unused("model."+m.Name, "model "+quoted(m.Name), m.At)
	}
	for _, name := range l.groupList {
		if !l.used["prefix."+name] {
			l.warnf(schema.RuleUnused, l.groups[name].body.at, "Never used", "Nothing includes the group %s. Remove it, or include it: include { prefix = prefix.%s }.", quoted(name), name)
		}
	}
	for _, t := range cfg.Tools {
		if !l.used["tool."+t.Name] {
			l.warnf(schema.RuleUnused, t.At, "Never used", "No agent lists the tool %s, so no model sees it. Remove it, or list it: tools = [tool.%s].", quoted(t.Name), t.Name)
		}
	}
	for _, h := range cfg.Hooks {
		if !l.used["hook."+h.Name] {
			l.warnf(schema.RuleUnused, h.At, "Never used", "No agent lists the hook %s, so it never runs. Remove it, or list it: hooks = [hook.%s].", quoted(h.Name), h.Name)
		}
	}
}
