package ref

import (
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Reference is a session that a text cites, under the label that the text shows.
type Reference struct{ SessionID, Label string }

// Mention writes a reference as a text cites it: @[label](uri). A backslash and ] in
// the label get a backslash in front. Errors: *Error with CodeInvalidReference for
// text that is not UTF-8 (spec/references.md section 3.1).
func (r Reference) Mention() (string, error) {
	uri, err := EncodeURI(r.SessionID)
	if err != nil {
		return "", err
	}
	if err := canon.CheckText(r.Label); err != nil {
		return "", &Error{CodeInvalidReference, "a label is UTF-8 text", err}
	}
	return "@[" + strings.NewReplacer(`\`, `\\`, `]`, `\]`).Replace(r.Label) + "](" + uri + ")", nil
}

// Parse takes the mentions out of a text: each is replaced by @ and its label, and
// all references are returned in order, repeats included. One that cannot be decoded
// refuses the whole text. Its cost is linear in the text. Errors: *Error with
// CodeInvalidReference (spec/references.md section 3.2).
func Parse(text string) (string, []Reference, error) {
	var out strings.Builder
	var refs []Reference
	copied := 0
	hopeless := 0 // no explicit mention begins before this byte
	end := -1     // where the address that was looked at last ends, or could have
	for i := 0; i < len(text); {
		var m match
		switch {
		case i >= hopeless && strings.HasPrefix(text[i:], "@["):
			m = explicit(text, i, &end)
			if m.end == 0 {
				// Whatever begins in between comes to the same end.
				hopeless = m.failed
			}
		case strings.HasPrefix(text[i:], Scheme):
			m = bare(text, i)
		}
		if m.end == 0 {
			i++
			continue
		}
		id, err := DecodeURI(m.uri)
		if err != nil {
			return "", nil, err
		}
		r := Reference{id, id}
		if m.labelled {
			r.Label = m.label
		}
		out.WriteString(text[copied:i])
		out.WriteString("@" + r.Label)
		refs = append(refs, r)
		i, copied = m.end, m.end
	}
	out.WriteString(text[copied:])
	return out.String(), refs, nil
}

// match is one mention in a text, or, with end 0, where looking for one failed.
type match struct {
	end      int
	uri      string
	label    string
	labelled bool
	failed   int
}

// explicit reads @[label](uri) at i. end is the first closing parenthesis or space
// behind the place where one was looked for last; a text without one is searched once.
func explicit(text string, i int, end *int) match {
	at := i + len("@[")
	var label strings.Builder
	for {
		if at >= len(text) {
			return match{failed: at}
		}
		c := text[at]
		if c == ']' {
			break
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		if c == '\\' {
			next, n := utf8.DecodeRuneInString(text[at+1:])
			if n == 0 || lineTerminator(next) {
				return match{failed: at + 1}
			}
			label.WriteString(text[at+1 : at+1+n])
			at += 1 + n
			continue
		}
		label.WriteString(text[at : at+size])
		at += size
	}
	rest, ok := strings.CutPrefix(text[at:], "]("+Scheme)
	if !ok {
		return match{failed: at + 1}
	}
	from := len(text) - len(rest)
	if *end < from {
		n := strings.IndexFunc(rest, func(r rune) bool { return r == ')' || JavaScriptSpace(r) })
		if n < 0 {
			n = len(rest)
		}
		*end = from + n
	}
	if *end == len(text) || text[*end] != ')' {
		return match{failed: at + 1}
	}
	return match{end: *end + 1, uri: Scheme + text[from:*end], label: label.String(), labelled: true}
}

// bare reads a URI that stands for itself at i.
func bare(text string, i int) match {
	n := base64Run(text[i+len(Scheme):])
	if n == 0 {
		return match{}
	}
	end := i + len(Scheme) + n
	return match{end: end, uri: text[i:end]}
}

func lineTerminator(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

// JavaScriptSpace reports what \s matches in JavaScript, where the grammars of mentions come
// from.
func JavaScriptSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == '\u00a0', r == '\u1680', r >= '\u2000' && r <= '\u200a',
		lineTerminator(r), r == '\u202f', r == '\u205f', r == '\u3000', r == '\ufeff':
		return true
	}
	return false
}
