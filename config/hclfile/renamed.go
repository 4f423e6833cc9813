package hclfile

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// renamed gives attributes that are written with a former name their name, with a
// warning. Both names at once are an error.
func (l *loader) renamed(b *body) {
	for _, a := range b.schema.Attributes {
		for _, f := range a.Former {
			old, written := b.attrs[f.Name]
			if !written {
				continue
			}
			delete(b.attrs, f.Name)
			if given, both := b.attrs[a.Name]; both {
				d := diag.Errorf(place(old.NameRange), "Conflicting arguments", "%q is the former name of %q, which is written too. Remove one of them.", f.Name, a.Name)
				d.Related = []diag.Related{{Message: "written", At: place(given.NameRange)}}
				l.report(d)
				continue
			}
			l.warnf(schema.RuleRenamed, place(old.NameRange), "Argument renamed", "The argument %q is called %q now: %s Write the new name, or let `dsh fmt -fix` do it.", f.Name, a.Name, f.Why)
			b.attrs[a.Name] = old
		}
	}
}

// rename writes the names of a language in the place of former ones. A body that
// has both is left as it is.
func rename(text []byte, b *hclsyntax.Body, language *schema.Block) []byte {
	type edit struct {
		from, to int
		name     string
	}
	var edits []edit
	var walk func(b *hclsyntax.Body, s *schema.Block)
	walk = func(b *hclsyntax.Body, s *schema.Block) {
		for name, attr := range b.Attributes {
			a, _, former := s.Renamed(name)
			if !former || b.Attributes[a.Name] != nil {
				continue
			}
			edits = append(edits, edit{attr.NameRange.Start.Byte, attr.NameRange.End.Byte, a.Name})
		}
		for _, inner := range b.Blocks {
			if child, ok := s.Child(inner.Type); ok {
				walk(inner.Body, child.Block)
			}
		}
	}
	walk(b, language)
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.from])
		out.WriteString(e.name)
		at = e.to
	}
	out.Write(text[at:])
	return out.Bytes()
}
