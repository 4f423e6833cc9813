package hclfile

import (
	"path/filepath"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/prompt"
	"github.com/dsh-hcl/dsh/schema"
)

// instructions decodes an instructions contributor. The files are read when the
// prefix is composed; what is wrong with them now is reported now.
func (l *loader) instructions(b *body, sc *scope, c *contributor) {
	names, required, newlines, size := l.setting(b, "names", sc), l.setting(b, "required", sc), l.setting(b, "newlines", sc), l.setting(b, "max_file_bytes", sc)
	c.usable = c.usable && !names.bad && !required.bad && !newlines.bad && !size.bad
	c.config.Names = []string{"AGENTS.md", "CLAUDE.md"}
	if names.v != cty.NilVal { // of names that are wrong, the others are checked all the same
		c.config.Names = names.texts().V
		c.usable = l.checkNames(b, c.config.Names, names.at) && c.usable
	}
	c.config.Required, c.config.Newlines, c.config.MaxFileBytes = required.truth(), newlines.text(), size.size()
	c.config.Folders = l.downwards()
	c.config.Origin = strings.Join(c.config.Names, ", ")
	c.extra.raw("names", texts(c.config.Names))
	c.extra.truth("required", c.config.Required.V)
	c.extra.whole("max_file_bytes", c.config.MaxFileBytes.V)
	if c.active() {
		l.attempt(c, func() { l.checkInstructions(c, b.at) })
	}
}

// checkNames holds the names of files to paths that lead downwards.
func (l *loader) checkNames(b *body, names []string, at diag.Range) bool {
	ok := true
	if len(names) == 0 {
		ok = false
		l.errorf(at, "Invalid value", "The argument \"names\" is an empty list: write at least one name, such as [\"AGENTS.md\"].")
	}
	for _, n := range names {
		if n == "" {
			continue // which was reported
		}
		if !filepath.IsLocal(filepath.FromSlash(n)) || !isPlain(n) {
			ok = false
			l.errorf(l.elementPlace(b.attrs["names"].Expr, cty.StringVal(n)), "Invalid value", "The argument \"names\" holds %s, which is no name of a file in a folder: write one such as \"AGENTS.md\" or \"docs/AGENTS.md\".", quoted(n))
		}
	}
	return ok
}

// downwards are the folders from the workspace down to the working directory; only
// the workspace when that lies elsewhere.
func (l *loader) downwards() []string {
	dir := l.opts.Dir
	if l.opts.RealDir != "" {
		dir = l.opts.RealDir
	}
	out := []string{l.workspace}
	rel, err := filepath.Rel(l.workspace, dir)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return out
	}
	at := l.workspace
	for _, name := range strings.Split(rel, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		out = append(out, at)
	}
	return out
}

func (l *loader) checkInstructions(c *contributor, at diag.Range) {
	list, missing, problems := prompt.Cascade{Folders: c.config.Folders, Names: c.config.Names}.Read(prompt.Reading{
		Files: l.opts.Files, Shown: l.opts.shown,
		Text: func(path string, by prompt.Import) (string, error) {
			if by.Path == "" {
				return l.promptFile(path, at)
			}
			name := l.opts.shown(by.Path)
			l.keepSource(name, []byte(by.Text))
			return l.promptFile(path, placeAt(name, []byte(by.Text), by.From, by.To))
		},
	})
	for _, p := range problems {
		l.inFile(p, at)
	}
	for _, p := range missing {
		name := l.opts.shown(p.Path)
		l.keepSource(name, []byte(p.Text))
		l.warnf(schema.RuleMissingImport, placeAt(name, []byte(p.Text), p.From, p.To), p.Summary, "%s", p.Detail)
	}
	var sections []string
	for _, d := range list {
		if prompt.Blank(d.Text) {
			continue
		}
		text := c.counted(d.Text)
		sections = append(sections, prompt.Intro(prompt.Shown(d.Path, l.workspace, l.dir))+text)
		l.checkFileBudget(c, d.Path, len(text))
	}
	if len(list) == 0 && len(problems) == 0 && c.config.Required.V {
		where := l.folderName(c.config.Folders[0])
		if n := len(c.config.Folders); n > 1 {
			where = "the folders from " + where + " down to " + l.folderName(c.config.Folders[n-1])
		}
		l.errorf(at, "No instructions", "There is no %s in %s. Write one, or leave out required.", strings.Join(c.config.Names, " and no "), where)
	}
	l.checkBudget(c, len(prompt.Join(sections)), at)
}
