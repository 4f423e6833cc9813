package hclfile

import (
	"math"
	"math/big"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/schema"
)

// canonical is a wholly known, unmarked value as canonical JSON: names of objects
// and maps sorted, no white space, strings escaped only where JSON demands it. It
// is the text that package canon of the engine would write, which this package
// may not import.
func canonical(v cty.Value) string { return string(appendJSON(nil, v)) }

func appendJSON(dst []byte, v cty.Value) []byte {
	t := v.Type()
	switch {
	case v.IsNull():
		return append(dst, "null"...)
	case t == cty.String:
		return appendText(dst, v.AsString())
	case t == cty.Bool:
		return strconv.AppendBool(dst, v.True())
	case t == cty.Number:
		return append(dst, numberText(v.AsBigFloat())...)
	case t.IsObjectType() || t.IsMapType():
		dst = append(dst, '{')
		first := true
		for it := v.ElementIterator(); it.Next(); {
			key, element := it.Element()
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(appendText(dst, key.AsString()), ':')
			dst = appendJSON(dst, element)
		}
		return append(dst, '}')
	case v.CanIterateElements():
		dst = append(dst, '[')
		first := true
		for it := v.ElementIterator(); it.Next(); {
			_, element := it.Element()
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = appendJSON(dst, element)
		}
		return append(dst, ']')
	}
	return append(dst, "null"...)
}

// numberText is a JSON number: a whole number in full up to 21 digits, anything
// else as the nearest double in the shortest form that reads back as it.
func numberText(f *big.Float) string {
	if f.IsInf() {
		return "null" // JSON has no infinity; only an absurd product is one
	}
	if f.IsInt() && new(big.Float).Abs(f).Cmp(big.NewFloat(1e21)) < 0 {
		i, _ := f.Int(nil)
		return i.String()
	}
	d, _ := f.Float64()
	abs := d
	if abs < 0 {
		abs = -abs
	}
	if abs >= 1e-6 && abs < 1e21 {
		return strconv.FormatFloat(d, 'f', -1, 64)
	}
	if d == 0 && f.Sign() == 0 {
		return "0"
	}
	if d == 0 || math.IsInf(d, 0) { // beyond what a double holds
		return f.Text('e', -1)
	}
	s := strconv.FormatFloat(d, 'e', -1, 64)
	// Go pads the exponent to two digits; JSON text elsewhere does not.
	if n := len(s); n >= 4 && s[n-4] == 'e' && s[n-2] == '0' {
		s = s[:n-2] + s[n-1:]
	}
	return s
}

// appendText appends a JSON string.
func appendText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= 0x20:
			dst = append(dst, c)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}

func quoted(s string) string { return string(appendText(nil, s)) }

// functionNames are the names of all functions, sorted.
func functionNames() []string {
	var out []string
	for _, f := range schema.Functions() {
		out = append(out, f.Name)
	}
	return out
}
