package hclfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/dsh-hcl/dsh/config/diag"
)

// mark is the cty mark of a sensitive value: where it came from. It follows the
// value through every expression.
type mark struct {
	source string // as it is written: env.TOKEN, var.token, sensitive(...)
	at     diag.Range
}

// marksOf returns a value without marks, and its marks in the order of source and
// place.
func marksOf(v cty.Value) (cty.Value, []mark) {
	plain, set := v.UnmarkDeep()
	var marks []mark
	for m := range set {
		if m, ok := m.(mark); ok {
			marks = append(marks, m)
		}
	}
	slices.SortFunc(marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Start.Byte, b.at.Start.Byte))
	})
	return plain, marks
}

// sinkError reports a sensitive value at a place that a model or a record shows.
func (l *loader) sinkError(at diag.Range, sink string, marks []mark) {
	l.seenError(at, sink, "is sent to a model or recorded. Leave it out", marks)
}

// seenError reports a sensitive value at a place where it would be seen; how says
// in what way, and what to do.
func (l *loader) seenError(at diag.Range, sink, how string, marks []mark) {
	var sources []string
	var related []diag.Related
	for _, m := range marks {
		if !slices.Contains(sources, m.source) {
			sources = append(sources, m.source)
		}
		related = append(related, diag.Related{Message: m.source + " is read", At: m.at})
	}
	d := diag.Errorf(at, "Sensitive value would be seen",
		"A value from %s reaches %s, which %s; if it is no secret, write nonsensitive(...) around it.", strings.Join(sources, " and "), sink, how)
	d.Related = related
	l.report(d)
}

// sensitiveFunction is sensitive() for one expression: its mark has the place of
// the call.
func (l *loader) sensitiveFunction(at diag.Range) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowMarked: true, AllowNull: true, AllowUnknown: true, AllowDynamicType: true}},
		Type:   func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			m := mark{source: "sensitive(...)", at: at}
			l.keepPart(args[0], []mark{m})
			return args[0].Mark(m), nil
		},
	})
}

// nonsensitiveFunction removes marks: the author says that the value may be seen.
func nonsensitiveFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowMarked: true, AllowNull: true, AllowUnknown: true, AllowDynamicType: true}},
		Type:   func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			plain, _ := args[0].UnmarkDeep()
			return plain, nil
		},
	})
}

// withheld is the detail of a problem whose own words could show a sensitive
// value.
func withheld(marks []mark) string {
	var sources []string
	for _, m := range marks {
		if !slices.Contains(sources, m.source) {
			sources = append(sources, m.source)
		}
	}
	return fmt.Sprintf("The details are withheld, because the expression uses a sensitive value (%s).", strings.Join(sources, ", "))
}
