package hclfile

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"

	"github.com/dsh-hcl/dsh/config/diag"
)

// place converts a range of HCL, whose file names are those of messages.
func place(r hcl.Range) diag.Range {
	return diag.Range{File: r.Filename, Start: diag.Pos(r.Start), End: diag.Pos(r.End)}
}

func placeOf(r *hcl.Range) diag.Range {
	if r == nil {
		return diag.Range{}
	}
	return place(*r)
}

// placeAt is the range of the bytes from..to of a source.
func placeAt(file string, src []byte, from, to int) diag.Range {
	return diag.Range{File: file, Start: positionAt(src, from), End: positionAt(src, to)}
}

// positionAt is the position of a byte, its column in grapheme clusters.
func positionAt(src []byte, offset int) diag.Pos {
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	pos := diag.Pos{Line: 1 + bytes.Count(src[:start], []byte{'\n'}), Column: 1, Byte: offset}
	if start == offset {
		return pos
	}
	scanner := hcl.NewRangeScanner(src[start:offset], "", func(data []byte, _ bool) (int, []byte, error) {
		return len(data), data, nil
	})
	scanner.Scan()
	pos.Column = scanner.Range().End.Column
	return pos
}

// textOf is an expression as it is written.
func (l *loader) textOf(expr hcl.Expression) string { return l.textAt(place(expr.Range())) }

// textAt is the text of a place, as far as it may be shown.
func (l *loader) textAt(r diag.Range) string {
	s := l.sources[r.File]
	if r.Start.Byte > r.End.Byte || r.End.Byte > len(s) {
		return ""
	}
	return string(s[r.Start.Byte:r.End.Byte])
}

// overlap reports whether two ranges of HCL share a byte.
func overlap(a, b hcl.Range) bool {
	return a.Filename == b.Filename && a.Start.Byte < b.End.Byte && b.Start.Byte < a.End.Byte
}
