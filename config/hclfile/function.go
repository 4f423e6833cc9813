package hclfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// lookupFunction returns a function of the language by its name; schema.Functions
// lists them. file and sensitive are bound to the expression that calls them. A
// switch and not a table, since most configurations call two or three.
func lookupFunction(name string) (function.Function, bool) {
	switch name {
	case "file", "sensitive":
		return function.Function{}, true
	case "can":
		return canFunction(), true
	case "nonsensitive":
		return nonsensitiveFunction(), true
	case "try":
		return tryFunction(), true
	}
	f, ok := pureFunction(name)
	if !ok {
		return f, false
	}
	return discreet(f), true
}

// pureFunction returns a function that knows nothing of sensitive values.
func pureFunction(name string) (function.Function, bool) {
	switch name {
	case "abs":
		return stdlib.AbsoluteFunc, true
	case "assertnotnull":
		return stdlib.AssertNotNullFunc, true
	case "ceil":
		return stdlib.CeilFunc, true
	case "chomp":
		return stdlib.ChompFunc, true
	case "chunklist":
		return stdlib.ChunklistFunc, true
	case "coalesce":
		return stdlib.CoalesceFunc, true
	case "coalescelist":
		return stdlib.CoalesceListFunc, true
	case "compact":
		return stdlib.CompactFunc, true
	case "concat":
		return stdlib.ConcatFunc, true
	case "contains":
		return stdlib.ContainsFunc, true
	case "csvdecode":
		return stdlib.CSVDecodeFunc, true
	case "distinct":
		return distinctFunction(), true
	case "element":
		return stdlib.ElementFunc, true
	case "flatten":
		return stdlib.FlattenFunc, true
	case "floor":
		return stdlib.FloorFunc, true
	case "format":
		return bounded(stdlib.FormatFunc, formatWidth), true
	case "formatdate":
		return stdlib.FormatDateFunc, true
	case "formatlist":
		return bounded(stdlib.FormatListFunc, listFormatSize), true
	case "hasindex":
		return stdlib.HasIndexFunc, true
	case "indent":
		return bounded(stdlib.IndentFunc, indentSize), true
	case "index":
		return stdlib.IndexFunc, true
	case "int":
		return stdlib.IntFunc, true
	case "join":
		return bounded(stdlib.JoinFunc, joinSize), true
	case "jsondecode":
		return bounded(stdlib.JSONDecodeFunc, jsonDepth), true
	case "jsonencode":
		return jsonEncodeFunction(), true
	case "keys":
		return stdlib.KeysFunc, true
	case "length":
		return stdlib.LengthFunc, true
	case "log":
		return stdlib.LogFunc, true
	case "lookup":
		return stdlib.LookupFunc, true
	case "lower":
		return stdlib.LowerFunc, true
	case "max":
		return stdlib.MaxFunc, true
	case "merge":
		return stdlib.MergeFunc, true
	case "min":
		return stdlib.MinFunc, true
	case "parseint":
		return stdlib.ParseIntFunc, true
	case "pow":
		return stdlib.PowFunc, true
	case "range":
		return stdlib.RangeFunc, true
	case "regex":
		return stdlib.RegexFunc, true
	case "regexall":
		return stdlib.RegexAllFunc, true
	case "regexreplace":
		return bounded(stdlib.RegexReplaceFunc, regexReplaceSize), true
	case "replace":
		return bounded(stdlib.ReplaceFunc, replaceSize), true
	case "reverse":
		return stdlib.ReverseListFunc, true
	case "sethaselement":
		return stdlib.SetHasElementFunc, true
	case "setintersection":
		return stdlib.SetIntersectionFunc, true
	case "setproduct":
		return bounded(stdlib.SetProductFunc, productSize), true
	case "setsubtract":
		return stdlib.SetSubtractFunc, true
	case "setsymmetricdifference":
		return stdlib.SetSymmetricDifferenceFunc, true
	case "setunion":
		return stdlib.SetUnionFunc, true
	case "sha256":
		return sha256Function(), true
	case "signum":
		return stdlib.SignumFunc, true
	case "slice":
		return stdlib.SliceFunc, true
	case "sort":
		return stdlib.SortFunc, true
	case "split":
		return stdlib.SplitFunc, true
	case "strlen":
		return stdlib.StrlenFunc, true
	case "strrev":
		return stdlib.ReverseFunc, true
	case "substr":
		return stdlib.SubstrFunc, true
	case "timeadd":
		return stdlib.TimeAddFunc, true
	case "title":
		return stdlib.TitleFunc, true
	case "tobool":
		return stdlib.MakeToFunc(cty.Bool), true
	case "tolist":
		return stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)), true
	case "tomap":
		return stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)), true
	case "tonumber":
		return stdlib.MakeToFunc(cty.Number), true
	case "toset":
		return stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)), true
	case "tostring":
		return toStringFunction(), true
	case "trim":
		return stdlib.TrimFunc, true
	case "trimprefix":
		return stdlib.TrimPrefixFunc, true
	case "trimspace":
		return stdlib.TrimSpaceFunc, true
	case "trimsuffix":
		return stdlib.TrimSuffixFunc, true
	case "upper":
		return stdlib.UpperFunc, true
	case "values":
		return stdlib.ValuesFunc, true
	case "zipmap":
		return stdlib.ZipmapFunc, true
	}
	return function.Function{}, false
}

// errSensitive stands for every error of a function that got a sensitive value,
// whose own words could show it.
var errSensitive = errors.New("invalid argument (sensitive)")

// discreet wraps a function so that its errors show no sensitive value.
func discreet(f function.Function) function.Function {
	open := func(p function.Parameter) function.Parameter {
		p.AllowMarked, p.AllowNull, p.AllowUnknown, p.AllowDynamicType = true, true, true, true
		return p
	}
	spec := &function.Spec{
		Type: func(args []cty.Value) (cty.Type, error) {
			t, err := f.ReturnTypeForValues(args)
			return t, hide(err, args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			if plain, _ := v.Unmark(); err == nil && infinite(plain) {
				err = errors.New("the result is infinite")
			}
			if err == nil && absurd(v) {
				err = errAbsurd
			}
			return v, hide(err, args)
		},
	}
	for _, p := range f.Params() {
		spec.Params = append(spec.Params, open(p))
	}
	if p := f.VarParam(); p != nil {
		rest := open(*p)
		spec.VarParam = &rest
	}
	return function.New(spec)
}

// hide replaces an error when an argument is sensitive. The argument that is to
// blame stays known.
func hide(err error, args []cty.Value) error {
	if err == nil || !slices.ContainsFunc(args, cty.Value.ContainsMarked) {
		return err
	}
	var arg function.ArgError
	if errors.As(err, &arg) {
		return function.NewArgError(arg.Index, errSensitive)
	}
	return errSensitive
}

func sha256Function() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			sum := sha256.Sum256([]byte(args[0].AsString()))
			return cty.StringVal(hex.EncodeToString(sum[:])), nil
		},
	})
}

func jsonEncodeFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if !args[0].IsWhollyKnown() {
				return cty.UnknownVal(cty.String), nil
			}
			return cty.StringVal(canonical(args[0])), nil
		},
	})
}
