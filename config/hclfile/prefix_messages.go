package hclfile

import (
	"errors"
	"io/fs"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/prompt"
)

// messages decodes a messages contributor. A file of messages is read when the
// prefix is composed; what is wrong with it now is reported now.
func (l *loader) messages(b *body, sc *scope, c *contributor) {
	path, newlines := l.setting(b, "path", sc), l.setting(b, "newlines", sc)
	c.usable = c.usable && !path.bad && !newlines.bad
	blocks := b.of("message")
	_, named := b.attrs["path"]
	switch {
	case named && len(blocks) > 0:
		d := diag.Errorf(path.at, "Conflicting arguments", "Messages are written as message blocks or come from path, not both.")
		d.Related = []diag.Related{{Message: "written", At: blocks[0].at()}}
		l.report(d)
		c.usable = false
	case !named && len(blocks) == 0:
		l.errorf(b.at, "Missing argument", "Write message blocks, or the path of a JSON Lines file.")
		c.usable = false
	}
	c.config.Newlines = newlines.text()
	if c.config.Newlines.V == "" {
		c.config.Newlines.V = "keep"
		if !named {
			c.config.Newlines.V = "lf"
		}
	}
	c.config.Origin = l.inlineOrigin(b.at)
	var digests []string
	for _, n := range blocks {
		m, digest := l.message(l.open(n, b.address), sc, c)
		c.config.Messages = append(c.config.Messages, m)
		digests = append(digests, digest)
	}
	if path.set {
		c.config.Path = path.text()
		c.config.Path.V = l.resolve(path.v.AsString(), path.at.File)
		c.config.Origin = l.origin(c.config.Path.V)
		c.extra.text("path", c.config.Origin)
		if c.active() {
			l.checkMessages(c, path.at)
		}
		return
	}
	c.extra.raw("messages", array(digests))
}

// message decodes a message block, and returns what the digest sees of it too.
func (l *loader) message(b *body, sc *scope, c *contributor) (config.Message, string) {
	role, content := l.setting(b, "role", sc), l.setting(b, "content", sc)
	c.usable = c.usable && !role.bad && !content.bad
	m := config.Message{Role: role.text().V, Content: content.text().V, Origin: l.inlineOrigin(b.at)}
	if c.config.Newlines.V == "lf" {
		m.Content = unixNewlines(m.Content)
	}
	if content.set && c.active() {
		l.checkBudget(c, len(m.Content), content.at)
	}
	return m, canonical(cty.TupleVal([]cty.Value{cty.StringVal(m.Role), cty.StringVal(m.Content)}))
}

func (l *loader) checkMessages(c *contributor, at diag.Range) {
	l.attempt(c, func() {
		text, err := l.promptFile(c.config.Path.V, at)
		if errors.Is(err, fs.ErrNotExist) {
			l.unreadable(c.config.Path.V, err, at, "file")
		}
		if err != nil {
			return
		}
		messages, problems := prompt.Messages(c.config.Path.V, text)
		for _, p := range problems {
			l.inFile(p, at)
		}
		for _, m := range messages {
			l.checkBudget(c, len(c.counted(m.Content)), at)
		}
	})
}
