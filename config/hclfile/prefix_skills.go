package hclfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/prompt"
	"github.com/dsh-hcl/dsh/schema"
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
	l.misspeltSkills(c.config.Folder, at)
	first := map[string]string{}
	for _, s := range list {
		if earlier, again := first[s.Name]; again {
			l.warnf(schema.RuleSameSkill, at, "Skills of one name", "%s and %s are both called %s, so that a model cannot tell them apart by name. Give one of them another.",
				l.opts.shown(earlier), l.opts.shown(s.Path), quoted(s.Name))
			continue
		}
		first[s.Name] = s.Path
	}
	if len(list) == 0 && len(problems) == 0 && !c.config.Optional.V {
		l.errorf(at, "No skills", "No folder in %s has a %s. Write one, name another folder, or say optional = true.", l.folderName(c.config.Folder), prompt.SkillFile)
	}
	text := prompt.Catalogue(list, func(path string) string { return prompt.Shown(path, l.workspace) })
	l.checkBudget(c, len(text), at)
}

// misspeltSkills warns about files that would be read if their names had the letters
// of SKILL.md.
func (l *loader) misspeltSkills(folder string, at diag.Range) {
	folders, _ := l.opts.Files.ReadFolders(folder, true)
	for _, name := range folders {
		files, _ := l.opts.Files.ReadDir(filepath.Join(folder, name))
		if slices.Contains(files, prompt.SkillFile) {
			continue
		}
		for _, f := range files {
			if strings.EqualFold(f, prompt.SkillFile) {
				l.warnf(schema.RuleFileName, at, "File passed over", "%s is not read: the file of a skill is written %s. Rename it.", l.opts.shown(filepath.Join(folder, name, f)), prompt.SkillFile)
			}
		}
	}
}
