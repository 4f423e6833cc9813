package scenarios

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// tokenFields are what the verb tokens counts, as they are called in usage blocks.
var tokenFields = []struct {
	name string
	of   func(msg.Usage) int64
}{
	{"input", msg.Usage.TotalInput},
	{"cached_input", func(u msg.Usage) int64 { return u.CacheRead.Or(0) }},
	{"cache_write", func(u msg.Usage) int64 { return u.CacheWrite.Or(0) }},
	{"output", func(u msg.Usage) int64 { return u.Output }},
	{"reasoning", func(u msg.Usage) int64 { return u.Reasoning.Or(0) }},
}

func tokensVerb() verb {
	return verb{
		name:  "tokens",
		usage: []string{"[!] tokens FIELD OP N"},
		help:  "Holds when the tokens that the provider reported for all answers of the session compare so. FIELD is input (cached ones included), cached_input, cache_write, output or reasoning.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 3, 3); err != nil {
				return err
			}
			n, err := strconv.ParseInt(args[2], 10, 64)
			if err != nil {
				return misusef("%q is no number of tokens", args[2])
			}
			for _, f := range tokenFields {
				if f.name == args[0] {
					c, err := w.current(ts)
					if err != nil {
						return notYet(err)
					}
					var sum int64
					for _, u := range c.answers("usage") {
						sum += f.of(msg.ParseUsage(u))
					}
					return compares(fmt.Sprintf("the session took %d tokens of %s", sum, f.name), sum, args[1], n)
				}
			}
			return misusef("there are no tokens of %q", args[0])
		},
	}
}

func costVerb() verb {
	return verb{
		name:  "cost",
		usage: []string{"[!] cost OP VALUE"},
		help:  "Holds when what all answers of the session cost, in the currency of the model's price, compares so: cost '<=' 0.05.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 2, 2); err != nil {
				return err
			}
			n, ok := msg.ParseAmount(args[1])
			if !ok {
				return misusef("%q is no amount of money: write a number such as 0.05", args[1])
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			var sum msg.Cost
			for _, v := range c.answers("cost") {
				if one, ok := msg.ParseCost(v); ok {
					sum = msg.Cost{Amount: sum.Amount.Plus(one.Amount), Currency: one.Currency}
				}
			}
			if sum.Currency == "" {
				return notYet(errors.New("no answer has a cost: the model needs a price block"))
			}
			return compares("the session cost "+sum.String(), sum.Amount, args[0], n)
		},
	}
}

// answers are the values of a member of the session's assistant messages, where
// they have it.
func (c *current) answers(member string) []canon.Value {
	var out []canon.Value
	for _, e := range c.ofType("assistant/message") {
		if v := e.Data.Get(member); v.Exists() {
			out = append(out, v)
		}
	}
	return out
}

// compares holds a finding to a comparison.
func compares[N int | int64 | msg.Amount](finding string, got N, op string, want N) error {
	holds, err := compare(got, op, want)
	if err == nil && !holds {
		err = fmt.Errorf("%s, which is not %s %v", finding, op, want)
	}
	return err
}
