package ref

import (
	"strconv"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// cut is the beginning and the end of a text.
type cut struct {
	Text         string
	OmittedBytes int
	Truncated    bool
}

const byteOrderMark = "\ufeff"

// headTail keeps the first head and the last tail bytes of a text, without parts of
// characters, and says how many bytes are left out. Each of the two parts loses one
// byte order mark at its beginning, which counts as kept (spec/references.md section
// 6).
func headTail(text string, head, tail int) cut {
	n := len(text)
	head = min(n, head)
	tail = min(n-head, tail)
	if head+tail == n {
		return cut{Text: decoded(text)}
	}
	return joined(text[:head], text[n-tail:], n)
}

// joined is a beginning and an end of a text of n bytes without parts of characters.
func joined(first, last string, n int) cut {
	first = first[:len(first)-unfinished(first)]
	for trimmed := 0; len(last) > 0 && trimmed < utf8.UTFMax-1 && last[0]&0xC0 == 0x80; trimmed++ {
		last = last[1:]
	}
	return cut{Text: decoded(first) + decoded(last), OmittedBytes: n - len(first) - len(last), Truncated: true}
}

// unfinished is how many bytes at the end of s begin a character that does not end
// there.
func unfinished(s string) int {
	for back := 1; back <= min(len(s), utf8.UTFMax); back++ {
		c := s[len(s)-back]
		if c&0xC0 == 0x80 {
			continue
		}
		need := 1
		switch {
		case c >= 0xF0 && c < 0xF8:
			need = 4
		case c >= 0xE0 && c < 0xF0:
			need = 3
		case c >= 0xC0 && c < 0xE0:
			need = 2
		}
		if need > back {
			return back
		}
		return 0
	}
	return 0
}

// decoded is what a decoder of the web makes of bytes: one byte order mark at the
// beginning is dropped, what is no UTF-8 is U+FFFD.
func decoded(s string) string {
	if len(s) >= len(byteOrderMark) && s[:len(byteOrderMark)] == byteOrderMark {
		s = s[len(byteOrderMark):]
	}
	return canon.ValidText(s)
}

// notice stands at the end of a text that was cut.
func notice(omitted int) string {
	return "\n[… omitted " + strconv.Itoa(omitted) + " UTF-8 bytes …]"
}

// cutTo cuts a text to at most limit bytes, the notice included: half of what fits is
// its beginning, half its end. A text for which no notice fits becomes empty
// (spec/references.md section 5).
func cutTo(text string, limit int) (string, int) {
	best, omitted := "", len(text)
	low, high := 0, limit
	for low <= high {
		k := (low + high) / 2
		c := headTail(text, (k+1)/2, k/2)
		whole := c.Text
		if c.Truncated {
			whole += notice(c.OmittedBytes)
		}
		if len(whole) <= limit {
			best, omitted = whole, c.OmittedBytes
			low = k + 1
		} else {
			high = k - 1
		}
	}
	return best, omitted
}
