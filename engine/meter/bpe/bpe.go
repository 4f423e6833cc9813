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

func (t *Tokenizer) count(piece string) int {
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
