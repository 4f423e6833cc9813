package hclfile

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/config/diag"
)

// isPlain reports text that reads as what it is wherever it is shown: UTF-8 without
// control characters, line breaks and characters that are not seen or turn the
// direction.
func isPlain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, steers)
}

// steers reports characters that change how the text around them is shown.
func steers(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r < 0x20 || r == 0x7f
}

// plain is a text with what steers written as its number.
func plain(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if steers(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unusableName is what is wrong with the name of a file or a folder that messages
// show, "" when nothing is.
func unusableName(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case !isPlain(name):
		return "holds a control character"
	}
	return ""
}

// checkFolders reports names of the folders that places and records begin with.
func (l *loader) checkFolders() bool {
	ok := true
	for _, f := range [...]struct{ what, path string }{{"configuration", l.dir}, {"workspace", l.workspace}} {
		if problem := unusableName(f.path); problem != "" {
			ok = false
			l.errorf(diag.Range{}, "Folder name cannot be used", "The path of the %s folder %s. Rename the folder %s.", f.what, problem, plain(culprit(f.path)))
		}
	}
	return ok
}

// culprit is the outermost part of a path that cannot be used.
func culprit(path string) string {
	for filepath.Dir(path) != path && unusableName(filepath.Dir(path)) != "" {
		path = filepath.Dir(path)
	}
	return filepath.Base(path)
}
