package chat

import (
	"strings"
	"unicode"
)

// rows cuts a text into the rows it takes on a screen, at spaces where it can. rest
// is the last row, which may still go on.
func rows(text string, columns int) (whole []string, rest string) {
	for {
		row, more, ok := cutRow(text, columns)
		if !ok {
			return whole, text
		}
		whole, text = append(whole, row), more
	}
}

// cutRow cuts the first row off a text; it is not ok while the row may go on. Spaces
// behind the last word of a row need no room: they are where it is cut.
func cutRow(text string, columns int) (row, more string, ok bool) {
	used, inWord := 0, false
	end, next := 0, 0 // where the last word but one ends and the last begins
	for at, r := range text {
		if r == '\n' {
			return trim(text[:at], used > columns), text[at+1:], true
		}
		width := runeWidth(r)
		if r == '\t' {
			width = 8 - used%8
		}
		if r == ' ' || r == '\t' {
			if inWord {
				end = at
			}
			inWord, next = false, at+1
			used += width
			continue
		}
		if used+width > columns && at > 0 {
			if end > 0 {
				return text[:end], text[next:], true
			}
			return trim(text[:at], used > columns), text[at:], true
		}
		used, inWord = used+width, true
	}
	return "", "", false
}

// trim drops spaces that stick out of a row.
func trim(row string, tooWide bool) string {
	if tooWide {
		return strings.TrimRight(row, " \t")
	}
	return row
}

// runeWidth is the number of columns that terminals show a character in: none for
// what joins the character before it, two for East Asian scripts, full-width forms
// and pictographs.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	for _, wide := range [...][2]rune{
		{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
		{0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff},
		{0x20000, 0x3fffd},
	} {
		if r >= wide[0] && r <= wide[1] {
			return 2
		}
	}
	return 1
}
