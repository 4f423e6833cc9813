package hclfile

import (
	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// reportUnused warns about declarations that nothing uses. With errors around,
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
}
