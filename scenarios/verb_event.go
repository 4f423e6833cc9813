package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/event"
)

func turnVerb() verb {
	return verb{
		name:    "turn",
		asserts: true,
		usage:   []string{"[!] turn end KIND"},
		help:    "Holds when the last turn ended that way: completed, aborted, error, disposed, max-tokens, rejected or interrupted.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 2, 2); err != nil {
				return err
			}
			if args[0] != "end" {
				return unknownForm(args[0], "end")
			}
			if !slices.Contains(event.EndKinds(), event.EndKind(args[1])) {
				return misusef("a turn never ends as %q", args[1])
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			ends := c.ofType("turn/end")
			if len(ends) == 0 {
				return fmt.Errorf("no turn has ended")
			}
			r := event.ParseEndReason(ends[len(ends)-1].Data.Get("reason"))
			if string(r.Kind) != args[1] {
				return fmt.Errorf("the last turn ended as %s, not %s", endOf(r), args[1])
			}
			return nil
		},
	}
}

// endOf is how a turn ended, in words.
func endOf(r event.EndReason) string {
	s := string(r.Kind)
	if why := r.Message + r.Reason; why != "" {
		s += ": " + why
	}
	return s
}

func eventVerb() verb {
	return verb{
		name:    "event",
		asserts: true,
		usage:   []string{"[!] event TYPE", "[!] event TYPE count OP N"},
		help:    "Holds when the log has an event of the type, or a number of them that compares so: ==, !=, <, <=, > or >=.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if len(args) != 1 && (len(args) != 4 || args[1] != "count") {
				return misusef("wrong arguments")
			}
			if err := knownType(args[0]); err != nil {
				return err
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			got := len(c.ofType(args[0]))
			if len(args) == 1 {
				if got == 0 {
					return fmt.Errorf("the log has no %s", args[0])
				}
				return nil
			}
			n, err := strconv.Atoi(args[3])
			if err != nil {
				return misusef("%q is no number", args[3])
			}
			if err := tells(args[2], int64(n)); err != nil {
				return err
			}
			return compares(fmt.Sprintf("the log has %d events %s", got, args[0]), got, args[2], n)
		},
	}
}

// knownType holds a type of events to those that there are: a misspelt one would
// make a negated line hold for ever.
func knownType(t string) error {
	if !slices.Contains(event.Types(), t) {
		return misusef("there are no events of type %q%s", t, didYouMean(t, event.Types()))
	}
	return nil
}

func compare[N cmp.Ordered](a N, op string, b N) (bool, error) {
	switch op {
	case "==":
		return a == b, nil
	case "!=":
		return a != b, nil
	case "<":
		return a < b, nil
	case "<=":
		return a <= b, nil
	case ">":
		return a > b, nil
	case ">=":
		return a >= b, nil
	}
	return false, misusef("%q is no comparison: use ==, !=, <, <=, > or >=", op)
}

func codeVerb() verb {
	return verb{
		name:    "code",
		asserts: true,
		usage:   []string{"[!] code CODE"},
		help:    "Holds when the last send failed with that stable code.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			if err := need(args, 1, 1); err != nil {
				return err
			}
			if w.code == "" {
				return notYet(errors.New("the last turn did not fail: there is no code"))
			}
			if near := strayOf(args, []string{w.code}, nil); near != "" {
				return misusef("the last turn did not fail%s", near)
			}
			if w.code != args[0] {
				return fmt.Errorf("the last send failed with code %s, not %s", w.code, args[0])
			}
			return nil
		},
	}
}
