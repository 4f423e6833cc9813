package hclfile

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config/prompt"
	"github.com/dsh-hcl/dsh/schema"
)

// convertTo checks a known, unmarked value that is not null against the table. It
// returns the value as the accessors of setting expect it, or what is wrong, as
// the rest of a sentence that begins with the argument.
func convertTo(a *schema.Attribute, v cty.Value, expr hcl.Expression) (cty.Value, string) {
	v, problem := ofType(a.Type, v, expr)
	if problem == "" {
		problem = within(a, v)
	}
	return v, problem
}

// durationForm and sizeForm are texts that are well written, and may be too large.
var (
	durationForm = regexp.MustCompile(`^-?(?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s))+$`)
	sizeForm     = regexp.MustCompile(`^[0-9]+ *(?:KiB|MiB|kB|MB|B)$`)
)

// tilde is what is wrong with a path that a shell would expand.
func tilde(path string) string {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return ""
	}
	return fmt.Sprintf("is %s, and ~ has no meaning here: write %s", quoted(path), quoted("${path.home}"+path[1:]))
}

// ofType checks the type. Nothing is converted but what cannot lose meaning: a
// text that is one interpolation of a number or a truth value.
func ofType(t schema.Type, v cty.Value, expr hcl.Expression) (cty.Value, string) {
	wrong := func() (cty.Value, string) {
		return v, fmt.Sprintf("is %s, not %s: %s", kindOf(v), article(t), t.Written())
	}
	switch t {
	case schema.Text, schema.Path, schema.Secret:
		if _, wrap := expr.(*hclsyntax.TemplateWrapExpr); wrap && v.Type().IsPrimitiveType() {
			if infinite(v) {
				return v, "is infinite"
			}
			v, _ = textOfValue(v)
		}
		if v.Type() != cty.String {
			return wrong()
		}
		if strings.ContainsRune(v.AsString(), 0) {
			return v, "holds a NUL character"
		}
		if t == schema.Path && v.AsString() == "" {
			return v, "is empty: write the path of a file"
		}
		if t == schema.Path && !isPlain(v.AsString()) {
			return v, "holds a control character"
		}
		if t == schema.Path {
			return v, tilde(v.AsString())
		}
	case schema.Bool:
		if v.Type() != cty.Bool {
			return wrong()
		}
	case schema.Whole:
		if v.Type() != cty.Number {
			return wrong()
		}
		if f := v.AsBigFloat(); !f.IsInt() {
			return v, "is a fraction, not a whole number"
		} else if f.Cmp(big.NewFloat(1<<53)) >= 0 || f.Cmp(big.NewFloat(-1<<53)) <= 0 {
			return v, "is out of range"
		}
	case schema.Number:
		if v.Type() != cty.Number {
			return wrong()
		}
	case schema.Amount:
		if v.Type() != cty.Number {
			return wrong()
		}
		if _, ok := billionths(v); !ok {
			return v, fmt.Sprintf("is %s, which is too fine: %s", short(v), t.Written())
		}
	case schema.Duration:
		if v.Type() != cty.String {
			return wrong()
		}
		if _, err := time.ParseDuration(v.AsString()); err != nil && durationForm.MatchString(v.AsString()) {
			return v, fmt.Sprintf("is %s, which is out of range", short(v))
		} else if err != nil || !durationForm.MatchString(v.AsString()) {
			return v, fmt.Sprintf("is %s, not a duration: %s", short(v), t.Written())
		}
	case schema.Size:
		if v.Type() == cty.String {
			if _, ok := parseSize(v.AsString()); !ok && sizeForm.MatchString(v.AsString()) {
				return v, fmt.Sprintf("is %s, which is out of range", short(v))
			} else if !ok {
				return v, fmt.Sprintf("is %s, not a size: %s", short(v), t.Written())
			}
			return v, ""
		}
		return ofType(schema.Whole, v, expr)
	case schema.Texts:
		if !v.Type().IsTupleType() && !v.Type().IsListType() && !v.Type().IsSetType() {
			return wrong()
		}
		for it := v.ElementIterator(); it.Next(); {
			if _, e := it.Element(); e.IsNull() || e.Type() != cty.String {
				return v, fmt.Sprintf("holds %s, not only texts: %s", kindOf(e), t.Written())
			}
		}
	case schema.TextOrTexts:
		if v.Type() == cty.String {
			return cty.TupleVal([]cty.Value{v}), ""
		}
		return listed(t, v, expr)
	case schema.Command:
		v, problem := listed(t, v, expr)
		if problem != "" {
			return v, problem
		}
		for it := v.ElementIterator(); it.Next(); {
			if _, e := it.Element(); strings.ContainsRune(e.AsString(), 0) {
				return v, "holds a NUL character"
			}
		}
		switch program := v.AsValueSlice()[0]; {
		case program.AsString() == "":
			return v, "begins with an empty text: write the program"
		case tilde(program.AsString()) != "":
			return v, "begins with what " + tilde(program.AsString())
		}
	case schema.Values:
		if !v.Type().IsObjectType() && !v.Type().IsMapType() {
			return wrong()
		}
	}
	return v, ""
}

// listed checks a list of texts that must not be empty.
func listed(t schema.Type, v cty.Value, expr hcl.Expression) (cty.Value, string) {
	if k := v.Type(); !k.IsTupleType() && !k.IsListType() && !k.IsSetType() {
		return v, fmt.Sprintf("is %s, not %s: %s", kindOf(v), article(t), t.Written())
	}
	v, problem := ofType(schema.Texts, v, expr)
	if problem == "" && v.LengthInt() == 0 {
		problem = "is an empty list: " + t.Written()
	}
	return v, problem
}

