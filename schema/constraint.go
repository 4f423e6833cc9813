package schema

import (
	"strconv"
	"strings"
)

// Constraint narrows the values of a type, and in a list each element. OneOf lists
// the texts that are allowed. Range bounds numbers, seconds of a duration and bytes of a size.
type Constraint struct {
	OneOf    []string
	Range    Range
	Format   Format
	NotEmpty bool
}

// Range is a pair of bounds.
type Range struct{ Min, Max Bound }

// Bound is one end of a range; the zero Bound does not bound. An Open end is not
// itself allowed.
type Bound struct {
	Set   bool
	Value float64
	Open  bool
}

// Format is a rule for a text that needs code to check.
type Format int

// The formats.
const (
	AnyText  Format = iota
	URL             // an absolute http or https address
	Tag             // a tag name
	Versions        // conditions on a version
	RuleName        // the name of a warning rule
	Regexp          // a regular expression, RE2
	Currency        // a code of ISO 4217
	Date            // a day
	Glob            // a pattern of paths
)

// String describes the format.
func (f Format) String() string {
	switch f {
	case URL:
		return "an absolute http or https address without user, query or fragment"
	case Tag:
		return "a tag name: a letter, then letters, digits, `-` or `_`"
	case Versions:
		return "conditions on a version, joined by commas"
	case RuleName:
		return "a rule name"
	case Regexp:
		return "a regular expression (RE2)"
	case Currency:
		return "three capital letters (ISO 4217)"
	case Date:
		return "a day, YYYY-MM-DD"
	case Glob:
		return "patterns of paths"
	}
	return ""
}

// atLeast and above make the usual lower bounds, within both.
func atLeast(min float64) Range { return Range{Min: Bound{Set: true, Value: min}} }

func above(min float64) Range { return Range{Min: Bound{Set: true, Value: min, Open: true}} }

func within(min, max float64) Range {
	return Range{Min: Bound{Set: true, Value: min}, Max: Bound{Set: true, Value: max}}
}

// Contains reports whether v lies within the range.
func (r Range) Contains(v float64) bool {
	if m := r.Min; m.Set && (v < m.Value || m.Open && v == m.Value) {
		return false
	}
	if m := r.Max; m.Set && (v > m.Value || m.Open && v == m.Value) {
		return false
	}
	return true
}

// String describes the range: "greater than 0 and at most 1", "" when nothing is
// bounded.
func (r Range) String() string {
	var parts []string
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	if m := r.Min; m.Set && m.Open {
		parts = append(parts, "greater than "+number(m.Value))
	} else if m.Set {
		parts = append(parts, "at least "+number(m.Value))
	}
	if m := r.Max; m.Set && m.Open {
		parts = append(parts, "less than "+number(m.Value))
	} else if m.Set {
		parts = append(parts, "at most "+number(m.Value))
	}
	return strings.Join(parts, " and ")
}

// String describes the constraint, "" when there is none.
func (c Constraint) String() string {
	var parts []string
	if len(c.OneOf) > 0 {
		quoted := make([]string, len(c.OneOf))
		for i, s := range c.OneOf {
			quoted[i] = strconv.Quote(s)
		}
		parts = append(parts, "one of "+strings.Join(quoted, ", "))
	}
	if s := c.Range.String(); s != "" {
		parts = append(parts, s)
	}
	if s := c.Format.String(); s != "" {
		parts = append(parts, s)
	}
	if c.NotEmpty {
		parts = append(parts, "not empty")
	}
	return strings.Join(parts, ", ")
}
