package hclfile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// misread explains a syntax error whose own words would mislead, because the
// parser cannot know what a person meant: a block with an equals sign, text
// without quotes, a number with a unit. It reports whether it has an explanation.
// No value is repeated that a sensitive argument could hold.
func (l *loader) misread(d *hcl.Diagnostic, tokens hclsyntax.Tokens) (diag.Diagnostic, bool) {
	var none diag.Diagnostic
	if d.Subject == nil {
		return none, false
	}
	at := slices.IndexFunc(tokens, func(t hclsyntax.Token) bool { return t.Range.End.Byte > d.Subject.Start.Byte })
	if at < 0 {
		return none, false
	}
	if name, b := l.blockWithEquals(tokens, at); b != nil {
		return misreadBlock(tokens[name], b), true
	}
	if line, ok := l.misreadLine(tokens, at); ok {
		return line, true
	}
	return l.misreadValue(argumentAround(tokens, at))
}

// misreadElsewhere reports values that are no expressions in the lines that the
// parser skipped: behind the first error of a block it says nothing.
func (l *loader) misreadElsewhere(tokens hclsyntax.Tokens) {
	const limit = 5 * maxSyntax // each look may read a long line
	looks := 0
	for i := range tokens {
		if looks > limit || i+3 >= len(tokens) || tokens[i+1].Type != hclsyntax.TokenEqual {
			continue
		}
		switch first, second := tokens[i+2].Type, tokens[i+3].Type; {
		case first == hclsyntax.TokenOBrace && beginsBlock(tokens[i+3:]):
			looks++
			if name, b := l.blockBefore(tokens, i+1); b != nil {
				l.report(misreadBlock(tokens[name], b))
			}
		case first != hclsyntax.TokenIdent && first != hclsyntax.TokenNumberLit:
		case second != hclsyntax.TokenIdent && second != hclsyntax.TokenNumberLit && second != hclsyntax.TokenApostrophe:
		default:
			looks++
			if meant, ok := l.misreadValue(argumentAround(tokens, i+2)); ok {
				l.report(meant)
			}
		}
	}
}

// beginsBlock reports tokens that begin with a block, which no object holds.
func beginsBlock(tokens hclsyntax.Tokens) bool {
	for len(tokens) > 2 && endsLine(tokens[0]) {
		tokens = tokens[1:]
	}
	return tokens[0].Type == hclsyntax.TokenIdent && len(tokens) > 1 &&
		(tokens[1].Type == hclsyntax.TokenOQuote || tokens[1].Type == hclsyntax.TokenOBrace)
}

func misreadBlock(name hclsyntax.Token, b *schema.Block) diag.Diagnostic {
	return diag.Errorf(place(name.Range), "Unknown argument", "%s", blockDetail(b))
}

// misreadValue explains the value of an argument that is no expression: the token
// of the argument's name, and those of the value.
func (l *loader) misreadValue(name hclsyntax.Token, value hclsyntax.Tokens) (diag.Diagnostic, bool) {
	if len(value) == 0 || slices.ContainsFunc(value, func(t hclsyntax.Token) bool { return t.Type == hclsyntax.TokenEqual }) {
		return diag.Diagnostic{}, false // with another equals sign there are two arguments on the line
	}
	whole := place(hcl.RangeBetween(value[0].Range, value[len(value)-1].Range))
	argument := string(name.Bytes)
	attr := attributeNamed(l.language, argument)
	unquoted := diag.Errorf(whole, "Text without quotes", "A text is written in quotes: %s = \"...\".", argument)
	switch {
	case value[0].Type == hclsyntax.TokenNumberLit && (attr == nil || !attr.Sensitive):
		return misreadNumber(value, whole, attr, unquoted)
	case value[0].Type == hclsyntax.TokenNumberLit, bareWords(value):
		return unquoted, true
	}
	return diag.Diagnostic{}, false
}

// blockWithEquals finds the name of a block that is written as an argument and
// holds the token: prefix = {, or text "rules" = {.
func (l *loader) blockWithEquals(tokens hclsyntax.Tokens, at int) (int, *schema.Block) {
	var open []int // tokens in front of the braces that are open
	for i, t := range tokens[:at+1] {
		switch t.Type {
		case hclsyntax.TokenOBrace:
			open = append(open, i-1)
		case hclsyntax.TokenCBrace:
			open = open[:max(0, len(open)-1)]
		}
	}
	if tokens[at].Type == hclsyntax.TokenEqual {
		open = append(open, at)
	}
	for _, equals := range slices.Backward(open) {
		if name, b := l.blockBefore(tokens, equals); b != nil {
			return name, b
		}
	}
	return 0, nil
}

// blockBefore finds the name of a block in front of an equals sign.
func (l *loader) blockBefore(tokens hclsyntax.Tokens, equals int) (int, *schema.Block) {
	if equals < 1 || tokens[equals].Type != hclsyntax.TokenEqual {
		return 0, nil
	}
	name := equals - 1
	labelled := name >= 3 && tokens[name].Type == hclsyntax.TokenCQuote && tokens[name-2].Type == hclsyntax.TokenOQuote
	if labelled {
		name -= 3
	}
	word := string(tokens[name].Bytes)
	if tokens[name].Type != hclsyntax.TokenIdent {
		return 0, nil
	}
	b := blockNamed(l.language, word)
	if a := attributeNamed(l.language, word); a != nil && b != nil && !labelled {
		// A name that is both an argument and a block without a name is the block in
		// front of a brace that the argument cannot begin with.
		object := a.Type == schema.Values || a.Type == schema.Secrets || a.Type == schema.Any
		if object || len(b.Labels) > 0 || equals+1 >= len(tokens) || tokens[equals+1].Type != hclsyntax.TokenOBrace {
			return 0, nil
		}
	}
	return name, b
}

