package hclfile

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// file decodes a file contributor. The file itself is read when the prefix is
// composed; what is wrong with it now is reported now.
func (l *loader) file(b *body, sc *scope, c *contributor) {
	path, optional, newlines := l.setting(b, "path", sc), l.setting(b, "optional", sc), l.setting(b, "newlines", sc)
	c.usable = c.usable && !path.bad && !optional.bad && !newlines.bad
	c.config.Path, c.config.Optional, c.config.Newlines = path.text(), optional.truth(), newlines.text()
	if path.bad {
		return
	}
	c.config.Path.V = l.resolve(path.v.AsString(), path.at.File)
	c.config.Origin = l.origin(c.config.Path.V)
	c.extra.text("path", c.config.Origin)
	c.extra.raw("optional", canonical(optional.v))
	if c.active() {
		l.checkFile(c, path.at)
	}
}

func (l *loader) checkFile(c *contributor, at diag.Range) {
	path := c.config.Path.V
	text, err := l.opts.Files.ReadFile(path, maxPrompt)
	switch {
	case err == nil:
	case c.config.Optional.V && errors.Is(err, fs.ErrNotExist), c.config.OnError.V == "skip":
		return
	case errors.Is(err, fs.ErrNotExist):
		l.errorf(at, "File not found", "The %s%s", sentence(whyUnreadable(&l.opts, path, err, "file")), l.inWorkspace(path))
		return
	default:
		l.unreadable(path, err, at, "file")
		return
	}
	name := l.opts.shown(path)
	text, ok := l.promptText(name, path, text, at)
	if !ok {
		return
	}
	if m := templateLike.FindIndex(text); m != nil {
		line := positionAt(text, m[0]).Line
		l.warnf(schema.RuleNotATemplate, at, "Expression in a file that is no template",
			"Line %d of %s holds %s, which a file contributor leaves as it is. Use a template contributor to evaluate it.", line, name, text[m[0]:m[1]])
	}
	l.checkBudget(c, len(c.counted(string(text))), at)
}

// inWorkspace is advice about a file that is not there: the one of that name in the
// workspace may be meant.
func (l *loader) inWorkspace(path string) string {
	rel, err := filepath.Rel(l.dir, path)
	if err == nil && filepath.IsLocal(rel) && l.dir != l.workspace {
		there := filepath.Join(l.workspace, rel)
		if names, err := l.opts.Files.ReadDir(filepath.Dir(there)); err == nil && slices.Contains(names, filepath.Base(there)) {
			return " A path starts at the folder of the file that it is written in. The file of that name in the workspace is " + "\"${path.workspace}/" + filepath.ToSlash(rel) + "\"."
		}
	}
	return ""
}

// templateLike is what a template of this language would evaluate.
var templateLike = regexp.MustCompile(`\$\{(?:var|local|vars|workspace|agent|model)\.[A-Za-z_][A-Za-z0-9_-]*\}`)

// promptText checks the text of a file that a model will see, and returns it
// without its byte order mark.
func (l *loader) promptText(name, path string, text []byte, at diag.Range) ([]byte, bool) {
	if r, bad := notUTF8(name, text); bad {
		l.keepSource(name, text)
		d := diag.Errorf(r, "Not UTF-8", "This byte is not UTF-8 text. Save the file as UTF-8.")
		d.Related = []diag.Related{{Message: "the file is used", At: at}}
		l.report(d)
		return nil, false
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		l.keepSource(name, text)
		d := diag.Errorf(placeAt(name, text, i, i+1), "NUL character", "A text for a model holds no NUL character. Remove it, or leave the file out if it is no text.")
		d.Related = []diag.Related{{Message: "the file is used", At: at}}
		l.report(d)
		return nil, false
	}
	if bytes.HasPrefix(text, byteOrderMark) {
		l.warnf(schema.RuleByteOrderMark, at, "Byte order mark dropped", "The file %s begins with a byte order mark, which is dropped. Save it without one.", name)
		text = text[len(byteOrderMark):]
	}
	if target, ok := l.linkTarget(path, text); ok {
		l.warnf(schema.RuleSymlinkText, at, "Symbolic link checked out as text",
			"The whole content of %s is the path of the file %s. It was probably a symbolic link; name that file instead, or check it out again.", name, l.opts.shown(target))
	}
	return text, true
}

// keepSource keeps the text of a prompt file for snippets. A file that is there
// already is a configuration file, with its secrets blotted out.
func (l *loader) keepSource(name string, text []byte) {
	if _, known := l.sources[name]; !known {
		l.sources[name] = text
	}
}

// linkTarget is the file whose path is the whole content of another.
func (l *loader) linkTarget(path string, text []byte) (string, bool) {
	s := strings.TrimSuffix(string(text), "\n")
	if s == "" || len(s) > 1024 || strings.ContainsAny(s, "\n\x00") || !strings.ContainsAny(s, "/.") {
		return "", false
	}
	target := filepath.FromSlash(s)
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return target, target != path && l.opts.exists(target)
}
