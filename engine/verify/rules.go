package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// rules holds the events of a log to what its writer promises, apart from any
// digest: a line that somebody added needs none to be noticed. The first break is
// told, since what follows from it is not news. Events that were copied from
// another log are followed and not judged: an older version had other rules. Where
// they break these, nothing behind them is judged either.
type rules struct {
	version    int64 // -1 for version 1 in the dress of version 0
	invariants Invariants
	seed       int64
	turn, step int64 // that a request was sent for
	broken     bool
}

// Guard returns a checker for a log that somebody is about to go on from: it is
// given each event and returns the rule it breaks.
func Guard(h eventlog.Header) func(event.Event) error { return ruled(h).keep }

func ruled(h eventlog.Header) *rules {
	return &rules{version: h.Version, seed: h.SeedLength, invariants: Invariants{Strict: true, Seed: h.SeedLength}}
}

// newRules reads the first line of a log; a log without one is refused elsewhere.
func newRules(text string) *rules {
	line, _, _ := strings.Cut(text, "\n")
	h, err := eventlog.ParseHeader(line)
	if err != nil {
		return &rules{broken: true}
	}
	r := ruled(h)
	if v, err := canon.Parse(line); h.Version == 0 && err == nil && (v.Get("agent").Exists() || v.Get("configDigest").Exists()) {
		r.version = -1
	}
	return r
}

// errDowngraded is a log of this project that calls itself one of the reference.
var errDowngraded = errors.New("the log says that it has version 0, and holds what only version 1 has: its first line was changed")

// keep takes the next event and returns the rule it breaks, once.
func (r *rules) keep(e event.Event) error {
	if r.broken {
		return nil
	}
	err := r.check(e)
	r.broken = r.broken || err != nil
	return err
}

func (r *rules) check(e event.Event) error {
	if r.version <= 0 {
		if r.version < 0 || e.Type == "request/sent" || e.Type == "turn/end" && e.Data.Get("logSha256").Exists() {
			return errDowngraded
		}
		return nil
	}
	v := r.invariants.Feed(e)
	if e.Seq < r.seed {
		r.broken = v != nil
		return nil
	}
	if v != nil {
		return v
	}
	turn, _ := e.Data.Get("turn").Int()
	step, _ := e.Data.Get("step").Int()
	switch e.Type {
	case "request/sent":
		if p, _ := e.Data.Get("purpose").Text(); p != event.PurposeStep {
			return nil // invariant COMPACT is about those
		}
		r.turn, r.step = turn, step
	case "turn/end":
		kind, _ := e.Data.Get("reason").Get("kind").Text()
		if !slices.Contains(event.EndKinds(), event.EndKind(kind)) {
			return fmt.Errorf("a turn never ends as %q", kind)
		}
	case "assistant/message":
		if turn != r.turn || step != r.step {
			return fmt.Errorf("the answer of turn %d step %d has no request", turn, step)
		}
	}
	return nil
}
