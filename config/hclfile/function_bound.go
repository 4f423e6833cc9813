package hclfile

import (
	"errors"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// bounded refuses arguments that would make a function take memory or stack out
// of proportion to the configuration. check sees known, unmarked arguments.
func bounded(f function.Function, check func(args []cty.Value) error) function.Function {
	spec := &function.Spec{
		Params:   f.Params(),
		VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			plain := make([]cty.Value, len(args))
			for i, v := range args {
				plain[i], _ = v.UnmarkDeep()
			}
			if !slices.ContainsFunc(plain, func(v cty.Value) bool { return v.IsNull() || !v.IsWhollyKnown() }) {
				if err := check(plain); err != nil {
					return cty.NilType, err
				}
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f.Call(args) },
	}
	return function.New(spec)
}

func formatWidth(args []cty.Value) error {
	if args[0].Type() != cty.String {
		return nil
	}
	digits := 0
	for _, c := range args[0].AsString() {
		if c < '0' || c > '9' {
			digits = 0
			continue
		}
		if digits++; digits > 4 {
			return function.NewArgErrorf(0, "a width or precision has at most four digits")
		}
	}
	return nil
}

func indentWidth(args []cty.Value) error {
	if n, _ := args[0].AsBigFloat().Int64(); n > 1000 {
		return function.NewArgErrorf(0, "at most 1000 spaces")
	}
	return nil
}

func productSize(args []cty.Value) error {
	const limit = 100_000
	n := 1
	for _, v := range args {
		if !v.CanIterateElements() {
			return nil
		}
		if n *= v.LengthInt(); n > limit {
			return errors.New("more than 100000 combinations")
		}
	}
	return nil
}

// jsonDepth bounds the nesting of JSON text, which is read by recursion.
func jsonDepth(args []cty.Value) error {
	text, depth, inText := args[0].AsString(), 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case strings.IndexByte("[{", c) >= 0:
			if depth++; depth > maxDepth {
				return function.NewArgErrorf(0, "nested more than %d levels deep", maxDepth)
			}
		case strings.IndexByte("]}", c) >= 0:
			depth--
		}
	}
	return nil
}
