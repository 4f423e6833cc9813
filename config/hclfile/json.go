package hclfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// jsonNode is one value of a JSON file with its bytes in the file, its quotes
// included.
type jsonNode struct {
	kind       byte // '{', '[', '"', '0', 't' for a truth value, 'n' for null
	text       string
	truth      bool
	members    []jsonMember // of an object, in the order written
	elements   []jsonNode
	start, end int
}

type jsonMember struct {
	name  jsonNode
	value jsonNode
}

// jsonReader reads a JSON file for its values and their places.
type jsonReader struct {
	name string
	text []byte
	dec  *json.Decoder
}

// jsonError is where and why a text is not the JSON of a configuration.
type jsonError struct {
	at      int
	summary string
	detail  string
}

func (e *jsonError) Error() string { return e.detail }

func readJSON(name string, text []byte) (jsonNode, error) {
	r := &jsonReader{name: name, text: text, dec: json.NewDecoder(strings.NewReader(string(text)))}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err != nil {
		return root, err
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return root, &jsonError{r.behind(int(r.dec.InputOffset())), "Invalid JSON", "Behind the object, the file goes on. A configuration file in JSON is one object."}
	}
	return root, nil
}

// behind skips white space, colons and commas from an offset on.
func (r *jsonReader) behind(at int) int {
	for at < len(r.text) && strings.IndexByte(" \t\r\n:,", r.text[at]) >= 0 {
		at++
	}
	return at
}

// broken is the error of the decoder with its place.
func (r *jsonReader) broken(err error) error {
	at := int(r.dec.InputOffset())
	if syntax, ok := err.(*json.SyntaxError); ok {
		at = max(int(syntax.Offset)-1, 0)
	}
	detail := "This is not JSON: " + strings.TrimPrefix(err.Error(), "json: ") + "."
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		at, detail = len(r.text), "The file ends in the middle of a value."
	}
	return &jsonError{at, "Invalid JSON", detail}
}

// value reads the next value.
func (r *jsonReader) value(depth int) (jsonNode, error) {
	n := jsonNode{start: r.behind(int(r.dec.InputOffset()))}
	if depth > maxDepth {
		return n, &jsonError{n.start, "Nested too deeply", fmt.Sprintf("Values may be nested %d levels deep.", maxDepth)}
	}
	token, err := r.dec.Token()
	if err != nil {
		return n, r.broken(err)
	}
	switch t := token.(type) {
	case json.Delim:
		n.kind = byte(t)
		for r.dec.More() {
			var m jsonMember
			if n.kind == '{' {
				if m.name, err = r.value(depth + 1); err != nil {
					return n, err
				}
			}
			if m.value, err = r.value(depth + 1); err != nil {
				return n, err
			}
			if n.kind == '{' {
				n.members = append(n.members, m)
			} else {
				n.elements = append(n.elements, m.value)
			}
		}
		if _, err := r.dec.Token(); err != nil {
			return n, r.broken(err)
		}
	case string:
		n.kind, n.text = '"', t
	case json.Number:
		n.kind, n.text = '0', t.String()
	case bool:
		n.kind, n.truth = 't', t
	case nil:
		n.kind = 'n'
	}
	n.end = int(r.dec.InputOffset())
	return n, nil
}

// jsonFile turns a configuration in JSON into the tree that the same configuration in
// HCL's own syntax has, by the table: which members are blocks, how many labels they
// have, which texts are expressions. Everything behind it is the same for both.
type jsonFile struct {
	name     string
	lines    []int   // offsets at which lines begin
	columns  []int32 // of each byte, in characters
	problems diag.List
}

