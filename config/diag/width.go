package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wide are the ranges of characters that terminals show two columns wide: East
// Asian scripts, full-width forms and pictographs.
var wide = [...][2]rune{
	{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0x33ff}, {0x3400, 0x4dbf},
	{0x4e00, 0x9fff}, {0xa000, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3},
	{0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6},
	{0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
}

// runeWidth is the number of terminal columns of a character: 0 for what joins
// the character before it, 2 for wide ones, else 1.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
}

// textWidth is the number of terminal columns of a text.
func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

const tabWidth = 4

// shown makes a text safe and predictable on a terminal: a tab becomes spaces,
// and a control character, a direction override or a broken byte becomes U+FFFD,
// so that a file cannot draw on the screen of the person who reads about it.
func shown(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteString(strings.Repeat(" ", tabWidth))
		case unicode.IsControl(r), directional(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// directional reports characters that reorder the text around them.
func directional(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f
}

// wrap breaks text into lines of at most width columns where it can, at spaces.
// Its own line breaks stay, and a line that begins with a space is kept as it
// is. A width below 20 does not wrap.
func wrap(text string, width int) []string {
	var out []string
	for _, paragraph := range strings.Split(text, "\n") {
		paragraph = shown(paragraph)
		if width < 20 || strings.HasPrefix(paragraph, " ") {
			out = append(out, paragraph)
			continue
		}
		var b strings.Builder
		used := 0
		for _, word := range strings.Fields(paragraph) {
			w := textWidth(word)
			if used > 0 && used+1+w > width {
				out = append(out, b.String())
				b.Reset()
				used = 0
			}
			if used > 0 {
				b.WriteByte(' ')
				used++
			}
			b.WriteString(word)
			used += w
		}
		out = append(out, b.String())
	}
	return out
}
