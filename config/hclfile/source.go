package hclfile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dsh-hcl/dsh/config/diag"
)

// source is one file of HCL. name is its path as messages show it, which is also
// the key of its text in diag.Sources.
type source struct {
	name   string
	folder string // absolute; relative paths written in the file start here
	text   []byte
	body   *hclsyntax.Body // nil when the file could not be read as HCL
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// read returns a file's text and whether it could be read; at is where the file
// is named, and what says which file it is: "template".
func (l *loader) read(path string, max int64, at diag.Range, what string) ([]byte, bool) {
	text, err := l.opts.Files.ReadFile(path, max)
	if err == nil {
		return text, true
	}
	l.unreadable(path, err, at, what)
	return nil, false
}

// notUTF8 returns the place of the first byte that is not UTF-8.
func notUTF8(name string, text []byte) (diag.Range, bool) {
	if utf8.Valid(text) {
		return diag.Range{}, false
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return placeAt(name, text, i, i+1), true
		}
		i += size
	}
	return diag.Range{}, false
}

// parsed is what reading a text as HCL yields. It is made without the loader, so
// that files are read at the same time.
type parsed struct {
	body     *hclsyntax.Body
	syntax   hcl.Diagnostics
	tokens   hclsyntax.Tokens // of a text with syntax errors
	problems diag.List
	blind    bool // the text could not be read as a whole
	broken   bool // nothing of it could be read
}

// scan reads the text of a source as HCL. A body with errors holds what could be
// understood.
func scan(s *source) parsed {
	if at, bad := notUTF8(s.name, s.text); bad {
		return parsed{blind: true, problems: diag.List{diag.Errorf(at, "Not UTF-8", "This byte is not UTF-8 text. Save the file as UTF-8.")}}
	}
	var p parsed
	text, start := s.text, hcl.InitialPos
	if bytes.HasPrefix(text, byteOrderMark) {
		p.problems = append(p.problems, markAtStart(s))
		text, start.Byte = text[len(byteOrderMark):], len(byteOrderMark)
	}
	if at, deep := tooDeep(text, s.name, start); deep {
		p.blind = true
		p.problems = append(p.problems, diag.Errorf(place(at), "Nested too deeply", "Expressions and blocks may be nested %d levels deep.", maxDepth))
		return p
	}
	if at, long := tooManyLines(text, s.name, start, hclsyntax.LexConfig); long {
		p.blind = true
		p.problems = append(p.problems, diag.Errorf(place(at), "Text too long", tooManyLinesDetail, maxLines))
		return p
	}
	file, diags := hclsyntax.ParseConfig(text, s.name, start)
	p.body, _ = file.Body.(*hclsyntax.Body)
	p.syntax, p.blind = diags, diags.HasErrors()
	if d, other := otherSyntax(s, text, diags); p.blind && other {
		p.syntax, p.broken = nil, true
		p.problems = append(p.problems, d)
		return p
	}
	if p.blind {
		p.tokens, _ = hclsyntax.LexConfig(text, s.name, start)
	} else if p.body != nil {
		prepare(p.body)
	}
	return p
}

// otherSyntax is the one problem of a text in which the parser stumbles over the first
// thing it reads: JSON, or a comment without an end.
func otherSyntax(s *source, text []byte, diags hcl.Diagnostics) (diag.Diagnostic, bool) {
	if len(diags) == 0 || diags[0].Subject == nil {
		return diag.Diagnostic{}, false
	}
	at := len(s.text) - len(text) + len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	if at < len(s.text) && s.text[at] == '{' && diags[0].Subject.Start.Byte <= at {
		detail := "This is JSON, which has no place here. Write NAME = VALUE."
		if base := filepath.Base(s.name); isConfiguration(base) {
			detail = fmt.Sprintf("This is JSON. Rename the file to %s.json, or write it in HCL.", base)
		} else if !strings.HasSuffix(base, valuesEnding) {
			detail = "This is JSON, which has no place here. Write it in HCL."
		}
		return diag.Errorf(placeAt(s.name, s.text, at, at+1), "JSON in a file of HCL", "%s", detail), true
	}
	first := diags[0].Subject.Start.Byte
	if first < len(s.text) && bytes.HasPrefix(s.text[first:], []byte("/*")) && !bytes.Contains(s.text[first+2:], []byte("*/")) {
		return diag.Errorf(placeAt(s.name, s.text, first, first+2), "Comment not closed", "The comment that begins here has no end. Write */ behind it."), true
	}
	return diag.Diagnostic{}, false
}

// markAtStart is the problem of a file that begins with a byte order mark.
func markAtStart(s *source) diag.Diagnostic {
	return diag.Errorf(placeAt(s.name, s.text, 0, len(byteOrderMark)), "Byte order mark",
		"A configuration file must not begin with a byte order mark. Save the file as UTF-8 without one.")
}

// accept takes in what scan found.
func (l *loader) accept(s *source, p parsed) {
	l.sources[s.name] = s.text
	l.files[s.name] = s
	l.diags = append(l.diags, p.problems...)
	l.syntax(p.syntax, p.tokens)
	l.blind = l.blind || p.blind
	s.body = p.body
	if isJSON(s.name) && p.problems.HasErrors() {
		l.maskJSON(s.name)
	}
	l.maskSecrets(s, p.syntax.HasErrors() || p.broken)
}

// maxSyntax is how many syntax errors of one file are reported: behind so many, a
// file is not a configuration, or one mistake has upset all that follows.
const maxSyntax = 20

// syntax reports what the parser found. A text that lacks its closing quote
// makes the parser stumble over every line behind it; only the first is reported.
// tokens are those of a configuration file, nil for other texts.
func (l *loader) syntax(diags hcl.Diagnostics, tokens hclsyntax.Tokens) {
	const multiLine, unterminated = "Invalid multi-line string", "Unterminated template string"
	broken, reported := false, 0
	begins, swallowed := 0, false
	last := -1 // where the error before this one is: a second one there says nothing new
	if len(diags) > 0 && len(tokens) > 0 {
		var open diag.Diagnostic
		if open, begins, swallowed = unclosed(tokens); swallowed {
			l.report(open)
		}
	}
	for _, d := range diags {
		if swallowed && (d.Subject == nil || d.Subject.End.Byte >= begins) {
			continue
		}
		if broken && (d.Summary == multiLine || d.Summary == unterminated) {
			continue
		}
		if d.Subject != nil && d.Subject.Start.Byte == last {
			continue
		}
		if d.Subject != nil {
			last = d.Subject.Start.Byte
		}
		broken = broken || d.Summary == multiLine
		if reported++; reported > maxSyntax {
			return
		}
		if meant, ok := l.misread(d, tokens); ok {
			l.report(meant)
			if meant.Summary == heredocForm {
				return
			}
			continue
		}
		out := diag.Diagnostic{Summary: d.Summary, Detail: d.Detail, Subject: placeOf(d.Subject), Context: placeOf(d.Context)}
		if d.Subject != nil {
			out.Detail += l.literalAdvice(*d.Subject)
		}
		l.report(out)
	}
	if !broken && !swallowed {
		l.misreadElsewhere(tokens)
	}
}

// literalAdvice says how to write text that HCL takes for an expression, when the
// place looks like a shell variable or a format of another language.
func (l *loader) literalAdvice(r hcl.Range) string {
	s, ok := l.sources[r.Filename]
	if !ok || r.Start.Byte > len(s) {
		return ""
	}
	if text := shellExpansion(s, r.Start.Byte); text != "" {
		return fmt.Sprintf(" To write the text %s itself, double its first character: %s.", text, text[:1]+text)
	}
	return ""
}