// argumentAround finds the argument on whose line a token is: its name and its
// value, which is empty when there is no such argument.
func argumentAround(tokens hclsyntax.Tokens, at int) (name hclsyntax.Token, value hclsyntax.Tokens) {
	first := at
	for first > 0 && !endsLine(tokens[first-1]) {
		first--
	}
	for i := first; i < at && i+1 < len(tokens); i++ {
		begins := i == first || tokens[i-1].Type == hclsyntax.TokenOBrace && i > first+1 && tokens[i-2].Type != hclsyntax.TokenEqual
		if !begins || tokens[i].Type != hclsyntax.TokenIdent || tokens[i+1].Type != hclsyntax.TokenEqual {
			continue
		}
		to := i + 2
		for to < len(tokens) && !endsLine(tokens[to]) && tokens[to].Type != hclsyntax.TokenCBrace {
			to++
		}
		return tokens[i], tokens[i+2 : to]
	}
	return name, nil
}

func endsLine(t hclsyntax.Token) bool {
	switch t.Type {
	case hclsyntax.TokenNewline, hclsyntax.TokenQuotedNewline, hclsyntax.TokenComment, hclsyntax.TokenEOF:
		return true
	}
	return false
}

// bareWords reports a value that begins with a word which is no name of the
// language.
func bareWords(value hclsyntax.Tokens) bool {
	if value[0].Type != hclsyntax.TokenIdent || len(value) > 1 && value[1].Type == hclsyntax.TokenOParen {
		return false
	}
	word := string(value[0].Bytes)
	for _, n := range schema.Names() {
		if root, _, _ := strings.Cut(n.Name, "."); root == word {
			return false
		}
	}
	return !slices.Contains([]string{"true", "false", "null", "not", "provider"}, word)
}

var (
	thousands   = regexp.MustCompile(`^([0-9]+) *[kK]$`)
	millions    = regexp.MustCompile(`^([0-9]+) *[mM]$`)
	grouped     = regexp.MustCompile(`^[0-9]+(?:_[0-9]+)+$|^[0-9]{1,3}(?:,[0-9]{3})+$`)
	decimalMark = regexp.MustCompile(`^[0-9]+,[0-9]+$`)
)

// misreadNumber explains a value that begins with a number and goes on.
func misreadNumber(value hclsyntax.Tokens, whole diag.Range, attr *schema.Attribute, unquoted diag.Diagnostic) (diag.Diagnostic, bool) {
	var b strings.Builder
	for i, t := range value {
		if i > 0 && t.Range.Start.Byte > value[i-1].Range.End.Byte {
			b.WriteByte(' ')
		}
		b.Write(t.Bytes)
	}
	text, number := b.String(), ""
	switch {
	case thousands.MatchString(text):
		number = thousands.FindStringSubmatch(text)[1] + "000"
	case millions.MatchString(text):
		number = millions.FindStringSubmatch(text)[1] + "000000"
	case grouped.MatchString(text):
		number = strings.NewReplacer("_", "", ",", "").Replace(text)
	case decimalMark.MatchString(text):
		number = strings.Replace(text, ",", ".", 1)
	}
	kind := schema.Text
	if attr != nil {
		kind = attr.Type
	}
	switch {
	case kind == schema.Duration && durationForm.MatchString(text):
		return diag.Errorf(whole, "Text without quotes", "A duration is written in quotes: %s.", quoted(text)), true
	case kind == schema.Size && sizeForm.MatchString(text):
		return diag.Errorf(whole, "Text without quotes", "A size with a unit is written in quotes: %s.", quoted(text)), true
	case kind == schema.Duration, kind == schema.Size && !grouped.MatchString(text):
		written := kind.Written()
		return diag.Errorf(whole, "Invalid number", "%s.", strings.ToUpper(written[:1])+written[1:]), true
	case number != "":
		return diag.Errorf(whole, "Invalid number", "A number has digits and a point only: write %s.", number), true
	case kind == schema.Text && len(value) > 1 && value[1].Type == hclsyntax.TokenIdent:
		return unquoted, true
	}
	return diag.Diagnostic{}, false
}

// attributeNamed is the first attribute of that name in a language, nil without.
func attributeNamed(b *schema.Block, name string) *schema.Attribute {
	if a, ok := b.Attribute(name); ok {
		return a
	}
	for _, c := range b.Blocks {
		if a := attributeNamed(c.Block, name); a != nil {
			return a
		}
	}
	return nil
}

// blockNamed is the first block of that type in a language, nil without.
func blockNamed(b *schema.Block, name string) *schema.Block {
	for _, c := range b.Blocks {
		if c.Block.Type == name {
			return c.Block
		}
		if inner := blockNamed(c.Block, name); inner != nil {
			return inner
		}
	}
	return nil
}
