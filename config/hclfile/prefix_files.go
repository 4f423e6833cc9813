package hclfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/prompt"
	"github.com/dsh-hcl/dsh/schema"
)

// filesOf decodes a files contributor. The files are read when the prefix is composed;
// what is wrong with them now is reported now.
func (l *loader) filesOf(b *body, sc *scope, c *contributor) {
	include, exclude, folder := l.setting(b, "include", sc), l.setting(b, "exclude", sc), l.setting(b, "path", sc)
	split, optional, newlines, size := l.setting(b, "split", sc), l.setting(b, "optional", sc), l.setting(b, "newlines", sc), l.setting(b, "max_file_bytes", sc)
	for _, s := range []setting{include, exclude, folder, split, optional, newlines, size} {
		c.usable = c.usable && !s.bad
	}
	c.config.Include, c.config.Exclude = include.texts().V, exclude.texts().V
	c.config.Split, c.config.Optional, c.config.Newlines, c.config.MaxFileBytes = split.truth(), optional.truth(), newlines.text(), size.size()
	if include.set && len(c.config.Include) == 0 {
		l.errorf(include.at, "Invalid value", "The argument \"include\" is an empty list: write at least one pattern, such as [\"docs/**/*.md\"].")
		c.usable = false
	}
	c.config.Folder = l.resolve(".", b.at.File)
	at := include.at
	if folder.set {
		c.config.Folder, at = l.resolve(folder.v.AsString(), folder.at.File), folder.at
	}
	where := l.origin(c.config.Folder)
	c.config.Origin = strings.TrimPrefix(where+"/", "./") + strings.Join(c.config.Include, ", ")
	c.extra.text("folder", where)
	c.extra.raw("include", texts(c.config.Include))
	c.extra.raw("exclude", texts(c.config.Exclude))
	c.extra.truth("split", c.config.Split.V)
	c.extra.truth("optional", c.config.Optional.V)
	c.extra.whole("max_file_bytes", c.config.MaxFileBytes.V)
	if c.active() {
		l.attempt(c, func() { l.checkFiles(c, at, include.at) })
	}
}

func (l *loader) checkFiles(c *contributor, folder, include diag.Range) {
	paths, err := (prompt.Globs{Folder: c.config.Folder, Include: c.config.Include, Exclude: c.config.Exclude}).Find(l.opts.Files)
	var problem *prompt.Problem
	switch {
	case errors.As(err, &problem):
		l.inFile(problem, include)
		return
	case err != nil:
		l.unreadable(c.config.Folder, err, folder, "folder")
		return
	}
	if len(paths) > 0 && !c.config.Optional.V {
		l.checkPatterns(c, paths, include)
	}
	var sections []string
	var total prompt.Total
	for _, path := range paths {
		text, err := l.promptFile(path, include)
		if errors.Is(err, fs.ErrNotExist) {
			l.unreadable(path, err, include, "file")
		}
		if p := total.Add(path, len(text)); p != nil {
			l.inFile(p, include)
			return
		}
		if err != nil || prompt.Blank(text) {
			continue
		}
		text = c.counted(text)
		section := prompt.Intro(prompt.Shown(path, l.workspace, l.dir)) + text
		sections = append(sections, section)
		l.checkFileBudget(c, path, len(text))
		if c.config.Split.V {
			l.checkBudget(c, len(section), include)
		}
	}
	if len(paths) == 0 && !c.config.Optional.V && l.allExcluded(c) {
		l.errorf(include, "No files", "Every file in %s that matches %s is left out by exclude. Change the patterns, or say optional = true.", l.folderName(c.config.Folder), inWords(c.config.Include))
	} else if len(paths) == 0 && !c.config.Optional.V {
		l.errorf(include, "No files", "No file in %s matches %s.%s Change the patterns, or say optional = true.", l.folderName(c.config.Folder), inWords(c.config.Include), l.absentFrom(c))
	}
	if !c.config.Split.V {
		l.checkBudget(c, len(prompt.Join(sections)), include)
	}
}

// checkPatterns warns of patterns that match no file while others do.
func (l *loader) checkPatterns(c *contributor, paths []string, include diag.Range) {
	g := prompt.Globs{Folder: c.config.Folder, Include: c.config.Include, Exclude: c.config.Exclude}
	if left, err := g.Unmatched(l.opts.Files, paths); err == nil && len(left) > 0 {
		l.warnf(schema.RuleNoEffect, include, "Pattern without a match", "No file in %s matches %s. Change the pattern, take it out, or say optional = true.", l.folderName(c.config.Folder), inWords(left))
	}
}

// absentFrom says that the folder of patterns is not there, if it is not.
func (l *loader) absentFrom(c *contributor) string {
	if l.opts.Exists != nil && !l.opts.Exists(c.config.Folder) {
		return " The folder" + sentence(absentFolder(&l.opts, c.config.Folder))
	}
	return ""
}

// folderName is a folder as messages name it.
func (l *loader) folderName(path string) string {
	if name := l.opts.shown(path); name != "." && name != "" {
		return name
	}
	return "this folder"
}

// inWords is a list of patterns in a sentence.
func inWords(patterns []string) string {
	var out []string
	for _, p := range patterns {
		out = append(out, quoted(p))
	}
	return strings.Join(out, " or ")
}

// checkFileBudget reports a file that is over max_file_bytes now.
func (l *loader) checkFileBudget(c *contributor, path string, size int) {
	if limit := c.config.MaxFileBytes; limit.Set && size > limit.V && c.config.Oversize.V == "error" && c.config.OnError.V == "fail" {
		l.errorf(limit.At, "Over budget", "The file %s has %d bytes, and max_file_bytes allows %d. Shorten it, raise the limit, or choose what to keep with oversize.",
			filepath.ToSlash(l.opts.shown(path)), size, limit.V)
	}
}

// allExcluded reports that there are files, and that exclude leaves out all of them.
func (l *loader) allExcluded(c *contributor) bool {
	if len(c.config.Exclude) == 0 {
		return false
	}
	paths, err := (prompt.Globs{Folder: c.config.Folder, Include: c.config.Include}).Find(l.opts.Files)
	return err == nil && len(paths) > 0
}
