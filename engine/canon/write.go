package canon

import (
	"math"
	"strconv"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a canonical JSON string, quotation marks included.
// s must be valid UTF-8; use CheckText at the door where text comes in.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// Quote returns s as a canonical JSON string.
func Quote(s string) string {
	return string(AppendString(make([]byte, 0, len(s)+2), s))
}

// FormatFloat returns the shortest JSON number that reads back as f, written as
// JavaScript writes it: plain digits from 1e-6 up to below 1e21, an exponent
// outside. It reports false for NaN and infinities, which JSON cannot hold.
func FormatFloat(f float64) (string, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "", false
	}
	if f == 0 {
		return "0", true
	}
	abs := math.Abs(f)
	if abs >= 1e-6 && abs < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64), true
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	// Go pads the exponent to two digits; JavaScript does not.
	if n := len(s); n >= 4 && s[n-4] == 'e' && s[n-2] == '0' {
		s = s[:n-2] + s[n-1:]
	}
	return s, true
}

// Object writes one JSON object member by member, in call order. The zero value
// is ready. Keys must be plain ASCII identifiers that need no escaping; a writer
// never writes a key twice.
type Object struct {
	buf  []byte
	open bool
}

func (o *Object) key(k string) {
	if o.open {
		o.buf = append(o.buf, ',')
	} else {
		o.buf = append(o.buf, '{')
		o.open = true
	}
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, k...)
	o.buf = append(o.buf, '"', ':')
}

// String adds a string member; v must be valid UTF-8.
func (o *Object) String(k, v string) { o.key(k); o.buf = AppendString(o.buf, v) }

// Int adds an integer member.
func (o *Object) Int(k string, v int64) { o.key(k); o.buf = strconv.AppendInt(o.buf, v, 10) }

// Bool adds a boolean member.
func (o *Object) Bool(k string, v bool) { o.key(k); o.buf = strconv.AppendBool(o.buf, v) }

// Raw adds a member whose value is already canonical JSON.
func (o *Object) Raw(k, v string) { o.key(k); o.buf = append(o.buf, v...) }

// Member adds a member of any name, which must be valid UTF-8, whose value is
// already canonical JSON.
func (o *Object) Member(k, v string) {
	if o.open {
		o.buf = append(o.buf, ',')
	} else {
		o.buf = append(o.buf, '{')
		o.open = true
	}
	o.buf = append(AppendString(o.buf, k), ':')
	o.buf = append(o.buf, v...)
}

// Strings adds an array of strings; nil writes an empty array.
func (o *Object) Strings(k string, v []string) {
	o.key(k)
	o.buf = append(o.buf, '[')
	for i, s := range v {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = AppendString(o.buf, s)
	}
	o.buf = append(o.buf, ']')
}

// Ints adds an array of integers; nil writes an empty array.
func (o *Object) Ints(k string, v []int64) {
	o.key(k)
	o.buf = append(o.buf, '[')
	for i, n := range v {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = strconv.AppendInt(o.buf, n, 10)
	}
	o.buf = append(o.buf, ']')
}

// Len is the number of bytes written so far, the closing brace not counted.
func (o *Object) Len() int { return len(o.buf) }

// End closes the object and returns its text. The Object must not be used after.
func (o *Object) End() string {
	if !o.open {
		return "{}"
	}
	o.buf = append(o.buf, '}')
	return string(o.buf)
}

// Array joins canonical values into a canonical array.
func Array(values ...string) string {
	n := 2 + len(values)
	for _, v := range values {
		n += len(v)
	}
	buf := make([]byte, 0, n)
	buf = append(buf, '[')
	for i, v := range values {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, v...)
	}
	return string(append(buf, ']'))
}
