package hclfile

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// part is a sensitive text that other values may be made of.
type part struct {
	marks []mark
	text  string
}

// keepPart remembers the texts in a value, which is sensitive by these marks.
func (l *loader) keepPart(v cty.Value, marks []mark) {
	if len(marks) == 0 {
		return
	}
	v, _ = v.UnmarkDeep()
	_ = cty.Walk(v, func(_ cty.Path, e cty.Value) (bool, error) {
		if e.IsKnown() && !e.IsNull() && e.Type().IsPrimitiveType() {
			if e, err := textOfValue(e); err == nil && e.AsString() != "" {
				l.parts = append(l.parts, part{marks, e.AsString()})
			}
		}
		return true, nil
	})
}

// partsOf are the texts that a value with these marks may be made of, each once and
// without the value itself.
func (l *loader) partsOf(marks []mark, value string) []string {
	var out []string
	for _, p := range l.parts {
		shared := slices.ContainsFunc(p.marks, func(m mark) bool { return slices.Contains(marks, m) })
		if shared && p.text != value && !slices.Contains(out, p.text) {
			out = append(out, p.text)
		}
	}
	return out
}
