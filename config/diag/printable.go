package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes text safe for a terminal: what could move the cursor or change
// colours is shown as an escape. Line feeds and tabs stay.
func Printable(s string) string {
	if !strings.ContainsFunc(s, unsafe) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unsafe(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unsafe(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	// Bidirectional controls can make text read differently from what it says, and the
	// separators U+2028 and U+2029 end a line where a program believes that none ends.
	return r == utf8.RuneError || unicode.IsControl(r) || r >= 0x2028 && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
