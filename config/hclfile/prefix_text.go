package hclfile

import (
	"strings"
)

// text decodes a text contributor. Its content is complete here: NFC by the
// language, line endings as asked for.
func (l *loader) text(b *body, sc *scope, c *contributor) {
	content, newlines := l.setting(b, "content", sc), l.setting(b, "newlines", sc)
	c.usable = c.usable && !content.bad && !newlines.bad
	c.config.Newlines = newlines.text()
	c.config.Content = content.text()
	if c.config.Newlines.V == "lf" {
		c.config.Content.V = unixNewlines(c.config.Content.V)
	}
	c.config.Origin = l.inlineOrigin(content.at)
	c.extra.text("content", c.config.Content.V)
	if c.active() {
		l.checkBudget(c, len(c.config.Content.V), content.at)
	}
}

func unixNewlines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
