package hclfile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// fileFunction is file() for one expression. A relative path starts at the folder
// of the file the call is written in. What the text loses by becoming a text of
// the language is reported at the call.
func (l *loader) fileFunction(at diag.Range, sc *scope) function.Function {
	return discreet(function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if sc.unknown {
				return cty.UnknownVal(cty.String), nil
			}
			if problem := tilde(args[0].AsString()); problem != "" {
				return cty.NilVal, function.NewArgErrorf(0, "the path %s", problem)
			}
			if !isPlain(args[0].AsString()) {
				return cty.NilVal, function.NewArgErrorf(0, "the path holds a control character")
			}
			path := l.resolve(args[0].AsString(), at.File)
			text, err := l.opts.Files.ReadFile(path, maxPrompt)
			shown := l.opts.shown(path)
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(0, "the %s", whyUnreadable(&l.opts, path, err, "file"))
			}
			if r, bad := notUTF8(shown, text); bad {
				return cty.NilVal, function.NewArgErrorf(0, "the file %s is not UTF-8 (line %d)", shown, r.Start.Line)
			}
			if bytes.HasPrefix(text, byteOrderMark) {
				l.warnf(schema.RuleByteOrderMark, at, "Byte order mark dropped", "The file %s begins with a byte order mark, which is dropped. Save it without one.", shown)
				text = text[len(byteOrderMark):]
			}
			if i := firstChange(text); i >= 0 {
				line := positionAt(text, i).Line
				l.warnf(schema.RuleNFC, at, "Text changed by normalisation",
					"The file %s is not in Unicode NFC (line %d), and every text of the language is. To give the model its exact bytes, use a file contributor.", shown, line)
			}
			return cty.StringVal(string(text)), nil
		},
	}))
}

// resolve makes a path absolute that is written in a file.
func (l *loader) resolve(path, file string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	folder := l.dir
	if s := l.files[file]; s != nil {
		folder = s.folder
	}
	return filepath.Join(folder, path)
}

// origin is the name of a file in records: relative to the configuration folder
// or else to the workspace, with slashes, so that it is the same in every
// checkout; absolute elsewhere.
func (l *loader) origin(path string) string {
	for _, base := range []string{l.dir, l.workspace} {
		if rel, err := filepath.Rel(base, path); base != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return strings.ToValidUTF8(path, "\uFFFD")
}

// inlineOrigin is the origin of content that is written in the configuration.
func (l *loader) inlineOrigin(at diag.Range) string {
	name := at.File
	if s := l.files[at.File]; s != nil {
		name = l.origin(filepath.Join(s.folder, filepath.Base(at.File)))
	}
	return fmt.Sprintf("%s:%d", name, at.Start.Line)
}
