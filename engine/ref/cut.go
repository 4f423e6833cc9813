package ref

import (
	"strconv"
	"strings"
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
	first, last = trimmed(first, last)
	return cut{Text: decoded(first) + decoded(last), OmittedBytes: n - len(first) - len(last), Truncated: true}
}

// trimmed takes the parts of characters off where a text was cut.
func trimmed(first, last string) (string, string) {
	first = first[:len(first)-unfinished(first)]
	for n := 0; len(last) > 0 && n < utf8.UTFMax-1 && last[0]&0xC0 == 0x80; n++ {
		last = last[1:]
	}
	return first, last
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
	return canon.ValidText(s[markAt(s):])
}

// notice stands at the end of a text that was cut.
func notice(omitted int) string {
	return "\n[… omitted " + strconv.Itoa(omitted) + " UTF-8 bytes …]"
}

// cutTo cuts a text to at most limit bytes, the notice included: half of what fits is
// its beginning, half its end. A text for which no notice fits becomes empty
// (spec/references.md section 5).
func cutTo(text string, limit int) (string, int) {
	length := func(head, tail int) int {
		c := headTail(text, head, tail)
		return len(c.whole())
	}
	if utf8.ValidString(text) {
		length = func(head, tail int) int { return cutLength(text, head, tail) }
	}
	best := -1
	for low, high := 0, limit; low <= high; {
		k := (low + high) / 2
		if length((k+1)/2, k/2) <= limit {
			best, low = k, k+1
		} else {
			high = k - 1
		}
	}
	if best < 0 {
		return "", len(text)
	}
	c := headTail(text, (best+1)/2, best/2)
	return c.whole(), c.OmittedBytes
}

// whole is what is kept, with the notice of what is not.
func (c cut) whole() string {
	if c.Truncated {
		return c.Text + notice(c.OmittedBytes)
	}
	return c.Text
}

// cutLength is the length of what cutting a text that is UTF-8 comes to. It copies
// nothing: the search for a cut asks often.
func cutLength(text string, head, tail int) int {
	n := len(text)
	head = min(n, head)
	tail = min(n-head, tail)
	if head+tail == n {
		return n - markAt(text)
	}
	first, last := trimmed(text[:head], text[n-tail:])
	omitted := n - len(first) - len(last)
	return n - omitted - markAt(first) - markAt(last) + len(notice(omitted))
}

// markAt is the length of the byte order mark at the beginning of s.
func markAt(s string) int {
	if strings.HasPrefix(s, byteOrderMark) {
		return len(byteOrderMark)
	}
	return 0
}