// scanJSON reads the text of a source in JSON syntax.
func scanJSON(s *source, language *schema.Block) parsed {
	if at, bad := notUTF8(s.name, s.text); bad {
		return parsed{blind: true, problems: diag.List{diag.Errorf(at, "Not UTF-8", "This byte is not UTF-8 text. Save the file as UTF-8.")}}
	}
	if bytes.HasPrefix(s.text, byteOrderMark) {
		return parsed{blind: true, broken: true, problems: diag.List{markAtStart(s)}}
	}
	root, err := readJSON(s.name, s.text)
	if err == nil && root.kind != '{' {
		err = &jsonError{root.start, "Invalid JSON", "A configuration file in JSON is one object, whose members are blocks: { \"agent\": { \"NAME\": { ... } } }."}
	}
	if wrong, ok := err.(*jsonError); ok {
		at := min(wrong.at, max(len(s.text)-1, 0))
		return parsed{blind: true, broken: true, problems: diag.List{diag.Errorf(placeAt(s.name, s.text, at, min(at+1, len(s.text))), wrong.summary, "%s", wrong.detail)}}
	}
	f := &jsonFile{name: s.name, lines: []int{0}, columns: make([]int32, len(s.text)+1)}
	column := int32(1)
	for i, c := range s.text {
		f.columns[i] = column
		switch {
		case c == '\n':
			f.lines = append(f.lines, i+1)
			column = 1
		case c < utf8.RuneSelf || utf8.RuneStart(c):
			column++
		}
	}
	f.columns[len(s.text)] = column
	body := f.body(root, root.members, language)
	prepare(body)
	return parsed{body: body, problems: f.problems}
}

func (f *jsonFile) errorf(n jsonNode, summary, format string, args ...any) *diag.Diagnostic {
	f.problems = append(f.problems, diag.Errorf(place(f.rng(n.start, n.end)), summary, format, args...))
	return &f.problems[len(f.problems)-1]
}

// pos is a place in the file.
func (f *jsonFile) pos(offset int) hcl.Pos {
	offset = min(offset, len(f.columns)-1)
	line, found := slices.BinarySearch(f.lines, offset)
	if found {
		line++
	}
	return hcl.Pos{Line: line, Column: int(f.columns[offset]), Byte: offset}
}

func (f *jsonFile) rng(start, end int) hcl.Range {
	return hcl.Range{Filename: f.name, Start: f.pos(start), End: f.pos(end)}
}

// body makes the body of a block from the members of an object.
func (f *jsonFile) body(n jsonNode, members []jsonMember, s *schema.Block) *hclsyntax.Body {
	b := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, SrcRange: f.rng(n.start, n.end), EndRange: f.rng(max(n.end-1, n.start), n.end)}
	first := map[string]jsonNode{}
	for _, m := range members {
		name := m.name.text
		if name == "//" {
			continue // a comment
		}
		child, isBlock := s.Child(name)
		if earlier, again := first[name]; again && (!isBlock || !inOrder(s)) {
			d := f.errorf(m.name, "Duplicate name", "%s stands twice in one object. Write it once; several blocks of one type are one object of names, or a list.", quoted(name))
			d.Related = []diag.Related{{Message: "first written", At: place(f.rng(earlier.start, earlier.end))}}
			continue
		}
		first[name] = m.name
		if isBlock {
			f.blocks(b, m.name, m.value, child.Block, nil)
			continue
		}
		a, known := s.Attribute(name)
		if !known {
			a = s.Names
		}
		b.Attributes[name] = &hclsyntax.Attribute{
			Name: name, Expr: f.expression(m.value, a), SrcRange: f.rng(m.name.start, m.value.end),
			NameRange: f.rng(m.name.start, m.name.end), EqualsRange: f.rng(m.name.end, m.name.end),
		}
	}
	return b
}

// inOrder reports whether the order of the blocks in a block has a meaning, which an
// object of JSON does not keep.
func inOrder(s *schema.Block) bool { return s.Type == "prefix" || s.Type == "system" }

// label is a label of a block with its place.
type jsonLabel struct {
	text string
	at   hcl.Range
}

