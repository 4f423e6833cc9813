package provider

import (
	"cmp"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// MaxProviderText bounds, in bytes, how much of a provider's own text an error
// carries.
const MaxProviderText = 500

// Secrets are the credentials of one request, known for one purpose: to take them
// out of text that came back. The zero Secrets knows none.
type Secrets struct {
	spellings []string
	replacer  *strings.Replacer
}

// NewSecrets returns Secrets that know values and the ways in which JSON, HTML and
// URLs spell them. Empty values are left out.
func NewSecrets(values ...string) Secrets {
	var spellings []string
	for _, v := range values {
		if v == "" {
			continue
		}
		quoted := canon.Quote(strings.ToValidUTF8(v, "\uFFFD"))
		quoted = quoted[1 : len(quoted)-1]
		for _, s := range [...]string{v, quoted, strings.ReplaceAll(quoted, "/", `\/`),
			html.EscapeString(v), url.QueryEscape(v), url.PathEscape(v)} {
			if !slices.Contains(spellings, s) {
				spellings = append(spellings, s)
			}
		}
	}
	if len(spellings) == 0 {
		return Secrets{}
	}
	// The longest first: a secret that begins with another one goes as a whole.
	slices.SortStableFunc(spellings, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(spellings))
	for _, s := range spellings {
		pairs = append(pairs, s, "(sensitive)")
	}
	return Secrets{spellings: spellings, replacer: strings.NewReplacer(pairs...)}
}

// Hide returns text with every secret replaced by "(sensitive)".
func (s Secrets) Hide(text string) string {
	if s.replacer == nil {
		return text
	}
	return s.replacer.Replace(text)
}

// Clean is Hide for text from outside. cut says that text is only the beginning of
// what came; then the beginning of a secret at its end is dropped.
func (s Secrets) Clean(text string, cut bool) string {
	if cut {
		text = s.withoutBeginning(text)
	}
	return s.Hide(text)
}

// withoutBeginning drops what may be the beginning of a secret from the end of text.
func (s Secrets) withoutBeginning(text string) string {
	drop := 0
	for _, spelt := range s.spellings {
		for n := min(len(spelt)-1, len(text)); n > drop; n-- {
			if strings.HasSuffix(text, spelt[:n]) {
				drop = n
			}
		}
	}
	return text[:len(text)-drop]
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
