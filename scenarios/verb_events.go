package scenarios

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func eventsVerb() verb {
	return verb{
		name:    "events",
		asserts: true,
		usage:   []string{"[!] events TYPE..."},
		help:    "Holds when the log has events of these types in this order; others may stand before, between and behind them.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 1, -1); err != nil {
				return err
			}
			for _, t := range args {
				if err := knownType(t); err != nil {
					return err
				}
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			var have []string
			for _, e := range c.events {
				have = append(have, e.Type)
			}
			if found := subsequence(have, args); found < len(args) {
				where := "no " + args[found]
				if found > 0 {
					where += " after " + strings.Join(args[:found], " ")
				}
				return fmt.Errorf("the log has %s; it is %s", where, strings.Join(have, " "))
			}
			return nil
		},
	}
}

// subsequence returns how many of the wanted types, from the first on, stand in
// have in their order.
func subsequence(have, want []string) int {
	found := 0
	for _, t := range have {
		if found < len(want) && t == want[found] {
			found++
		}
	}
	return found
}
