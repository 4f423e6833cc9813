package hclfile

import (
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// The work of a function is counted in units of about two nanoseconds. So many are a
// round of a loop, so many what a call and an element of a value take at least.
const (
	roundWork   = 4096
	callWork    = 256
	elementWork = 256
	compareWork = 200 // of two elements of a list
	letterWork  = 16  // of a byte of a text that is read by characters
	bodyWork    = 256 // of a byte of an expression in a loop, for one round
	freeBody    = 64  // bytes of it that a round pays for
)

// charged makes a function pay for its calls out of the budget of the evaluation that
// is under way: for what it reads and what it returns, and for those functions that
// take more than that, for what they take.
func (l *loader) charged(name string, f function.Function) function.Function {
	switch name {
	case "try", "can", "sensitive", "nonsensitive":
		return f // they hand on what others paid for
	}
	spec := &function.Spec{
		Type: func(args []cty.Value) (cty.Type, error) {
			l.pay(callWork + workOf(args...) + extraWork(name, args))
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			if err == nil {
				l.pay(workOf(v))
				if name == "file" {
					l.pay(letterWork * workOf(v))
				}
			}
			return v, err
		},
	}
	open := func(p function.Parameter) function.Parameter {
		p.AllowMarked, p.AllowNull, p.AllowUnknown, p.AllowDynamicType = true, true, true, true
		return p
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

// pay takes work out of the budget of the evaluation that is under way.
func (l *loader) pay(work int) {
	if l.paying != nil {
		l.paying.work(work)
	}
}

// work takes work out of a budget, and ends the evaluation when there is no more.
func (b *budget) work(n int) {
	b.worked += n
	b.rounds -= b.worked / roundWork
	b.worked %= roundWork
	if b.spent = b.spent || b.rounds < 0; b.spent {
		panic(overBudget{})
	}
}

// workOf is what reading or making values takes.
func workOf(values ...cty.Value) int {
	n := 0
	for _, v := range values {
		v, _ = v.Unmark()
		switch {
		case v.IsNull() || !v.IsKnown():
		case v.Type() == cty.String:
			n += len(v.AsString())
		case v.CanIterateElements():
			for it := v.ElementIterator(); it.Next(); {
				_, e := it.Element()
				n += elementWork + workOf(e)
			}
		}
	}
	return n
}

// extraWork is what a function takes beyond reading its arguments.
func extraWork(name string, args []cty.Value) int {
	text := func(i int) string {
		if i >= len(args) {
			return ""
		}
		v, _ := args[i].Unmark()
		if v.Type() != cty.String || v.IsNull() || !v.IsKnown() {
			return ""
		}
		return v.AsString()
	}
	elements := func(i int) int {
		if i >= len(args) {
			return 0
		}
		v, _ := args[i].Unmark()
		if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
			return 0
		}
		return v.LengthInt()
	}
	switch name {
	case "strlen", "strrev", "title", "upper", "lower":
		return letterWork * len(text(0))
	case "substr":
		return letterWork * len(text(0))
	case "contains", "index":
		return compareWork * elements(0)
	case "distinct":
		if n := elements(0); !areTexts(args[0]) {
			each := compareWork + 8*workOf(args[0])/max(n, 1)
			return each * min(n, maxWork/max(n, 1)) * n / 2
		}
	case "sort":
		return 4 * elementWork * elements(0)
	case "jsondecode", "csvdecode":
		return 4 * letterWork * len(text(0)) // read once for its type and once for its value
	case "regex":
		return scanWork(text(0), text(1))
	case "regexall":
		return matchWork(text(0), text(1))
	case "regexreplace":
		return matchWork(text(1), text(0))
	}
	return 0
}

// maxWork is more work than there is in any budget.
const maxWork = (maxRounds + 1) * roundWork

// scanWork is what it takes to look for a pattern in a text once: each byte is held
// against each step of the pattern.
func scanWork(pattern, text string) int {
	read, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0 // the function says so
	}
	program, err := syntax.Compile(read.Simplify())
	if err != nil {
		return 0
	}
	return 2 * len(text) * len(program.Inst)
}

// matchWork is what it takes to find all places of a pattern in a text: for each of
// them the rest of the text may be read.
func matchWork(pattern, text string) int {
	const perByte = 2 * letterWork // of each that is read
	scan := scanWork(pattern, text)
	if scan == 0 || scan > maxWork {
		return scan
	}
	p, err := regexp.Compile(pattern)
	if err != nil {
		return 0
	}
	most := maxWork / perByte
	if looksBehind(pattern) {
		return scan + perByte*len(text)*len(p.FindAllStringIndex(text, most/len(text)+1))
	}
	read := 0
	for from := 0; from < len(text) && read <= most; {
		r := &counter{text: text[from:], most: most - read}
		at := p.FindReaderIndex(r)
		read += r.read
		if at == nil {
			break
		}
		_, size := utf8.DecodeRuneInString(text[from:])
		from += max(at[1], size)
	}
	return scan + perByte*read
}

// looksBehind reports a pattern whose matches depend on what stands in front of them.
func looksBehind(pattern string) bool {
	read, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return true
	}
	program, err := syntax.Compile(read.Simplify())
	return err != nil || slices.ContainsFunc(program.Inst, func(i syntax.Inst) bool { return i.Op == syntax.InstEmptyWidth })
}

// counter reads a text and counts the bytes that were read, at most most.
type counter struct {
	text       string
	read, most int
}

// ReadRune implements io.RuneReader.
func (c *counter) ReadRune() (rune, int, error) {
	if c.read >= len(c.text) || c.read > c.most {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRuneInString(c.text[c.read:])
	c.read += size
	return r, size, nil
}

// areTexts reports a list of texts that are all known.
func areTexts(v cty.Value) bool {
	v, _ = v.Unmark()
	return v.IsWhollyKnown() && !v.IsNull() && !v.ContainsMarked() && v.Type() == cty.List(cty.String)
}

// distinctFunction is the function of the library, which compares each element with
// each, but of texts in a time that their number does not square.
func distinctFunction() function.Function {
	f := stdlib.DistinctFunc
	return function.New(&function.Spec{
		Params: f.Params(),
		Type:   f.ReturnTypeForValues,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if !areTexts(args[0]) || args[0].LengthInt() == 0 {
				return f.Call(args)
			}
			var out []cty.Value
			seen := map[string]bool{}
			for it := args[0].ElementIterator(); it.Next(); {
				_, e := it.Element()
				if e.IsNull() {
					return f.Call(args)
				}
				if s := e.AsString(); !seen[s] {
					seen[s] = true
					out = append(out, e)
				}
			}
			return cty.ListVal(out), nil
		},
	})
}
