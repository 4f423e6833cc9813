package canon

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds nesting so that a hostile line cannot exhaust the stack.
const maxDepth = 1000

// SyntaxError says where a text stops being the JSON that was asked for. Offset
// is a byte offset from the start of the text, 0-based.
type SyntaxError struct {
	Offset int
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset)
}

// TextError says where a string stops being UTF-8. Offset is a 0-based byte
// offset.
type TextError struct{ Offset int }

func (e *TextError) Error() string { return fmt.Sprintf("invalid UTF-8 at byte %d", e.Offset) }

// CheckText returns a *TextError when s is not valid UTF-8. A lone surrogate is
// not valid UTF-8 either.
func CheckText(s string) error {
	if utf8.ValidString(s) {
		return nil
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			return &TextError{Offset: i}
		}
		i += n
	}
	return nil
}

// Kind is the type of a JSON value.
type Kind byte

// The kinds of JSON values; Invalid is the kind of the zero Value.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	ArrayKind
	ObjectKind
)

// Value is one valid JSON value, held as the text it was read from. Values are
// cheap to copy; cutting one out of another copies nothing. The zero Value is
// the absent one: its Kind is Invalid and every accessor says so.
type Value struct{ raw string }

// Raw returns the text of the value, "" when absent.
func (v Value) Raw() string { return v.raw }

// Exists reports whether the value is present; null is present.
func (v Value) Exists() bool { return v.raw != "" }

// Kind returns the type of the value.
func (v Value) Kind() Kind {
	if v.raw == "" {
		return Invalid
	}
	switch v.raw[0] {
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '[':
		return ArrayKind
	case '{':
		return ObjectKind
	}
	return Number
}

// Parse reads s as exactly one JSON value, white space around and inside allowed.
// The value shares s. Errors: *SyntaxError.
func Parse(s string) (Value, error) {
	p := parser{s: s}
	p.space()
	start := p.i
	if err := p.value(0); err != nil {
		return Value{}, err
	}
	end := p.i
	p.space()
	if p.i != len(s) {
		return Value{}, p.fail("unexpected text after the value")
	}
	return Value{s[start:end]}, nil
}

// ParseCanonical reads s as exactly one JSON value in canonical form: no white
// space, canonical escapes, no member twice. Errors: *SyntaxError.
func ParseCanonical(s string) (Value, error) {
	p := parser{s: s, strict: true}
	if err := p.value(0); err != nil {
		return Value{}, err
	}
	if p.i != len(s) {
		return Value{}, p.fail("unexpected text after the value")
	}
	return Value{s}, nil
}

// Member is a member of an object: its name as it stands in the text, quotation
// marks included, and its value.
type Member struct{ Name, Value Value }

// ParseMembers is ParseCanonical that appends the members of s, when it is an
// object, to room in one go. It costs less than asking for them later, where they
// are few. Errors: *SyntaxError.
func ParseMembers(s string, room []Member) (Value, []Member, error) {
	if strings.HasPrefix(s, "{") {
		p := parser{s: s, strict: true}
		members, err := p.outermost(room)
		if err == nil && members != nil && p.i != len(s) {
			err = p.fail("unexpected text after the value")
		}
		if err != nil {
			return Value{}, nil, err
		}
		if members != nil || len(s) == len("{}") {
			return Value{s}, members, nil
		}
	}
	v, err := ParseCanonical(s)
	if err != nil {
		return Value{}, nil, err
	}
	for name, m := range v.members() {
		room = append(room, Member{name, m})
	}
	return v, room, nil
}

// Canonical returns the canonical text of a lenient value: white space dropped,
// escapes made canonical, of members with one name the last value at the first
// position. Numbers keep their text. Errors: *SyntaxError for a string that
// holds a lone surrogate, which UTF-8 cannot carry.
func Canonical(v Value) (string, error) {
	buf, err := appendCanonical(make([]byte, 0, len(v.raw)), v)
	return string(buf), err
}

func appendCanonical(dst []byte, v Value) ([]byte, error) {
	switch v.Kind() {
	case String:
		s, err := v.text()
		if err != nil {
			return dst, err
		}
		return AppendString(dst, s), nil
	case ArrayKind:
		dst = append(dst, '[')
		first := true
		for e := range v.Elements() {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			var err error
			if dst, err = appendCanonical(dst, e); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case ObjectKind:
		var keys []string
		last := map[string]Value{}
		for key, m := range v.members() {
			k, err := key.text()
			if err != nil {
				return dst, err
			}
			if _, seen := last[k]; !seen {
				keys = append(keys, k)
			}
			last[k] = m
		}
		dst = append(dst, '{')
		for i, k := range keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, k)
			dst = append(dst, ':')
			var err error
			if dst, err = appendCanonical(dst, last[k]); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	return append(dst, v.raw...), nil
}

// Members iterates over the members of an object in text order, names decoded; a
// name that holds a lone surrogate is left as it is written. It yields nothing
// for other kinds.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for key, m := range v.members() {
			name, err := key.text()
			if err != nil {
				name = key.Inner()
			}
			if !yield(name, m) {
				return
			}
		}
	}
}

