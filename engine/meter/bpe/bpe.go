package bpe

import "strings"

// Tokenizer counts the tokens of texts. It is immutable and safe for concurrent
// use.
type Tokenizer struct {
	name   string
	bytes  [256]uint32
	vocab  map[string]uint32 // tokens by their bytes
	join   joiner
	whole  bool // a piece that is a token stays one, without looking at how it is joined
	pieces pretokenizer
	extra  *added // nil for none
}

// Name is what the tokenizer was opened by, or the name of its file.
func (t *Tokenizer) Name() string { return t.name }

// Count returns how many tokens a text has. Bytes that are not UTF-8 are counted as
// the characters that stand for them in a request.
func (t *Tokenizer) Count(text string) int {
	text = strings.ToValidUTF8(text, "\uFFFD")
	n := 0
	count := func(piece string) { n += t.count(piece) }
	for t.extra != nil {
		start, end := t.extra.next(text)
		if start < 0 {
			break
		}
		t.pieces(text[:start], count)
		n++
		text = text[end:]
	}
	t.pieces(text, count)
	return n
}

// longest is how many bytes of a piece are joined at a time. No token is nearly as
// long, and a tool may return a piece of any length: it is counted in parts, each of
// which may cost one token more than it would in the whole.
const longest = 64 << 10

func (t *Tokenizer) count(piece string) int {
	n := 0
	for len(piece) > longest {
		n += t.countPart(piece[:longest])
		piece = piece[longest:]
	}
	return n + t.countPart(piece)
}

// countPart counts a piece that is not too long.
func (t *Tokenizer) countPart(piece string) int {
	if t.whole {
		if _, ok := t.vocab[piece]; ok {
			return 1
		}
	}
	if piece == "" {
		return 0
	}
	return merge(piece, &t.bytes, t.join)
}
