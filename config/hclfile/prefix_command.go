package hclfile

import "github.com/dsh-hcl/dsh/schema"

// commandOf decodes a command contributor. It is never run here.
func (l *loader) commandOf(b *body, sc *scope, c *contributor) {
	timeout, newlines := l.setting(b, "timeout", sc), l.setting(b, "newlines", sc)
	c.config.Command = l.command(b, sc)
	c.usable = c.usable && c.config.Command.Set && !timeout.bad && !newlines.bad
	c.config.Timeout, c.config.Newlines = attribute(timeout, durationOf), newlines.text()
	c.config.Env = l.environment(b)
	c.config.Origin = l.inlineOrigin(b.at)
	c.extra.raw("command", l.commandDigest(c.config.Command.V))
	c.extra.text("timeout", c.config.Timeout.V.String())
	c.extra.raw("env", envDigest(c.config.Env))
	if c.active() {
		l.warnf(schema.RuleVolatile, b.at, "Prefix depends on a program",
			"What this command writes is part of what every request begins with. When it writes something else at the next start, the provider's cache holds nothing of what follows it, and a resumed conversation is paid for anew. "+
				"If that is meant, say disable_rules = [%q] in the dsh block.", schema.RuleVolatile)
	}
}
