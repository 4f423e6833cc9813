package scenarios

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
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
		name:    "tokens",
		asserts: true,
		usage:   []string{"[!] tokens FIELD OP N"},
		help:    "Holds when the tokens that the provider reported for all answers of the session, without those that a fork copied, compare so. FIELD is input (cached ones included), cached_input, cache_write, output or reasoning.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 3, 3); err != nil {
				return err
			}
			n, err := strconv.ParseInt(args[2], 10, 64)
			if err != nil {
				return misusef("%q is no number of tokens", args[2])
			}
			if err := tells(args[1], n); err != nil {
				return err
			}
			for _, f := range tokenFields {
				if f.name == args[0] {
					c, err := w.current(ts)
					if err != nil {
						return notYet(err)
					}
					reported := c.answers("usage")
					if len(reported) == 0 {
						return notYet(errors.New("no answer came with usage"))
					}
					var sum int64
					for _, u := range reported {
						sum += f.of(msg.ParseUsage(u))
					}
					return compares(fmt.Sprintf("the session took %d tokens of %s", sum, f.name), sum, args[1], n)
				}
			}
			return misusef("there are no tokens of %q", args[0])
		},
	}
}

func pressureVerb() verb {
	return verb{
		name:    "pressure",
		asserts: true,
		usage:   []string{"[!] pressure OP N"},
		help:    "Holds when the tokens that the next request is taken to have compare so: what the provider reported of the last one and the estimate of what came since, or the estimate alone. The agent runs.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 2, 2); err != nil {
				return err
			}
			n, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				return misusef("%q is no number of tokens", args[1])
			}
			if err := tells(args[0], n); err != nil {
				return err
			}
			if w.instance == nil {
				return notRunning()
			}
			p := w.instance.Pressure()
			return compares(fmt.Sprintf("the next request has %d tokens (system %d, tools %d, prefix %d, history %d)",
				p.Total, p.Header.System, p.Header.Tools, p.Header.Prefix, p.History), int64(p.Total), args[0], n)
		},
	}
}

func compactedVerb() verb {
	return verb{
		name:    "compacted",
		asserts: true,
		usage:   []string{"[!] compacted N"},
		help:    "Holds when N passes of compactions changed the session's history, without those that a fork copied.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 1, 1); err != nil {
				return err
			}
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 0 {
				return misusef("%q is no number of passes", args[0])
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			done, failed := 0, ""
			for _, e := range c.events {
				if e.Type != "compact/end" || !e.Compaction() || e.Seq < c.scan.Header.SeedLength {
					continue
				}
				if p := event.ParseCompactEnd(e.Data); p.Failure != nil {
					failed = "; the last one that failed: " + p.Failure.Message
				} else {
					done++
				}
			}
			if done != n {
				return fmt.Errorf("%d passes changed the history, not %d%s", done, n, failed)
			}
			return nil
		},
	}
}

func costVerb() verb {
	return verb{
		name:    "cost",
		asserts: true,
		usage:   []string{"[!] cost OP VALUE"},
		help:    "Holds when what all answers of the session cost, without those that a fork copied, in the currency of the model's price, compares so: cost '<=' 0.05.",
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

// answers are the values of a member of the session's own answers, summaries among
// them, where they have it: what a fork copied was its parent's.
func (c *current) answers(member string) []canon.Value {
	var out []canon.Value
	for _, e := range c.events {
		if e.Type != "assistant/message" && !e.Compaction() {
			continue
		}
		if v := e.Data.Get(member); v.Exists() && e.Seq >= c.scan.Header.SeedLength {
			out = append(out, v)
		}
	}
	return out
}

// tells refuses comparisons of a count that hold whatever it is.
func tells(op string, n int64) error {
	if n < 0 || n == 0 && (op == ">=" || op == "<") {
		return misusef("a count is never negative, so %s %d says nothing", op, n)
	}
	return nil
}

// compares holds a finding to a comparison.
func compares[N int | int64 | float64 | msg.Amount](finding string, got N, op string, want N) error {
	holds, err := compare(got, op, want)
	if err == nil && !holds {
		err = fmt.Errorf("%s, which is not %s %v", finding, op, want)
	}
	return err
}

func cacheVerb() verb {
	return verb{
		name:    "cache",
		asserts: true,
		usage:   []string{"[!] cache hit-ratio N OP VALUE"},
		help:    "Holds when the share of the input of request N that the provider reported as read from its cache, between 0 and 1, compares so: cache hit-ratio 2 '>=' 0.9.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 1, -1); err != nil {
				return err
			}
			if args[0] != "hit-ratio" {
				return unknownForm(args[0], "hit-ratio")
			}
			if err := need(args, 4, 4); err != nil {
				return err
			}
			want, err := strconv.ParseFloat(args[3], 64)
			if err != nil || !(want >= 0 && want <= 1) {
				return misusef("%q is no ratio between 0 and 1", args[3])
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			u, err := w.usageOf(c, args[1])
			if err != nil {
				return err
			}
			total, cached := u.TotalInput(), u.CacheRead.Or(0)
			if total == 0 {
				return misusef("the provider reported no input for request %s", args[1])
			}
			got := float64(cached) / float64(total)
			return compares(fmt.Sprintf("of %d tokens of request %s, %d came from the cache, a ratio of %.3f", total, args[1], cached, got), got, args[2], want)
		},
	}
}

// usageOf is what the provider reported for the answer to a request.
func (w *world) usageOf(c *current, number string) (msg.Usage, error) {
	bodies, err := w.arrived(c)
	if err != nil {
		return msg.Usage{}, err
	}
	var sent []event.Event // that arrived, as the verb request counts them
	for i, e := range c.ofType("request/sent") {
		if bodies[i] != nil {
			sent = append(sent, e)
		}
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(sent) {
		return msg.Usage{}, misusef("there is no request %s: %d were sent", number, len(sent))
	}
	answer, ok := c.answerTo(sent[n-1])
	if u := answer.Data.Get("usage"); ok && u.Exists() {
		return msg.ParseUsage(u), nil
	}
	return msg.Usage{}, misusef("the answer to request %s came without usage", number)
}

// answerTo is the answer to a request, as far as it came.
func (c *current) answerTo(sent event.Event) (event.Event, bool) {
	p := event.ParseRequestSent(sent.Data)
	if p.Purpose == event.PurposeSummary {
		for _, e := range c.events {
			if e.Seq > sent.Seq && (e.Type == "compact/summary" || e.Type == "compact/end") {
				return e, e.Type == "compact/summary" || e.Data.Get("usage").Exists()
			}
		}
		return event.Event{}, false
	}
	for _, e := range c.ofType("assistant/message") {
		turn, _ := e.Data.Get("turn").Int()
		step, _ := e.Data.Get("step").Int()
		if turn == p.Turn && step == p.Step {
			return e, true
		}
	}
	return event.Event{}, false
}
