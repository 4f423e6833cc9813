package hclfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// body is the content of a block that the table knows. address names it in
// messages: agent.reviewer.prefix.
type body struct {
	schema  *schema.Block
	address string
	label   string // its first label, "" without
	labelAt diag.Range
	at      diag.Range
	attrs   hcl.Attributes
	blocks  []nested // in the order they are written
	meant   []string // attributes that misspelt names were probably meant to be
}

// nested is a block inside a body, not yet opened.
type nested struct {
	block *hcl.Block
	child *schema.Child
}

func (n nested) at() diag.Range { return place(n.block.DefRange) }

// title is the block as it is written: agent "reviewer".
func (n nested) title() string { return title(n.block.Type, n.block.Labels) }

func title(blockType string, labels []string) string {
	s := blockType
	for _, l := range labels {
		s += fmt.Sprintf(" %q", l)
	}
	return s
}

// of returns the nested blocks of one type.
func (b *body) of(blockType string) []nested {
	var out []nested
	for _, n := range b.blocks {
		if n.block.Type == blockType {
			out = append(out, n)
		}
	}
	return out
}

// open reads a nested block by the table and reports what does not belong there
// and what is missing.
func (l *loader) open(n nested, parent string) *body {
	address := n.block.Type
	if len(n.block.Labels) > 0 {
		address += "." + strings.Join(n.block.Labels, ".")
	}
	if parent != "" {
		address = parent + "." + address
	}
	b := l.items(n.block.Body, n.child.Block, n.block.Type)
	b.address, b.at = address, n.at()
	if len(n.block.Labels) > 0 {
		b.label, b.labelAt = n.block.Labels[0], place(n.block.LabelRanges[0])
	}
	l.checkRepeated(b)
	l.checkMissing(b)
	return b
}

// items takes apart a body; where names its block for messages.
func (l *loader) items(raw hcl.Body, s *schema.Block, where string) *body {
	native := raw.(*hclsyntax.Body) // what both syntaxes are read as
	b := &body{schema: s, attrs: make(hcl.Attributes, len(native.Attributes))}
	for name, a := range native.Attributes {
		_, known := s.Attribute(name)
		_, _, former := s.Renamed(name)
		switch {
		case s.Names != nil && firstChange([]byte(name)) >= 0:
			l.notNFC(place(a.NameRange), name)
		case known || former || s.Names != nil:
			b.attrs[name] = a.AsHCLAttribute()
		default:
			b.meant = append(b.meant, l.unknownArgument(a, s, where))
		}
	}
	l.renamed(b)
	for _, block := range native.Blocks {
		child, ok := s.Child(block.Type)
		switch {
		case !ok:
			b.meant = append(b.meant, l.unknownBlock(block, s, where))
		case l.labelled(block, child.Block):
			b.blocks = append(b.blocks, nested{block.AsHCLBlock(), child})
		}
	}
	return b
}

// labelled checks the labels of a block.
func (l *loader) labelled(block *hclsyntax.Block, s *schema.Block) bool {
	if n := len(s.Labels); len(block.Labels) == n && (n == 0 || simpleName(block.Labels[0])) {
		return true
	}
	var names []string
	for _, label := range s.Labels {
		names = append(names, `"`+label.Name+`"`)
	}
	want := strings.Join(append([]string{block.Type}, append(names, "{")...), " ")
	if len(block.Labels) < len(s.Labels) {
		l.errorf(place(block.DefRange()), "Missing name", "%s block has a name: %s", anA(block.Type), want)
		return false
	}
	if len(block.Labels) > len(s.Labels) {
		if len(s.Labels) == 0 {
			l.errorf(place(block.LabelRanges[0]), "Unexpected name", "%s block has no name: %s", anA(block.Type), want)
		} else {
			l.errorf(place(block.LabelRanges[len(s.Labels)]), "Unexpected name", "%s block has only one name: %s", anA(block.Type), want)
		}
		return false
	}
	for i, label := range s.Labels {
		given := block.Labels[i]
		if firstChange([]byte(given)) >= 0 {
			l.notNFC(place(block.LabelRanges[i]), given)
			return false
		}
		if given == "" || !label.Free && !hclsyntax.ValidIdentifier(given) {
			l.errorf(place(block.LabelRanges[i]), "Invalid name", "A name begins with a letter and has only letters, digits, - and _, so that expressions can refer to it.")
			return false
		}
	}
	return true
}

