package bpe

import (
	"unicode"
	"unicode/utf8"
)

// The pre-tokenizers of cl100k and o200k as they are published. Their patterns are
// nothing for the standard library, and are written out below. The first alternative
// that matches takes the longest piece that it can.
const (
	patternCL100k = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternO200k  = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// kind is what the patterns tell apart.
type kind uint8

const (
	kindOther   kind = iota // neither letter, number nor white space
	kindUpper               // Lu, Lt
	kindLower               // Ll
	kindLetter              // Lm, Lo
	kindMark                // M, which is no letter
	kindNumber              // N
	kindSpace               // white space without line breaks
	kindNewline             // \r and \n
)

func kindOf(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z':
		return kindLower
	case 'A' <= r && r <= 'Z':
		return kindUpper
	case '0' <= r && r <= '9':
		return kindNumber
	case r == ' ' || r == '\t' || r == '\v' || r == '\f':
		return kindSpace
	case r == '\n' || r == '\r':
		return kindNewline
	case r < utf8.RuneSelf:
		return kindOther
	case unicode.IsSpace(r):
		return kindSpace
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return kindUpper
	case unicode.Is(unicode.Ll, r):
		return kindLower
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return kindLetter
	case unicode.Is(unicode.M, r):
		return kindMark
	case unicode.Is(unicode.N, r):
		return kindNumber
	}
	return kindOther
}

func (k kind) letter() bool { return k == kindUpper || k == kindLower || k == kindLetter }
func (k kind) head() bool   { return k == kindUpper || k == kindLetter || k == kindMark }
func (k kind) tail() bool   { return k == kindLower || k == kindLetter || k == kindMark }
func (k kind) space() bool  { return k == kindSpace || k == kindNewline }

// at returns the kind and length of the character at i, length 0 at the end.
func at(s string, i int) (kind, int) {
	if i >= len(s) {
		return kindOther, 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return kindOf(r), n
}

// while returns the end of the run of characters that a kind admits.
func while(s string, i int, admits func(kind) bool) int {
	for {
		k, n := at(s, i)
		if n == 0 || !admits(k) {
			return i
		}
		i += n
	}
}

// contraction returns the end of 's, 't, 're, 've, 'm, 'll or 'd at i in any case,
// else i.
func contraction(s string, i int) int {
	if i+1 >= len(s) || s[i] != '\'' {
		return i
	}
	switch s[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if i+2 < len(s) && s[i+2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if i+2 < len(s) && s[i+2]|0x20 == 'l' {
			return i + 3
		}
	}
	if len(s) >= i+3 && s[i+1:i+3] == "ſ" { // which is an s to those who ignore case
		return i + 3
	}
	return i
}

// splitter returns the end of the piece that s begins with; s is not empty.
type splitter func(s string) int

// all cuts a text into its pieces.
func (split splitter) all(text string, yield func(piece string)) {
	for text != "" {
		end := split(text)
		yield(text[:end])
		text = text[end:]
	}
}

func splitCL100k(s string) int {
	if end := contraction(s, 0); end > 0 {
		return end
	}
	k, n := at(s, 0)
	if k.letter() {
		return while(s, n, kind.letter)
	}
	if k != kindNewline && k != kindNumber {
		if next, m := at(s, n); m > 0 && next.letter() {
			return while(s, n+m, kind.letter)
		}
	}
	return splitRest(s, "\r\n")
}

func splitO200k(s string) int {
	k, n := at(s, 0)
	prefix := 0 // a character that the pattern takes in front of a word
	if !k.letter() && k != kindNumber && k != kindNewline {
		prefix = n
	}
	for _, from := range [...]int{prefix, 0} {
		if end := cased(s, from); end > 0 {
			return contraction(s, end)
		}
	}
	for _, from := range [...]int{prefix, 0} {
		if end := while(s, from, kind.head); end > from {
			return contraction(s, end) // what follows is no tail, or cased had taken it
		}
	}
	return splitRest(s, "\r\n/")
}

// cased returns the end of heads that tails follow, with at least one tail: what is
// both counts as a tail where otherwise none is left. 0 for none.
func cased(s string, from int) int {
	last := 0 // end of the last character among the heads that is a tail as well
	i := from
	for {
		k, n := at(s, i)
		if n == 0 || !k.head() {
			break
		}
		i += n
		if k.tail() {
			last = i
		}
	}
	if end := while(s, i, kind.tail); end > i {
		return end
	}
	return last
}

// splitRest takes what is no word. trailing are the characters that go with marks
// before them.
func splitRest(s, trailing string) int {
	k, n := at(s, 0)
	if k == kindNumber {
		for range 2 {
			next, m := at(s, n)
			if m == 0 || next != kindNumber {
				break
			}
			n += m
		}
		return n
	}
	marks := func(k kind) bool { return k == kindOther || k == kindMark }
	start := 0
	if s[0] == ' ' {
		start = 1
	}
	if end := while(s, start, marks); end > start {
		for end < len(s) && (s[end] == trailing[0] || s[end] == trailing[1] || len(trailing) > 2 && s[end] == trailing[2]) {
			end++
		}
		return end
	}
	end := while(s, 0, kind.space)
	for i := end - 1; i >= 0; i-- {
		if s[i] == '\n' || s[i] == '\r' {
			return i + 1
		}
	}
	if end == len(s) {
		return end
	}
	// All but the last one, which goes with what follows.
	_, last := utf8.DecodeLastRuneInString(s[:end])
	if end > last {
		return end - last
	}
	return end
}
