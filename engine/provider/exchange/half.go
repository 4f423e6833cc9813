package exchange

import (
	"errors"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// ErrHalf says that a string holds half of a character.
var ErrHalf = errors.New("a string holds half of a surrogate pair")

// What a half belongs to besides tool calls, which use the index of their block.
const (
	StreamText      = -1
	StreamReasoning = -2
)

// Half keeps the first half of a surrogate pair until the delta with its second
// half comes. Gateways that cut text by UTF-16 units split pairs in that way, and
// text of ours is valid UTF-8 at every moment.
type Half struct {
	held   string // the escape of the first half, six bytes, or ""
	stream int    // what it belongs to
}

// Join returns the text of a delta, "" when v is no string. Errors: ErrHalf when a
// half is alone for good.
func (h *Half) Join(stream int, v canon.Value) (string, error) {
	if h.held == "" {
		if text, ok := v.Text(); ok || v.Kind() != canon.String {
			return text, nil
		}
	}
	inner := v.Inner()
	if inner == "" {
		return "", nil
	}
	if h.held != "" {
		if stream != h.stream {
			return "", ErrHalf
		}
		inner, h.held = h.held+inner, ""
	}
	if n := len(inner) - 6; n >= 0 && firstHalf(inner[n:]) && !escaped(inner[:n]) {
		h.held, h.stream = inner[n:], stream
		inner = inner[:n]
	}
	joined, err := canon.Parse(`"` + inner + `"`)
	if err != nil {
		return "", ErrHalf
	}
	text, ok := joined.Text()
	if !ok {
		return "", ErrHalf
	}
	return text, nil
}

// firstHalf reports whether s is the escape of a high surrogate.
func firstHalf(s string) bool {
	return strings.HasPrefix(s, `\u`) && (s[2] == 'd' || s[2] == 'D') && strings.IndexByte("89abAB", s[3]) >= 0
}

// escaped reports whether a backslash behind s would be an escaped one.
func escaped(s string) bool {
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// Alone reports whether a first half is held that nothing came behind.
func (h *Half) Alone() bool { return h.held != "" }
