package hclfile

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// Formatted reports whether a file of a configuration folder is one that has a
// layout: a configuration file or a variable file.
func Formatted(name string) bool {
	return !strings.HasPrefix(name, ".") && (isConfiguration(name) || strings.HasSuffix(name, valuesEnding))
}

// Format returns a text of HCL in the one layout that there is: blanks and
// indentation change, and nothing that is evaluated. What the text is, its name
// says: a variable file, a scripted model, or else a configuration file. fix writes
// new names in the place of former ones. A text with syntax errors has no layout; it
// is returned as it is, with what the diagnostics point into.
func Format(name string, text []byte, fix bool) ([]byte, diag.Sources, diag.List) {
	language, values := schema.Language(), strings.HasSuffix(name, valuesEnding)
	switch {
	case values:
		language = &schema.Block{}
	case filepath.Ext(name) == ".hcl" && !isConfiguration(filepath.Base(name)):
		language = schema.Script()
	}
	return format(name, text, fix, language, values)
}

func format(name string, text []byte, fix bool, language *schema.Block, values bool) ([]byte, diag.Sources, diag.List) {
	l := newLoader(Options{}, language, "the file")
	s := &source{name: name, text: text}
	p := scan(s)
	l.accept(s, p)
	if values && len(l.diags) > 0 {
		l.blotValues(name) // which of them are secret is not known
	}
	if l.diags.HasErrors() {
		return text, l.sources, l.finish()
	}
	out := text
	if fix {
		out = rename(out, s.body, language)
	}
	for range maxLayouts {
		again := hclwrite.Format(out)
		if bytes.Equal(again, out) {
			break
		}
		if !sameTokens(out, again) {
			l.errorf(diag.Range{File: name}, "File cannot be formatted", "Laying it out would change what it says. Lay it out by hand.")
			return text, l.sources, l.finish()
		}
		out = again
	}
	return out, l.sources, nil
}

// maxLayouts is how often a text is laid out until it stays as it is. Once is
// enough nearly always: where a line moves, the lines around it may move again.
const maxLayouts = 8

// sameTokens reports whether two texts differ in nothing but blanks.
func sameTokens(a, b []byte) bool {
	before, _ := hclsyntax.LexConfig(a, "", hcl.InitialPos)
	after, _ := hclsyntax.LexConfig(b, "", hcl.InitialPos)
	if len(before) != len(after) {
		return false
	}
	for i, t := range before {
		if t.Type != after[i].Type || !bytes.Equal(t.Bytes, after[i].Bytes) {
			return false
		}
	}
	return true
}
