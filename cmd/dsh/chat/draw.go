package chat

import (
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

// place is where something stands on the screen, from the first row of what is drawn.
type place struct{ row, column int }

// glyph is what a character of a line is shown as. What would move the cursor or turn
// the text around is shown as something that does not.
func glyph(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < ' ':
		return '\u2400' + r
	case r == 0x7f:
		return '\u2421'
	case r >= 0x80 && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == '\u2028', r == '\u2029':
		return '?'
	}
	return r
}

// The marks around a chip: underlined, which needs no colour.
const chipBegins, chipEnds = "\x1b[4m", "\x1b[24m"

// lay lays the prompt and a line out in rows. No row is full at the end: the cursor
// would stand behind it.
func lay(prompt string, in *input, columns int) (rows []string, cursor place) {
	var row strings.Builder
	used, marked := 0, false
	mark := func(on bool) {
		if on != marked {
			row.WriteString(map[bool]string{true: chipBegins, false: chipEnds}[on])
			marked = on
		}
	}
	flush := func() {
		mark(false)
		rows = append(rows, row.String())
		row.Reset()
		used = 0
	}
	put := func(r rune, in bool) {
		width := min(runeWidth(r), columns)
		if used+width > columns {
			flush()
		}
		mark(in)
		row.WriteRune(r)
		used += width
	}
	for _, r := range prompt {
		put(glyph(r), false)
	}
	chips := in.chips
	for i, r := range in.text {
		for len(chips) > 0 && chips[0].to <= i {
			chips = chips[1:]
		}
		shown := glyph(r)
		if i == in.at {
			cursor = place{len(rows), used}
			if used+max(1, runeWidth(shown)) > columns {
				cursor = place{len(rows) + 1, 0}
			}
		}
		put(shown, len(chips) > 0 && chips[0].from <= i)
	}
	if used >= columns {
		flush()
	}
	if in.at == len(in.text) {
		cursor = place{len(rows), used}
	}
	flush()
	return rows, cursor
}

// broken is on how many rows a row stands in which only so many columns fit, and on
// which of them what is in a column of it.
func broken(row string, columns, column int) (rows, at int) {
	used, passed, escaped := 0, 0, false
	rows = 1
	for _, r := range row {
		switch {
		case escaped:
			escaped = r != 'm' // the end of the mark of a chip
			continue
		case r == 0x1b:
			escaped = true
			continue
		}
		width := min(runeWidth(r), columns)
		if used+width > columns {
			rows, used = rows+1, 0
		}
		if passed <= column {
			at = rows - 1
		}
		used, passed = used+width, passed+width
	}
	return rows, at
}

// window is which part of so many rows is shown when there is room for some: one that
// holds a certain row.
func window(rows, room, holds int) (from, to int) {
	room = max(room, 1)
	if rows <= room {
		return 0, rows
	}
	from = min(max(0, holds-room/2), rows-room)
	return from, from + room
}

// maxMenu is how many rows a menu takes at most, its headings included.
const maxMenu = 10

// menuRows are the rows of a menu in so much room, none wider than the screen.
func menuRows(choices []mention.Row, selected, columns, room int) (out []string) {
	section, at := "", 0
	var all []string
	for i, c := range choices {
		if c.Section != section {
			section = c.Section
			all = append(all, shorten(section, columns-1))
		}
		mark := "  "
		if i == selected {
			mark, at = "> ", len(all)
		}
		all = append(all, shorten(mark+plain(c.Name)+"  "+plain(c.Description), columns-1))
	}
	from, to := window(len(all), min(room, maxMenu), at)
	return all[from:to]
}

// plain makes text safe for one row of the screen.
func plain(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", " ", "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(diag.Printable(s))
}

// shorten cuts a text to so many columns and says that it did.
func shorten(s string, columns int) string {
	used, fits := 0, 0 // fits is how much there is room for with an ellipsis
	for i, r := range s {
		width := runeWidth(r)
		if used+width > columns {
			if columns < 1 {
				return ""
			}
			return s[:fits] + "…"
		}
		if used += width; used < columns {
			fits = i + len(string(r))
		}
	}
	return s
}

// up moves the cursor so many rows.
func up(rows int) string {
	if rows <= 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}

// right moves the cursor from the first column to another.
func right(columns int) string {
	if columns <= 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dC", columns)
}