// blocks adds the blocks of one member: an object for each label there is, then the
// body, or a list of bodies.
func (f *jsonFile) blocks(b *hclsyntax.Body, name, value jsonNode, s *schema.Block, labels []jsonLabel) {
	if value.kind == 'n' && len(labels) > 0 || value.kind == '[' && len(labels) == len(s.Labels) && len(labels) > 0 && len(value.elements) == 0 {
		f.errorf(value, "Block required", "This declares no %s. Write an object, or take the name out.", title(s.Type, []string{labels[len(labels)-1].text}))
		return
	}
	if value.kind == 'n' {
		return
	}
	if len(labels) < len(s.Labels) {
		switch value.kind {
		case '[':
			for _, e := range value.elements {
				f.blocks(b, name, e, s, labels)
			}
		case '{':
			seen := map[string]jsonNode{}
			for _, m := range value.members {
				if m.name.text == "//" {
					continue
				}
				if earlier, again := seen[m.name.text]; again {
					d := f.errorf(m.name, "Duplicate name", "%s is declared twice. Give one of them another name.", title(s.Type, []string{m.name.text}))
					d.Related = []diag.Related{{Message: "first declared", At: place(f.rng(earlier.start, earlier.end))}}
					continue
				}
				seen[m.name.text] = m.name
				f.blocks(b, name, m.value, s, append(labels[:len(labels):len(labels)], jsonLabel{m.name.text, f.rng(m.name.start, m.name.end)}))
			}
		default:
			f.errorf(value, "Block required", "%s block is an object of names, each with an object: { %q: { ... } }.", anA(s.Type), s.Labels[len(labels)].Name)
		}
		return
	}
	block := &hclsyntax.Block{Type: s.Type, TypeRange: f.rng(name.start, name.end), OpenBraceRange: f.rng(value.start, min(value.start+1, value.end)),
		CloseBraceRange: f.rng(max(value.end-1, value.start), value.end)}
	for _, l := range labels {
		block.Labels, block.LabelRanges = append(block.Labels, l.text), append(block.LabelRanges, l.at)
	}
	if len(labels) > 0 {
		// The block is found where its own name stands.
		block.TypeRange = labels[len(labels)-1].at
	}
	switch {
	case value.kind == '[' && inOrder(s):
		members := f.ordered(value)
		block.Body = f.body(value, members, s)
	case value.kind == '[':
		for _, e := range value.elements {
			f.blocks(b, name, e, s, labels)
		}
		return
	case value.kind == '{':
		if inOrder(s) && len(value.members) > 1 {
			f.errorf(value, "Order required", "The order of what stands in %s has a meaning, and an object has none. Write a list of objects with one member each: [{ \"text\": { ... } }, { \"file\": { ... } }].", s.Type)
			return
		}
		block.Body = f.body(value, value.members, s)
	default:
		f.errorf(value, "Block required", "%s block is an object here, or a list of objects.", anA(s.Type))
		return
	}
	b.Blocks = append(b.Blocks, block)
}

// ordered are the members of a list of objects with one member each.
func (f *jsonFile) ordered(list jsonNode) []jsonMember {
	var out []jsonMember
	for _, e := range list.elements {
		n := 0
		for _, m := range e.members {
			if m.name.text == "//" {
				continue
			}
			if n++; n > 1 {
				f.errorf(m.name, "Order required", "An object of this list has one member besides a comment, so that the order is plain. Write another object for this one.")
				break
			}
			out = append(out, m)
		}
		if e.kind != '{' || n == 0 {
			f.errorf(e, "Block required", "An element of this list is an object with one member: { \"text\": { \"NAME\": { ... } } }.")
		}
	}
	return out
}