// anA is a word behind its article, as a sentence begins.
func anA(word string) string {
	if strings.IndexByte("aeio", word[0]) >= 0 {
		return "An " + word
	}
	return "A " + word
}

// simpleName reports names of ASCII letters, digits and _, which need no closer
// look.
func simpleName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && s[i] != '_' && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// checkRepeated reports blocks that occur more often than they may. Blocks with
// names are compared where they are declared.
func (l *loader) checkRepeated(b *body) {
	first := map[string]nested{}
	kept := b.blocks[:0:0]
	for _, n := range b.blocks {
		if n.child.Max == 1 {
			if earlier, again := first[n.block.Type]; again {
				d := diag.Errorf(n.at(), "Repeated block", "There can be only one %s block here.", n.block.Type)
				d.Related = []diag.Related{{Message: "first written", At: earlier.at()}}
				l.report(d)
				continue
			}
			first[n.block.Type] = n
		}
		kept = append(kept, n)
	}
	b.blocks = kept
}

// checkMissing reports what is required and not there. An attribute whose name is
// misspelt is not missing as well.
func (l *loader) checkMissing(b *body) {
	meant := func(name string) bool { return slices.Contains(b.meant, name) }
	for _, a := range b.schema.Attributes {
		if _, ok := b.attrs[a.Name]; a.Required && !ok && !meant(a.Name) {
			l.errorf(b.at, "Missing argument", "The argument %q is required here. %s", a.Name, a.Doc)
		}
	}
	for _, group := range b.schema.OneOf {
		var given []*hcl.Attribute
		for _, name := range group {
			if a, ok := b.attrs[name]; ok {
				given = append(given, a)
			}
		}
		names := strings.Join(group, " or ")
		switch {
		case len(given) == 0 && slices.ContainsFunc(group, meant):
		case len(given) == 0:
			l.errorf(b.at, "Missing argument", "One of the arguments %s is required here.", names)
		case len(given) > 1:
			d := diag.Errorf(place(given[1].Range), "Conflicting arguments", "Only one of the arguments %s can be written.", names)
			d.Related = []diag.Related{{Message: "written", At: place(given[0].Range)}}
			l.report(d)
		}
	}
}

// unique opens the blocks, reporting names that are declared twice. Blocks without
// a name may repeat.
func (l *loader) unique(blocks []nested, parent string) []*body {
	first := map[string]nested{}
	var out []*body
	for _, n := range blocks {
		key := n.title()
		b := l.open(n, parent)
		if earlier, again := first[key]; again && len(n.block.Labels) > 0 {
			d := duplicate(key, n.at(), earlier.at())
			if n.block.Type == "policy" { // its name is that of a model
				d = twice(key, n.at(), earlier.at())
			}
			l.report(d)
			continue
		}
		first[key] = n
		out = append(out, b)
	}
	return out
}

// duplicate reports a name that is declared twice, with both places.
func duplicate(what string, at, earlier diag.Range) diag.Diagnostic {
	d := diag.Errorf(at, "Duplicate name", "%s is declared twice. Give one of them another name.", what)
	d.Related = []diag.Related{{Message: "first declared", At: earlier}}
	return d
}

// twice reports a name that cannot be another, because it is that of something else.
func twice(what string, at, earlier diag.Range) diag.Diagnostic {
	d := diag.Errorf(at, "Duplicate name", "%s is declared twice. Remove one of the two.", what)
	d.Related = []diag.Related{{Message: "first declared", At: earlier}}
	return d
}

// declarationAt is the block around a byte, with the blocks around that, as they
// are written: agent "reviewer" > prefix.
func declarationAt(b *hclsyntax.Body, offset int) string {
	var parts []string
	for b != nil {
		i := slices.IndexFunc(b.Blocks, func(inner *hclsyntax.Block) bool {
			return inner.TypeRange.Start.Byte <= offset && offset < inner.CloseBraceRange.End.Byte
		})
		if i < 0 {
			break
		}
		parts = append(parts, title(b.Blocks[i].Type, b.Blocks[i].Labels))
		b = b.Blocks[i].Body
	}
	return strings.Join(parts, " > ")
}
