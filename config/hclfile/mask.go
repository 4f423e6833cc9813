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
			if known, ok := s.Attribute(name); ok && known.Type == schema.Secret {
				l.blotObjects(a.Expr) // no object belongs there, so its names may be the secret
			}
			l.blotLiterals(a.Expr)
			continue
		}
		hclsyntax.VisitAll(a.Expr.(hclsyntax.Node), func(n hclsyntax.Node) hcl.Diagnostics {
			if call, is := n.(*hclsyntax.FunctionCallExpr); is && call.Name == "sensitive" {
				l.blotLiterals(call)
			}
			return nil
		})
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
			if t := n.Val.Type(); (t == cty.String || t == cty.Number) && !inName {
				l.blot(n.SrcRange.Filename, n.SrcRange.Start.Byte, n.SrcRange.End.Byte)
			}
		}
		return nil
	})
}

// blotObjects blots out the objects that are written in an expression.
func (l *loader) blotObjects(expr hclsyntax.Expression) {
	hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		if o, is := n.(*hclsyntax.ObjectConsExpr); is {
			l.blot(o.SrcRange.Filename, o.SrcRange.Start.Byte, o.SrcRange.End.Byte)
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
	begin := regexp.MustCompile(`(?:^|[^A-Za-z0-9_-])(?:` + strings.Join(names, "|") + `|` + secretName + `)"?(?:\s*[={:]|\s+["'])`)
	// A value without equals sign and quotes stands behind a name that begins its line.
	bare := regexp.MustCompile(`^\s*(?:` + strings.Join(names, "|") + `|` + secretName + `)[ \t]+[^\s={:"'#/]`)
	l.maskDefaults(name)
	offset, inside := 0, false
	for line := range bytes.Lines(l.sources[name]) {
		from := 0
		m := begin.FindIndex(line)
		if at := bare.FindIndex(line); at != nil {
			l.blot(name, offset+at[1]-1, offset+len(line))
			offset += len(line)
			continue
		}
		if m != nil {
			from, inside = m[1], bytes.Contains(line, []byte("{"))
			if line[from-1] == '"' || line[from-1] == '\'' {
				from--
			}
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

// maskDefaults blots out the defaults of variables that may be sensitive, in a file that
// could not be parsed as a whole.
func (l *loader) maskDefaults(name string) {
	var begins = regexp.MustCompile(`(?m)^\s*variable\b`)
	var value = regexp.MustCompile(`(?:^|[^A-Za-z0-9_])default[ \t]*[=:]?`)
	text := l.sources[name]
	places := begins.FindAllIndex(text, -1)
	for i, at := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		section := text[at[0]:end]
		if !bytes.Contains(bytes.ToLower(section), []byte("sens")) {
			continue
		}
		for _, v := range value.FindAllIndex(section, -1) {
			stop := len(section)
			if i := bytes.IndexByte(section[v[1]:], '\n'); i >= 0 && !bytes.ContainsAny(section[v[1]:v[1]+i], "[{(<") {
				stop = v[1] + i
			}
			l.blot(name, at[0]+v[1], at[0]+stop)
		}
	}
}

// maskJSON blots out every value of a file in JSON that is not yet right: which of them
// are secret is known only when all of it is understood. Simple names stay.
func (l *loader) maskJSON(name string) {
	simple := regexp.MustCompile(`^"[A-Za-z0-9_.-]*"\s*:`)
	text := bytes.Clone(l.sources[name])
	for i := 0; i < len(text); {
		if text[i] != '"' {
			if !bytes.ContainsRune([]byte(" \t\r\n{}[]:,"), rune(text[i])) {
				l.blot(name, i, i+1)
			}
			i++
			continue
		}
		if m := simple.Find(text[i:]); m != nil {
			i += len(m)
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' && text[end] != '\n' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		l.blot(name, i+1, end)
		i = end + 1
	}
}
