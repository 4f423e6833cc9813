package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
)

func headerVerb() verb {
	return verb{
		name:    "header",
		asserts: true,
		usage:   []string{"[!] header reason REASON", "[!] header count N", "[!] header has FIELD", "[!] header drift ADDRESS...", "[!] header drift none", "[!] header reused", "header golden [-full] NAME"},
		help:    "Holds when the last header was logged for that reason (initial, resume); that many headers were logged; the last one has the field; exactly these contributors, or none, differ from what the session recorded before; the recorded prefix was taken all the same; it is what golden/SCENARIO/NAME.json pins: addresses, roles and order, a token for each content. With -full, NAME.json pins lengths, digests and tools, and NAME.md the text of system and prefix.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 1, -1); err != nil {
				return err
			}
			if args[0] != "drift" && args[0] != "reused" && args[0] != "golden" {
				if err := need(args, 2, 2); err != nil {
					return err
				}
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			h, err := w.header(c)
			if err != nil {
				return notYet(err)
			}
			switch args[0] {
			case "reason":
				if !slices.Contains([]string{event.HeaderInitial, event.HeaderResume, event.HeaderFallback}, args[1]) {
					return misusef("no header is logged for reason %q", args[1])
				}
				if h.Reason != args[1] {
					return fmt.Errorf("the last header was logged for reason %s, not %s", h.Reason, args[1])
				}
			case "count":
				n, err := strconv.Atoi(args[1])
				if err != nil {
					return misusef("%q is no number", args[1])
				}
				if got := len(c.ofType("request/header")); got != n {
					return fmt.Errorf("%d headers were logged, not %d", got, n)
				}
			case "has":
				if !slices.Contains(headerFields(), args[1]) {
					return misusef("a header never has a field %q", args[1])
				}
				v, err := canon.ParseCanonical(h.Header.Raw())
				if err != nil {
					return err
				}
				if !v.Get(args[1]).Exists() {
					return fmt.Errorf("the header has no %s", args[1])
				}
			case "drift":
				if len(args) == 1 {
					return misusef("name what drifted, or none")
				}
				want := args[1:]
				if want[0] == "none" {
					if h.Reason == event.HeaderInitial {
						return notYet(errors.New("an initial header has none before it that anything could differ from"))
					}
					want = want[1:]
				}
				var have []string
				for _, d := range h.Drift {
					have = append(have, d.Address)
				}
				if near := strayOf(want, have, w.declared); near != "" {
					return misusef("nothing drifted%s", near)
				}
				if !slices.Equal(have, want) {
					return fmt.Errorf("what drifted is %s, not %s", list(have), list(want))
				}
			case "reused":
				if err := need(args, 1, 1); err != nil {
					return err
				}
				if !h.Reused {
					return fmt.Errorf("the last header has a prefix that was composed anew")
				}
			case "golden":
				return w.headerGolden(c, h, args[1:])
			default:
				return unknownForm(args[0], "reason", "count", "has", "drift", "reused", "golden")
			}
			return nil
		},
	}
}

// strayOf is what is wrong with an address that is neither there nor declared by an
// agent that the scenario opened: negated, its line would hold for ever. Where nothing is
// declared, only what differs from one that is there as a misspelt one does is stray.
func strayOf(names, have, declared []string) string {
	for _, n := range names {
		if slices.Contains(have, n) || slices.Contains(declared, n) {
			continue
		}
		s := didYouMean(n, slices.Concat(have, declared))
		if s != "" || len(declared) > 0 {
			return fmt.Sprintf(" as %q%s", n, s)
		}
	}
	return ""
}

func list(addresses []string) string {
	if len(addresses) == 0 {
		return "nothing"
	}
	return strings.Join(addresses, " ")
}

// headerFields are the members that a header may have, docs/format/header.md.
func headerFields() []string { return []string{"config", "system", "tools", "messagePrefix", "wire"} }
