package provider

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxProviderText bounds, in bytes, how much of a provider's own text an error
// carries.
const MaxProviderText = 500

// Secrets are the credentials of one request, known for one purpose: to take them
// out of text that came back. The zero Secrets knows none.
type Secrets struct {
	values []string  // the longest first: a secret that begins with another one goes as a whole
	begins [256]bool // bytes that a spelling of one can begin with
}

// NewSecrets returns Secrets that know values and the ways in which JSON, HTML and
// URLs spell them, whichever characters they spell so. Empty values are left out.
func NewSecrets(values ...string) Secrets {
	var s Secrets
	for _, v := range values {
		if v == "" || slices.Contains(s.values, v) {
			continue
		}
		s.values = append(s.values, v)
		s.begins[v[0]] = true
		if v[0] >= utf8.RuneSelf {
			s.begins["\uFFFD"[0]] = true
		}
	}
	if len(s.values) == 0 {
		return s
	}
	for i := range len(escapes) {
		s.begins[escapes[i]] = true
	}
	slices.SortStableFunc(s.values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return s
}

// Hide returns text with every secret replaced by "(sensitive)".
func (s Secrets) Hide(text string) string {
	text, _ = s.hide(text)
	return text
}

// hide is Hide. open is where in the result a secret begins that the end of text
// cuts, the length of the result when there is none.
func (s Secrets) hide(text string) (hidden string, open int) {
	if len(s.values) == 0 {
		return text, len(text)
	}
	var b strings.Builder
	open, copied := -1, 0
	for i := 0; i < len(text); {
		if !s.begins[text[i]] {
			i++
			continue
		}
		found := 0
		for _, v := range s.values {
			n, cut := spelt(text[i:], v)
			if cut && open < 0 {
				open = b.Len() + i - copied
			}
			if n > 0 {
				found = n
				break
			}
		}
		if found == 0 {
			i++
			continue
		}
		b.WriteString(text[copied:i])
		b.WriteString("(sensitive)")
		i += found
		copied = i
	}
	b.WriteString(text[copied:])
	hidden = b.String()
	if open < 0 {
		open = len(hidden)
	}
	return hidden, open
}

// Clean is Hide for text from outside. cut says that text is only the beginning of
// what came; then the beginning of a secret at its end is dropped.
func (s Secrets) Clean(text string, cut bool) string {
	text, open := s.hide(text)
	if cut {
		return text[:open]
	}
	return text
}

// Excerpt makes text from outside fit for an error: secrets hidden, one line,
// valid UTF-8, nothing that could steer a terminal, at most MaxProviderText bytes.
// cut says that text is only the beginning of what came; then the beginning of a
// secret at its end is dropped.
func (s Secrets) Excerpt(text string, cut bool) string {
	text = s.Clean(text, cut)
	var b strings.Builder
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || !unicode.IsGraphic(r):
			space = b.Len() > 0
			continue
		case space:
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		if b.Len() > MaxProviderText {
			break
		}
	}
	out := b.String()
	if len(out) <= MaxProviderText {
		return out
	}
	const ellipsis = "…"
	n := MaxProviderText - len(ellipsis)
	for !utf8.RuneStart(out[n]) {
		n--
	}
	return out[:n] + ellipsis
}
