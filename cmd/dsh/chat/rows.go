package chat

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
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
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), r >= 0x1160 && r <= 0x11ff: // and the rest of a Hangul syllable
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
