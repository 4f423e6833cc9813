package hclfile

import (
	"errors"
	"io/fs"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/prompt"
)

// skills decodes a skills contributor. The catalogue is read when the prefix is
// composed; what is wrong with it now is reported now.
func (l *loader) skills(b *body, sc *scope, c *contributor) {
	path, optional := l.setting(b, "path", sc), l.setting(b, "optional", sc)
	c.usable = c.usable && !path.bad && !optional.bad
	c.config.Optional = optional.truth()
	if !path.set {
		return
	}
	c.config.Folder = l.resolve(path.v.AsString(), path.at.File)
	c.config.Origin = l.origin(c.config.Folder)
	c.extra.text("path", c.config.Origin)
	c.extra.truth("optional", c.config.Optional.V)
	if c.active() {
		l.attempt(c, func() { l.checkSkills(c, path.at) })
	}
}

func (l *loader) checkSkills(c *contributor, at diag.Range) {
	list, problems, err := prompt.Skills(l.opts.Files, c.config.Folder, func(path string) (string, error) { return l.promptFile(path, at) })
	if err != nil {
		if !c.config.Optional.V || !errors.Is(err, fs.ErrNotExist) {
			l.unreadable(c.config.Folder, err, at, "folder")
		}
		return
	}
	for _, p := range problems {
		l.inFile(p, at)
	}
	if len(list) == 0 && len(problems) == 0 && !c.config.Optional.V {
		l.errorf(at, "No skills", "No folder in %s has a %s. Write one, name another folder, or say optional = true.", l.folderName(c.config.Folder), prompt.SkillFile)
	}
	text := prompt.Catalogue(list, func(path string) string { return prompt.Shown(path, l.workspace) })
	l.checkBudget(c, len(text), at)
}
