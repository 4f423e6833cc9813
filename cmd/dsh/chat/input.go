package chat

import (
	"slices"
	"strings"
	"unicode"
)

// input is the line under way: what is shown of it, the chips in it, and the cursor.
// Places are counted in characters.
type input struct {
	text  []rune
	chips []chip // in order, none in another
	at    int
}

// chip is a part of a line that stands for something longer.
type chip struct {
	from, to int
	sends    string
}

// clone is a copy that shares nothing.
func (in *input) clone() input {
	return input{slices.Clone(in.text), slices.Clone(in.chips), in.at}
}

// replace puts text in the place of a part and the cursor behind it. A chip that is
// touched inside is text from then on; one that goes whole is gone.
func (in *input) replace(from, to int, with []rune) {
	in.text = slices.Concat(in.text[:from], with, in.text[to:])
	grown := len(with) - (to - from)
	var kept []chip
	for _, c := range in.chips {
		switch {
		case c.to <= from:
			kept = append(kept, c)
		case c.from >= to:
			kept = append(kept, chip{c.from + grown, c.to + grown, c.sends})
		}
	}
	in.chips, in.at = kept, from+len(with)
}

// insert types one character.
func (in *input) insert(r rune) { in.replace(in.at, in.at, []rune{r}) }

// backspace removes the character before the cursor, or the chip.
func (in *input) backspace() {
	if in.at == 0 {
		return
	}
	from := in.at - 1
	for _, c := range in.chips {
		if c.to == in.at {
			from = c.from
		}
	}
	in.replace(from, in.at, nil)
}

// remove removes the character at the cursor, or the chip.
func (in *input) remove() {
	if in.at == len(in.text) {
		return
	}
	to := in.at + 1
	for _, c := range in.chips {
		if c.from == in.at {
			to = c.to
		}
	}
	at := in.at
	in.replace(at, to, nil)
}

// removeWord removes the word before the cursor; that of a chip is all of it.
func (in *input) removeWord() {
	from := in.wordLeft()
	for _, c := range in.chips {
		if c.from < from && from < c.to && c.to <= in.at {
			from = c.from
		}
	}
	in.replace(from, in.at, nil)
}

// transpose swaps the characters around the cursor, the last two at the end.
func (in *input) transpose() {
	at := min(in.at, len(in.text)-1)
	if at < 1 {
		return
	}
	in.replace(at-1, at+1, []rune{in.text[at], in.text[at-1]})
}

// wordLeft is where the word before the cursor begins.
func (in *input) wordLeft() int {
	at := in.at
	for at > 0 && unicode.IsSpace(in.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(in.text[at-1]) {
		at--
	}
	return at
}

// wordRight is where the next word begins.
func (in *input) wordRight() int {
	at := in.at
	for at < len(in.text) && !unicode.IsSpace(in.text[at]) {
		at++
	}
	for at < len(in.text) && unicode.IsSpace(in.text[at]) {
		at++
	}
	return at
}

// cite puts a chip, or text where sends is empty, in the place of what stands between
// from and the cursor, and a space behind it unless one is there.
func (in *input) cite(from int, shown, sends string) {
	in.replace(from, in.at, []rune(shown))
	to := in.at
	if in.at < len(in.text) && in.text[in.at] == ' ' {
		in.at++
	} else {
		in.insert(' ')
	}
	if sends != "" {
		i, _ := slices.BinarySearchFunc(in.chips, from, func(c chip, from int) int { return c.from - from })
		in.chips = slices.Insert(in.chips, i, chip{from, to, sends})
	}
}

// touches reports whether a chip stands in a part of the text.
func (in *input) touches(from, to int) bool {
	return slices.ContainsFunc(in.chips, func(c chip) bool { return c.from < to && from < c.to })
}

// sent is the line as it is sent.
func (in *input) sent() string {
	var b strings.Builder
	at := 0
	for _, c := range in.chips {
		b.WriteString(string(in.text[at:c.from]) + c.sends)
		at = c.to
	}
	return b.String() + string(in.text[at:])
}
