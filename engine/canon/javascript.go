package canon

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// RangeError says that a number lies beyond what JavaScript can hold.
type RangeError struct{ Number string }

func (e *RangeError) Error() string {
	if len(e.Number) > 40 {
		return "number " + e.Number[:40] + "… is out of range"
	}
	return "number " + e.Number + " is out of range"
}

// ParseJavaScript reads s as JavaScript's JSON.parse does and returns the value
// as its JSON.stringify writes it: numbers in their shortest form, members with
// one name once, the last value at the first position, members named like array
// indices first and in ascending order. A lone surrogate, which UTF-8 cannot
// carry, becomes U+FFFD. The value shares s when s is already that text. s is to
// be valid UTF-8. Errors: *SyntaxError; *RangeError for a number that JavaScript
// reads as infinite.
func ParseJavaScript(s string) (Value, error) {
	p := parser{s: s, strict: true, script: true}
	if p.value(0) == nil && p.i == len(s) && !p.odd {
		return Value{s}, nil
	}
	v, err := Parse(s)
	if err != nil {
		return Value{}, err
	}
	buf, err := appendJavaScript(make([]byte, 0, len(s)), v)
	if err != nil {
		return Value{}, err
	}
	return Value{string(buf)}, nil
}

func appendJavaScript(dst []byte, v Value) ([]byte, error) {
	var err error
	switch v.Kind() {
	case Number:
		text, ok := javaScriptNumber(v.raw)
		if !ok {
			return dst, &RangeError{v.raw}
		}
		return append(dst, text...), nil
	case String:
		return AppendString(dst, v.looseText()), nil
	case ArrayKind:
		dst = append(dst, '[')
		first := true
		for e := range v.Elements() {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			if dst, err = appendJavaScript(dst, e); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case ObjectKind:
		names, last := javaScriptMembers(v)
		dst = append(dst, '{')
		for i, name := range names {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, name), ':')
			if dst, err = appendJavaScript(dst, last[name]); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	return append(dst, v.raw...), nil
}

// javaScriptMembers returns the names of an object in JavaScript's order, and the
// value that counts of each.
func javaScriptMembers(v Value) ([]string, map[string]Value) {
	var indices []uint64
	var names []string
	last := map[string]Value{}
	for key, m := range v.members() {
		name := key.looseText()
		if _, seen := last[name]; !seen {
			if n, ok := arrayIndex(name); ok {
				indices = append(indices, n)
			} else {
				names = append(names, name)
			}
		}
		last[name] = m
	}
	if len(indices) > 0 {
		slices.Sort(indices)
		front := make([]string, len(indices), len(indices)+len(names))
		for i, n := range indices {
			front[i] = strconv.FormatUint(n, 10)
		}
		names = append(front, names...)
	}
	return names, last
}

// arrayIndex reports whether a member's name is an array index: a plain decimal
// from 0 to 2³²−2 without leading zeros.
func arrayIndex(name string) (uint64, bool) {
	if name == "" || len(name) > 10 || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	var n uint64
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return 0, false
		}
		n = n*10 + uint64(name[i]-'0')
	}
	return n, n < 1<<32-1
}

// javaScriptNumber returns how JavaScript writes the number that a text means. It
// reports false for one that is infinite there.
func javaScriptNumber(raw string) (string, bool) {
	if plainInteger(raw) {
		return raw, true
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return "", false
	}
	return FormatFloat(f)
}

// plainInteger reports whether a number's text is an integer that JavaScript
// writes just so.
func plainInteger(raw string) bool {
	digits := strings.TrimPrefix(raw, "-")
	if len(digits) > 15 || digits == "0" && raw != "0" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// ValidText returns s with what is not UTF-8 replaced by U+FFFD, once for each
// maximal part of a character that was cut, as decoders of the web and of
// JavaScript do. Text that is UTF-8 is returned as it is.
func ValidText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			n = cutCharacter(s[i:])
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// cutCharacter is the length of the longest beginning of s, at least 1, that is
// also the beginning of a character. s does not begin with a whole character.
func cutCharacter(s string) int {
	low, high, rest := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		rest = 1
	case c >= 0xe0 && c <= 0xef:
		rest = 2
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		rest = 3
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for n <= rest && n < len(s) && s[n] >= low && s[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}
