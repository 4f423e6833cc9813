package hclfile

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maxDepth is how deeply a text may be nested. The parser recurses, so without a
// bound a small hostile file would exhaust the stack, which no recover catches.
const maxDepth = 400

// tooDeep finds the place where a text is nested too deeply. Reading tokens costs
// as much as the parser's own reading, so it is left out for texts with too few
// opening characters to be deep.
func tooDeep(text []byte, name string, start hcl.Pos) (hcl.Range, bool) {
	return deepTokens(text, func() hclsyntax.Tokens {
		tokens, _ := hclsyntax.LexConfig(text, name, start)
		return tokens
	})
}

func templateTooDeep(text []byte, name string, start hcl.Pos) (hcl.Range, bool) {
	return deepTokens(text, func() hclsyntax.Tokens {
		tokens, _ := hclsyntax.LexTemplate(text, name, start)
		return tokens
	})
}

func deepTokens(text []byte, lex func() hclsyntax.Tokens) (hcl.Range, bool) {
	openers := 0
	for _, c := range text {
		switch c {
		case '(', '[', '{', '!', '-', '?', '<', '*':
			openers++
		}
	}
	if openers <= maxDepth {
		return hcl.Range{}, false
	}
	return depthOf(lex())
}

// level is an open bracket. pending counts the operators around it that nest;
// lines says that a line break inside ends an expression.
type level struct {
	pending int
	lines   bool
}

// depthOf returns the first token that is too deep. A prefix operator and a
// conditional nest what follows them, an index and a splat what precedes them,
// until their element, their line or the bracket around them ends.
func depthOf(tokens hclsyntax.Tokens) (hcl.Range, bool) {
	var open []level
	pending, directives := 0, 0
	for i, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace:
			open = append(open, level{pending, true})
		case hclsyntax.TokenOBrack:
			if i > 0 && indexes(tokens[i-1].Type) {
				pending++
			}
			open = append(open, level{pending, false})
		case hclsyntax.TokenStar:
			if i > 0 && tokens[i-1].Type == hclsyntax.TokenDot {
				pending++
			}
		case hclsyntax.TokenOParen, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp:
			open = append(open, level{pending, false})
		case hclsyntax.TokenTemplateControl:
			open = append(open, level{pending, false})
			if i+1 < len(tokens) {
				switch string(tokens[i+1].Bytes) {
				case "if", "for":
					directives++
				case "endif", "endfor":
					directives = max(0, directives-1)
				}
			}
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCQuote,
			hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			if n := len(open); n > 0 {
				pending = open[n-1].pending
				open = open[:n-1]
			}
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion:
			pending++
		case hclsyntax.TokenNewline, hclsyntax.TokenComma:
			switch n := len(open); {
			case n == 0:
				pending = 0
			case open[n-1].lines || t.Type == hclsyntax.TokenComma:
				pending = open[n-1].pending
			}
		}
		if len(open)+pending+directives > maxDepth {
			return t.Range, true
		}
	}
	return hcl.Range{}, false
}

// indexes reports whether a bracket behind such a token indexes it.
func indexes(t hclsyntax.TokenType) bool {
	return t == hclsyntax.TokenCBrack || t == hclsyntax.TokenCParen || t == hclsyntax.TokenIdent || t == hclsyntax.TokenCBrace
}

// maxLines is how many lines a text in a file may have, without a part that is
// evaluated between them. The parser puts lines together one by one, each time anew.
const maxLines = 10_000

// tooManyLines finds a text that has more lines than that.
func tooManyLines(text []byte, name string, start hcl.Pos, lex lexer) (hcl.Range, bool) {
	if bytes.Count(text, []byte{'\n'}) <= maxLines {
		return hcl.Range{}, false
	}
	tokens, _ := lex(text, name, start)
	lines := 0
	for _, t := range tokens {
		if t.Type != hclsyntax.TokenStringLit {
			lines = 0
		} else if lines++; lines > maxLines {
			return t.Range, true
		}
	}
	return hcl.Range{}, false
}

// lexer is hclsyntax.LexConfig or hclsyntax.LexTemplate.
type lexer func(src []byte, filename string, start hcl.Pos) (hclsyntax.Tokens, hcl.Diagnostics)

const tooManyLinesDetail = "A text that is written in the language has at most %d lines. Put it into a file of its own, and use a file contributor."
