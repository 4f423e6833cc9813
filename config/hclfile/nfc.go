package hclfile

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// checkNFC warns when text in an expression was not in NFC, which changes what
// the model sees.
func (l *loader) checkNFC(expr hcl.Expression) {
	r := expr.Range()
	src, ok := l.sources[r.Filename]
	if !ok || r.End.Byte > len(src) || r.Start.Byte > r.End.Byte {
		return
	}
	warn := func(at diag.Range) {
		l.warnf(schema.RuleNFC, at, "Text changed by normalisation",
			"The text here is not in Unicode NFC; the language turns it into NFC. To give the model these exact bytes, put them into a file and use a file contributor.")
	}
	text := src[r.Start.Byte:r.End.Byte]
	if i := firstChange(text); i >= 0 {
		i += r.Start.Byte
		_, size := utf8.DecodeRune(src[i:])
		warn(placeAt(r.Filename, src, i, i+size))
		return
	}
	if bytes.Contains(text, []byte(`\u`)) || bytes.Contains(text, []byte(`\U`)) {
		tokens, _ := hclsyntax.LexExpression(text, r.Filename, r.Start)
		for _, t := range tokens {
			if t.Type != hclsyntax.TokenQuotedLit {
				continue
			}
			// The escapes of HCL are escapes of Go as well.
			s, err := strconv.Unquote(`"` + string(t.Bytes) + `"`)
			if err == nil && firstChange([]byte(s)) >= 0 {
				warn(place(t.Range))
				return
			}
		}
	}
}

// notNFC reports a name that is not in NFC. Two names must not look the same, and
// expressions read names in NFC only.
func (l *loader) notNFC(at diag.Range, name string) {
	l.errorf(at, "Invalid name", "This name is not in Unicode NFC, so it is another name than one that looks the same. Write it as %s in NFC.",
		quoted(cty.NormalizeString(name)))
}

// firstChange is the offset of the first byte at which NFC differs from the text,
// -1 when nothing does.
func firstChange(src []byte) int {
	ascii := true
	for _, c := range src {
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return -1
	}
	text := string(src)
	normal := cty.NormalizeString(text)
	if normal == text {
		return -1
	}
	i := 0
	for i < len(text) && i < len(normal) && text[i] == normal[i] {
		i++
	}
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
