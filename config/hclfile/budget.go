package hclfile

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Bounds on what a configuration may take. They are far above what a person writes,
// and keep a hostile one from filling the memory or the day.
const (
	maxFolder       = 8 << 20 // bytes of all configuration files together
	maxDeclarations = 10_000  // blocks outside of blocks, and locals
	maxProblems     = 5_000   // that are reported
	maxRounds       = 250_000 // of all loops in one evaluation
	maxOutput       = 16 << 20
	maxValues       = 64 << 20 // bytes of text in all locals together
)

// budgetName is where an evaluation keeps its budget. No name in a configuration
// can be the same.
const budgetName = "(budget)"

var budgetType = cty.Capsule("budget", reflect.TypeFor[budget]())

// budget is what is left of one evaluation.
type budget struct {
	rounds int
	output int
	weight int // rounds that one round counts as: more where the inputs are large
	worked int // work of functions that is not yet a round
	spent  bool
}

// overBudget is the panic that ends an evaluation.
type overBudget struct{}

func (b *budget) take(output int) {
	b.rounds -= b.weight
	b.output -= output
	if b.spent = b.spent || b.rounds < 0 || b.output < 0; b.spent {
		panic(overBudget{})
	}
}

// counted is an expression in a loop, each value of which is paid for. It stands
// around the expression as parentheses do, so that who walks the tree sees both.
type counted struct {
	*hclsyntax.ParenthesesExpr
	body int // work of evaluating what is written once
}

// Value implements hcl.Expression.
func (e counted) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	b := budgetOf(ctx)
	if b != nil {
		b.work(e.body)
		b.take(0)
	}
	v, diags := e.ParenthesesExpr.Value(ctx)
	if b != nil {
		b.take(textBytes(v))
	}
	return v, diags
}

// budgetOf is the budget of the evaluation that a context is for, nil for none.
func budgetOf(ctx *hcl.EvalContext) *budget {
	for c := ctx; c != nil; c = c.Parent() {
		if v, ok := c.Variables[budgetName]; ok {
			return v.EncapsulatedValue().(*budget)
		}
	}
	return nil
}

// argument is an expression that a function gets. A long list of it is paid for: the
// library holds the types of all elements against each other before the function is
// called. It stands around the expression as parentheses do.
type argument struct{ *hclsyntax.ParenthesesExpr }

// Value implements hcl.Expression.
func (e argument) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := e.ParenthesesExpr.Value(ctx)
	if t := v.Type(); t.IsTupleType() {
		if b := budgetOf(ctx); b != nil {
			b.work(typeWork(t))
		}
	}
	return v, diags
}

// typeWork is what it takes to find the one type of the elements of a list, of lists
// in it too.
func typeWork(t cty.Type) int {
	if !t.IsTupleType() {
		return 0
	}
	types := t.TupleElementTypes()
	n := 4 * len(types) * min(len(types), maxWork)
	for _, t := range types {
		n += typeWork(t)
	}
	return n
}

// weigh makes the arguments of a call pay for long lists.
func weigh(n *hclsyntax.FunctionCallExpr) {
	switch n.Name {
	case "try", "can":
		return // they evaluate what they get by themselves
	case "list", "set", "map", "object", "tuple", "optional":
		return // of a type, which is never evaluated
	}
	for i, e := range n.Args {
		if _, again := e.(argument); !again {
			n.Args[i] = argument{&hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}}
		}
	}
}

// count makes a loop pay for its rounds.
func count(n *hclsyntax.ForExpr) {
	for _, e := range []*hclsyntax.Expression{&n.KeyExpr, &n.ValExpr, &n.CondExpr} {
		if _, again := (*e).(counted); !again && *e != nil {
			at := (*e).Range()
			*e = counted{&hclsyntax.ParenthesesExpr{Expression: *e, SrcRange: at}, bodyWork * max(0, at.End.Byte-at.Start.Byte-freeBody)}
		}
	}
}

// withBudget is a context that knows what its evaluation may take; size is the
// bytes of its inputs.
func withBudget(ctx *hcl.EvalContext, size int) (*hcl.EvalContext, *budget) {
	b := &budget{rounds: maxRounds, output: maxOutput, weight: 1 + size>>12}
	child := &hcl.EvalContext{}
	if ctx != nil {
		child = ctx.NewChild()
	}
	child.Variables = map[string]cty.Value{budgetName: cty.CapsuleVal(budgetType, b)}
	return child, b
}

// absurd reports a number in a value whose text would be absurdly long.
func absurd(v cty.Value) bool {
	const bits = 4096
	v, _ = v.Unmark()
	switch {
	case !v.IsKnown() || v.IsNull():
		return false
	case v.Type() == cty.Number:
		f := v.AsBigFloat()
		exp := f.MantExp(nil)
		return !f.IsInf() && (exp > bits || exp < -bits)
	case v.Type().IsPrimitiveType() || !v.CanIterateElements():
		return false
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, e := it.Element(); absurd(e) {
			return true
		}
	}
	return false
}

// replaceSize refuses replacements with a result out of proportion.
func replaceSize(args []cty.Value) error {
	text, old, with := args[0].AsString(), args[1].AsString(), args[2].AsString()
	n := len(text) + 1
	if old != "" {
		n = len(text)/len(old) + 1
	}
	return outputSize(n, len(with))
}

// regexReplaceSize is replaceSize for patterns, which match anywhere and repeat what
// they matched.
func regexReplaceSize(args []cty.Value) error {
	text, with := args[0].AsString(), args[2].AsString()
	if err := outputSize(len(text)+1, len(with)); err != nil {
		// Most patterns match far less often.
		pattern, bad := regexp.Compile(args[1].AsString())
		if bad != nil {
			return nil
		}
		if err := outputSize(len(pattern.FindAllStringIndex(text, -1))+1, len(with)); err != nil {
			return err
		}
	}
	return outputSize(strings.Count(with, "$"), len(text))
}

// joinSize refuses texts that a separator makes too long.
func joinSize(args []cty.Value) error {
	n := 0
	for _, list := range args[1:] {
		if list.CanIterateElements() {
			n += list.LengthInt()
		}
	}
	return outputSize(n, len(args[0].AsString()))
}

// listFormatSize refuses lists in which one long text stands too often.
func listFormatSize(args []cty.Value) error {
	if err := formatWidth(args); err != nil {
		return err
	}
	n, each := 1, 0
	for _, v := range args {
		if v.Type() == cty.String || !v.CanIterateElements() {
			each += textBytes(v)
			continue
		}
		n = max(n, v.LengthInt())
	}
	return outputSize(n, each)
}

func indentSize(args []cty.Value) error {
	if err := indentWidth(args); err != nil {
		return err
	}
	width, _ := args[0].AsBigFloat().Int64()
	lines := 0
	for _, c := range args[1].AsString() {
		if c == '\n' {
			lines++
		}
	}
	return outputSize(lines, int(width))
}

func outputSize(n, each int) error {
	if each > 0 && n > maxOutput/each {
		return function.NewArgErrorf(0, "the result could have more than %d MiB", maxOutput>>20)
	}
	return nil
}