// within checks the constraint. What may stand in a list is checked where the
// places of its elements are known.
func within(a *schema.Attribute, v cty.Value) string {
	c := a.Constraint
	switch a.Type {
	case schema.Texts, schema.TextOrTexts, schema.Command:
		return ""
	}
	if len(c.OneOf) > 0 && !slices.Contains(c.OneOf, v.AsString()) {
		return fmt.Sprintf("is %s, not %s.%s", short(v), strings.ReplaceAll(c.String(), `"`, ""), didYouMean(v.AsString(), c.OneOf))
	}
	if c.NotEmpty && v.AsString() == "" {
		return "is empty"
	}
	var amount float64
	switch a.Type {
	case schema.Whole, schema.Number, schema.Amount:
		var cut big.Accuracy
		amount, cut = v.AsBigFloat().Float64()
		// A number a little beyond a bound is beyond it, however little that is.
		if cut != big.Exact && !c.Range.Contains(math.Nextafter(amount, math.Inf(-int(cut)))) {
			amount = math.Nextafter(amount, math.Inf(-int(cut)))
		}
	case schema.Duration:
		amount = durationOf(v).Seconds()
	case schema.Size:
		amount = float64(sizeBytes(v))
	default:
		return wellFormed(c.Format, v)
	}
	if !c.Range.Contains(amount) {
		return fmt.Sprintf("is %s and must be %s", short(v), c.Range)
	}
	return ""
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

var tagName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func wellFormed(f schema.Format, v cty.Value) string {
	switch f {
	case schema.Tag:
		if !tagName.MatchString(v.AsString()) {
			return fmt.Sprintf("is %s, which is no tag name: write a letter, then letters, digits, - or _", short(v))
		}
	case schema.Glob:
		if problem := prompt.WrongGlob(v.AsString()); problem != "" {
			return fmt.Sprintf("is %s, which %s", short(v), problem)
		}
	case schema.URL:
		return wrongAddress(v.AsString())
	case schema.Regexp:
		return wrongRegexp(v)
	case schema.Currency:
		if !currencyCode.MatchString(v.AsString()) {
			return fmt.Sprintf("is %s, which is no currency: write the three capital letters of ISO 4217, such as \"USD\"", short(v))
		}
	case schema.Date:
		if _, err := time.Parse(time.DateOnly, v.AsString()); err != nil {
			return fmt.Sprintf("is %s, which is no day: write YYYY-MM-DD, such as \"2026-11-30\"", short(v))
		}
	case schema.Versions:
		if _, err := parseConditions(v.AsString()); err != nil {
			return fmt.Sprintf("cannot be read: %s", err)
		}
	}
	return ""
}

// wrongRegexp is what is wrong with a regular expression. The words of the library
// name the part that it does not understand.
func wrongRegexp(v cty.Value) string {
	_, err := regexp.Compile(v.AsString())
	var wrong *syntax.Error
	switch {
	case err == nil:
		return ""
	case v.AsString() == "*":
		return `is "*", which is no regular expression: leave the argument out to match everything`
	case errors.As(err, &wrong):
		return fmt.Sprintf("is %s, which is no regular expression: %s at %s", short(v), wrong.Code, quoted(wrong.Expr))
	}
	return fmt.Sprintf("is %s, which is no regular expression", short(v))
}

func durationOf(v cty.Value) time.Duration {
	d, _ := time.ParseDuration(v.AsString())
	return d
}

func wholeNumber(v cty.Value) int {
	n, _ := v.AsBigFloat().Int64()
	return int(n)
}

// billionths is a number in billionths, and whether it is a whole number of them,
// as far as the arithmetic of the language can tell.
func billionths(v cty.Value) (int64, bool) {
	exact := new(big.Float).Mul(v.AsBigFloat(), big.NewFloat(1e9))
	half := big.NewFloat(math.Copysign(0.5, float64(exact.Sign())))
	n, _ := new(big.Float).Add(exact, half).Int64()
	off := new(big.Float).Sub(exact, new(big.Float).SetInt64(n))
	return n, off.Abs(off).Cmp(big.NewFloat(1e-9)) < 0
}

func sizeBytes(v cty.Value) int {
	if v.Type() == cty.String {
		n, _ := parseSize(v.AsString())
		return n
	}
	return wholeNumber(v)
}

// parseSize reads a whole number with a unit: "64KiB".
func parseSize(s string) (int, bool) {
	for _, unit := range [...]struct {
		name  string
		bytes float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"kB", 1e3}, {"MB", 1e6}, {"B", 1}} {
		digits, ok := strings.CutSuffix(s, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimRight(digits, " "), 10, 32)
		if err != nil || float64(n)*unit.bytes > math.MaxInt32 {
			return 0, false
		}
		return int(float64(n) * unit.bytes), true
	}
	return 0, false
}

// kindOf is what a value is, in the words of the documentation.
func kindOf(v cty.Value) string {
	t := v.Type()
	switch {
	case v.IsNull():
		return "null"
	case t == cty.String:
		return "a text"
	case t == cty.Number:
		return "a number"
	case t == cty.Bool:
		return "true or false"
	case t.IsObjectType() || t.IsMapType():
		return "an object"
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		return "a list"
	}
	return "something else"
}

func article(t schema.Type) string {
	s := t.String()
	switch {
	case t == schema.Bool:
		return s
	case strings.HasPrefix(s, "o") || strings.HasPrefix(s, "a"):
		return "an " + s
	}
	return "a " + s
}
