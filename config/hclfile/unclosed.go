package hclfile

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dsh-hcl/dsh/config/diag"
)

// unclosed finds what swallows the rest of a text: the heredoc or the ${ that has no
// end, the innermost when it lies in another. The parser reports it where the text
// ends. offset is where it begins.
func unclosed(tokens hclsyntax.Tokens) (problem diag.Diagnostic, offset int, found bool) {
	var open, long hclsyntax.Tokens // long are those that a brace of another line ends
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open = append(open, t)
		case hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			if n := len(open) - 1; n >= 0 {
				if open[n].Type != hclsyntax.TokenOHeredoc && open[n].Range.Start.Line < t.Range.Start.Line {
					long = append(long, open[n])
				}
				open = open[:n]
			}
		}
	}
	if len(open) == 0 {
		return diag.Diagnostic{}, 0, false
	}
	t := open[len(open)-1]
	for _, inner := range long {
		// A ${ without end took the line that ends the heredoc, up to the brace of a
		// block.
		if t.Type == hclsyntax.TokenOHeredoc && inner.Range.Start.Byte > t.Range.Start.Byte {
			t = inner
			break
		}
	}
	start := string(bytes.TrimRight(bytes.TrimRight(t.Bytes, "~"), "\r\n"))
	at := place(t.Range)
	at.End = at.Start
	at.End.Column, at.End.Byte = at.Start.Column+len(start), at.Start.Byte+len(start)
	if t.Type == hclsyntax.TokenOHeredoc {
		name := bytes.TrimLeft([]byte(start), "<-")
		return diag.Errorf(at, "Unclosed heredoc", "The heredoc %s that begins here has no line %s that ends it. Nothing else stands on that line.", start, name), at.Start.Byte, true
	}
	return diag.Errorf(at, "Unclosed expression", "The %s that begins here has no } that ends it. To write it as text, double its first character: %s.", start, start[:1]+start), at.Start.Byte, true
}

// openDirective finds the if or for of a template that has no end.
func openDirective(tokens hclsyntax.Tokens) (diag.Diagnostic, bool) {
	var open []int
	for i := 0; i+1 < len(tokens); i++ {
		if tokens[i].Type != hclsyntax.TokenTemplateControl {
			continue
		}
		switch string(tokens[i+1].Bytes) {
		case "if", "for":
			open = append(open, i)
		case "endif", "endfor":
			open = open[:max(0, len(open)-1)]
		}
	}
	if len(open) == 0 {
		return diag.Diagnostic{}, false
	}
	i := open[len(open)-1]
	word := string(tokens[i+1].Bytes)
	at := place(tokens[i].Range)
	at.End = place(tokens[i+1].Range).End
	return diag.Errorf(at, "Unclosed directive", "The %%{ %s that begins here has no %%{ end%s }.", word, word), true
}

// misreadLine explains a line that is no argument and no block: a brace too many, two
// equals signs, a block with an equals sign and a name, a heredoc in another form.
func (l *loader) misreadLine(tokens hclsyntax.Tokens, at int) (diag.Diagnostic, bool) {
	is := func(i int, kind hclsyntax.TokenType) bool { return i >= 0 && i < len(tokens) && tokens[i].Type == kind }
	switch {
	case is(at, hclsyntax.TokenCBrace) && depth(tokens[:at]) == 0:
		return diag.Errorf(place(tokens[at].Range), "Unexpected brace", "This } closes nothing: there is one } more than there are {."), true
	case is(at, hclsyntax.TokenIdent) && is(at+1, hclsyntax.TokenEqualOp):
		return diag.Errorf(place(tokens[at+1].Range), "Two equals signs", "An argument has one equals sign: %s = ...", tokens[at].Bytes), true
	case is(at, hclsyntax.TokenLessThan) && is(at+1, hclsyntax.TokenLessThan) && is(at-1, hclsyntax.TokenEqual):
		whole := place(tokens[at].Range)
		whole.End = place(tokens[at+1].Range).End
		return diag.Errorf(whole, heredocForm, "A heredoc begins with <<NAME or <<-NAME, without a space or quotes, and nothing follows on its line."), true
	case is(at, hclsyntax.TokenOBrace) && is(at-1, hclsyntax.TokenCQuote) && is(at-4, hclsyntax.TokenEqual) && is(at-5, hclsyntax.TokenIdent):
		if b := blockNamed(l.language, string(tokens[at-5].Bytes)); b != nil && len(b.Labels) > 0 {
			return misreadBlock(tokens[at-5], b), true
		}
	}
	return diag.Diagnostic{}, false
}

// heredocForm is the summary of a heredoc that is none: what follows is text, and
// looks like mistakes.
const heredocForm = "Heredoc cannot be read"

// depth is how many braces are open behind tokens.
func depth(tokens hclsyntax.Tokens) int {
	n := 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace:
			n++
		case hclsyntax.TokenCBrace:
			n = max(0, n-1)
		}
	}
	return n
}