// expression makes the expression that a value stands for. a is the attribute, nil
// when the table does not know it.
func (f *jsonFile) expression(n jsonNode, a *schema.Attribute) hclsyntax.Expression {
	at := f.rng(n.start, n.end)
	switch n.kind {
	case '"':
		return f.text(n, a)
	case '0':
		v, err := cty.ParseNumberVal(n.text)
		if err != nil {
			f.errorf(n, "Invalid number", "This number cannot be read.")
			v = cty.Zero
		}
		return &hclsyntax.LiteralValueExpr{Val: v, SrcRange: at}
	case 't':
		return &hclsyntax.LiteralValueExpr{Val: cty.BoolVal(n.truth), SrcRange: at}
	case '[':
		list := &hclsyntax.TupleConsExpr{SrcRange: at, OpenRange: f.rng(n.start, n.start+1)}
		for _, e := range n.elements {
			list.Exprs = append(list.Exprs, f.expression(e, a))
		}
		return list
	case '{':
		object := &hclsyntax.ObjectConsExpr{SrcRange: at, OpenRange: f.rng(n.start, n.start+1)}
		seen := map[string]jsonNode{}
		for _, m := range n.members {
			if earlier, again := seen[m.name.text]; again {
				d := f.errorf(m.name, "Duplicate name", "%s stands twice in one object. Write it once.", quoted(m.name.text))
				d.Related = []diag.Related{{Message: "first written", At: place(f.rng(earlier.start, earlier.end))}}
				continue
			}
			seen[m.name.text] = m.name
			object.Items = append(object.Items, hclsyntax.ObjectConsItem{
				KeyExpr:   &hclsyntax.ObjectConsKeyExpr{Wrapped: f.text(m.name, nil)},
				ValueExpr: f.expression(m.value, nil),
			})
		}
		return object
	}
	return &hclsyntax.LiteralValueExpr{Val: cty.NullVal(cty.DynamicPseudoType), SrcRange: at}
}

// text makes the expression of a JSON string: a template, or, where the table wants
// the address of a declaration or a type, what is written in it.
func (f *jsonFile) text(n jsonNode, a *schema.Attribute) hclsyntax.Expression {
	at := f.rng(n.start, n.end)
	inner, start := n.text, f.pos(n.start+1)
	exact := n.end-n.start-2 == len(inner) // no escapes, so that places in it are places in the file
	if a != nil && (a.Type == schema.Reference || a.Type == schema.References || a.Type == schema.TypeName) {
		code := inner
		if cut, ok := strings.CutPrefix(code, "${"); ok && strings.HasSuffix(cut, "}") {
			code = strings.TrimSuffix(cut, "}")
			start = f.pos(n.start + 3)
		}
		expr, diags := hclsyntax.ParseExpression([]byte(code), f.name, start)
		comment := a.Type != schema.TypeName && strings.ContainsAny(code, "#/")
		if !diags.HasErrors() && !comment {
			return expr
		}
		inner, start = n.text, f.pos(n.start+1)
	}
	if _, deep := templateTooDeep([]byte(inner), f.name, start); deep {
		f.errorf(n, "Nested too deeply", "Expressions may be nested %d levels deep.", maxDepth)
		return &hclsyntax.LiteralValueExpr{Val: cty.DynamicVal, SrcRange: at} // reported, so nothing follows from it
	}
	if _, long := tooManyLines([]byte(inner), f.name, start, hclsyntax.LexTemplate); long {
		f.errorf(n, "Text too long", tooManyLinesDetail, maxLines)
		return &hclsyntax.LiteralValueExpr{Val: cty.DynamicVal, SrcRange: at}
	}
	expr, diags := hclsyntax.ParseTemplate([]byte(inner), f.name, start)
	if diags.HasErrors() {
		for _, d := range diags {
			where := at
			if exact && d.Subject != nil {
				where = *d.Subject
			}
			f.problems = append(f.problems, diag.Diagnostic{Summary: d.Summary, Detail: d.Detail, Subject: place(where)})
		}
		return &hclsyntax.LiteralValueExpr{Val: cty.DynamicVal, SrcRange: at} // reported, so nothing follows from it
	}
	f.anchor(expr, at, exact)
	return expr
}

// anchor gives an expression the place of its string, quotes included, and, where
// escapes moved what is inside, all of its parts as well: nothing of a secret must
// stand outside of the place that is blotted out.
func (f *jsonFile) anchor(expr hclsyntax.Expression, at hcl.Range, exact bool) {
	switch e := expr.(type) {
	case *hclsyntax.TemplateExpr:
		e.SrcRange = at
	case *hclsyntax.TemplateWrapExpr:
		e.SrcRange = at
	}
	if exact {
		return
	}
	hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		if l, ok := n.(*hclsyntax.LiteralValueExpr); ok {
			l.SrcRange = at
		}
		return nil
	})
}
