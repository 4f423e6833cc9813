package hclfile

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/schema"
)

// maskSecrets blots out the secrets that are written into a file, in the copy of
// its text that snippets are cut from. Lengths stay, so that places do not move.
func (l *loader) maskSecrets(s *source, broken bool) {
	if s.body != nil {
		l.maskBody(s.body, l.language)
	}
	if broken {
		l.maskLines(s.name)
	}
}

func (l *loader) maskBody(b *hclsyntax.Body, s *schema.Block) {
	if s.Type == "variable" {
		if d := b.Attributes["default"]; d != nil && maybeSensitive(b) { // a constant, so everything in it is the value
			l.blot(d.Expr.Range().Filename, d.Expr.Range().Start.Byte, d.Expr.Range().End.Byte)
		}
	}
	for name, a := range b.Attributes {
		if l.hidden(name, s) {
			l.blotLiterals(a.Expr)
		}
	}
	for _, inner := range b.Blocks {
		if child, ok := s.Child(inner.Type); ok {
			l.maskBody(inner.Body, child.Block)
		} else {
			l.maskBody(inner.Body, &schema.Block{})
		}
	}
}

// secretName is how people call what is secret.
const secretName = `(?i:[a-z0-9_-]*(?:key|token|secret|password|credential)s?)`

var secretNameOnly = regexp.MustCompile(`^` + secretName + `$`)

// hidden reports whether an attribute may hold a secret: the table says so, or
// does not know the attribute there and its name suggests it.
func (l *loader) hidden(name string, s *schema.Block) bool {
	if a, known := s.Attribute(name); known {
		return a.Sensitive
	}
	if a, _, former := s.Renamed(name); former {
		return a.Sensitive
	}
	if meant, ok := s.Attribute(nearest(name, s.AttributeNames())); ok && meant.Sensitive {
		return true
	}
	elsewhere := attributeNamed(l.language, name)
	return elsewhere != nil && elsewhere.Sensitive || secretNameOnly.MatchString(name)
}

func sensitiveNames(s *schema.Block) []string {
	var out []string
	for _, a := range s.Attributes {
		if !a.Sensitive {
			continue
		}
		out = append(out, a.Name)
		for _, f := range a.Former {
			out = append(out, f.Name)
		}
	}
	return out
}

// blotLiterals blots out the texts that are written in an expression, but not
// the names of an object.
func (l *loader) blotLiterals(expr hcl.Expression) {
	node, ok := expr.(hclsyntax.Node)
	if !ok {
		return
	}
	var names []hcl.Range
	hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.ObjectConsKeyExpr:
			names = append(names, n.Range())
		case *hclsyntax.LiteralValueExpr:
			inName := slices.ContainsFunc(names, func(r hcl.Range) bool { return overlap(r, n.SrcRange) })
			if n.Val.Type() == cty.String && !inName {
				l.blot(n.SrcRange.Filename, n.SrcRange.Start.Byte, n.SrcRange.End.Byte)
			}
		}
		return nil
	})
}

// blot overwrites bytes of a source in a copy of it; line breaks stay. The copy is
// made once.
func (l *loader) blot(name string, from, to int) {
	text := l.sources[name]
	if !l.masked[name] {
		text = bytes.Clone(text)
		l.masked[name] = true
	}
	for i := max(0, from); i < min(to, len(text)); i++ {
		if text[i] != '\n' && text[i] != '\r' {
			text[i] = '*'
		}
	}
	l.sources[name] = text
}

// maskLines blots out what is quoted behind the name of a sensitive attribute, in
// a file that could not be parsed as a whole. It rather hides too much.
func (l *loader) maskLines(name string) {
	var names []string
	var collect func(s *schema.Block)
	collect = func(s *schema.Block) {
		names = append(names, sensitiveNames(s)...)
		for _, c := range s.Blocks {
			collect(c.Block)
		}
	}
	collect(l.language)
	if len(names) == 0 {
		return
	}
	begin := regexp.MustCompile(`^\s*(?:[A-Za-z_]+\s+"[^"]*"\s*\{\s*)?\{?\s*"?(?:` + strings.Join(names, "|") + `|` + secretName + `)"?\s*[={:]`)
	offset, inside := 0, false
	for line := range bytes.Lines(l.sources[name]) {
		from := 0
		m := begin.FindIndex(line)
		if m != nil {
			from, inside = m[1], bytes.Contains(line, []byte("{"))
		} else if !inside {
			offset += len(line)
			continue
		}
		// What stands in front of a quote may be the secret, too.
		i := bytes.IndexAny(line[from:], `"'`)
		switch {
		case i >= 0 && (m == nil || len(bytes.Trim(line[from:from+i], " \t{")) == 0):
			l.blot(name, offset+from+i+1, offset+len(line))
		case m != nil:
			l.blot(name, offset+from, offset+len(line))
		}
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("}")) {
			inside = false
		}
		offset += len(line)
	}
}