// members is Members with the names as the strings that they are in the text.
func (v Value) members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if v.Kind() != ObjectKind {
			return
		}
		p := parser{s: v.raw, i: 1}
		for {
			p.space()
			if p.s[p.i] == '}' {
				return
			}
			if p.s[p.i] == ',' {
				p.i++
				p.space()
			}
			start := p.i
			p.skip()
			key := Value{p.s[start:p.i]}
			p.space()
			p.i++ // the colon
			p.space()
			start = p.i
			p.skip()
			if !yield(key, Value{p.s[start:p.i]}) {
				return
			}
		}
	}
}

// Get returns the member of that name, the last one when a lenient object holds
// several, or the absent Value.
func (v Value) Get(name string) Value {
	var found Value
	for key, m := range v.members() {
		// An escaped spelling is longer than what it means, if it means anything.
		inner, same := key.Inner(), false
		if len(inner) == len(name) {
			same = inner == name
			if same && strings.IndexByte(inner, '\\') >= 0 {
				_, err := key.text()
				same = err != nil
			}
		} else if len(inner) > len(name) && strings.IndexByte(inner, '\\') >= 0 {
			k, err := key.text()
			same = err == nil && k == name
		}
		if same {
			found = m
		}
	}
	return found
}

// Elements iterates over the elements of an array, and over nothing for other
// kinds.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != ArrayKind {
			return
		}
		p := parser{s: v.raw, i: 1}
		for {
			p.space()
			if p.s[p.i] == ']' {
				return
			}
			if p.s[p.i] == ',' {
				p.i++
				p.space()
			}
			start := p.i
			p.skip()
			if !yield(Value{p.s[start:p.i]}) {
				return
			}
		}
	}
}

// Text decodes a string. It reports false for other kinds and for strings that
// hold a lone surrogate escape.
func (v Value) Text() (string, bool) {
	if v.Kind() != String {
		return "", false
	}
	s, err := v.text()
	return s, err == nil
}

// Inner returns the text between the quotation marks of a string, escapes as
// they stand. Concatenating inners of canonical strings yields the inner of the
// concatenation.
func (v Value) Inner() string {
	if v.Kind() != String {
		return ""
	}
	return v.raw[1 : len(v.raw)-1]
}

// Int returns a number that is written as a plain integer within int64.
func (v Value) Int() (int64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.raw, 10, 64)
	return n, err == nil
}

// Float returns a number as the nearest float64.
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	return f, err == nil
}

// IsTrue reports whether the value is the literal true.
func (v Value) IsTrue() bool { return v.raw == "true" }

// text decodes a string value; lone surrogates are refused.
func (v Value) text() (string, error) {
	s, lone := v.decode()
	if lone >= 0 {
		return "", &SyntaxError{Offset: lone, Reason: "lone surrogate"}
	}
	return s, nil
}

// looseText decodes a string value; lone surrogates become U+FFFD.
func (v Value) looseText() string {
	s, _ := v.decode()
	return s
}

// decode decodes a string value and returns the offset in it of the first lone
// surrogate, -1 for none.
func (v Value) decode() (s string, lone int) {
	lone = -1
	in := v.raw[1 : len(v.raw)-1]
	if strings.IndexByte(in, '\\') < 0 {
		return in, lone
	}
	var b strings.Builder
	b.Grow(len(in))
	for i := 0; i < len(in); {
		plain := strings.IndexByte(in[i:], '\\')
		if plain < 0 {
			plain = len(in) - i
		}
		if b.WriteString(in[i : i+plain]); i+plain == len(in) {
			break
		}
		i += plain
		switch c := in[i+1]; c {
		case 'b':
			b.WriteByte('\b')
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'f':
			b.WriteByte('\f')
		case 'r':
			b.WriteByte('\r')
		case 'u':
			r := hex4(in[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if strings.HasPrefix(in[i:], `\u`) {
					low = hex4(in[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				} else if lone < 0 {
					lone = i - 5
				}
			}
			b.WriteRune(r)
			continue
		default:
			b.WriteByte(c)
		}
		i += 2
	}
	return b.String(), lone
}

// hex4 reads four hexadecimal digits that the parser has already checked.
func hex4(s string) rune {
	var r rune
	for i := range 4 {
		r = r<<4 | rune(unhex(s[i]))
	}
	return r
}

func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0xff
}
