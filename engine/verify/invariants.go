package verify

import (
	"fmt"
	"slices"

	"github.com/dsh-hcl/dsh/engine/event"
)

// Violation is an event that breaks a rule of the log. Check is the rule's name:
// I1 to I10 of spec/loop.md section 7, CALLS for a tool call of a finished step
// without exactly one result, or COMPACT for a compaction out of order.
type Violation struct {
	Seq    int64
	Check  string
	Reason string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("invariant violated: %s at event %d: %s", v.Check, v.Seq, v.Reason)
}

// StableCode returns the error's code.
func (v *Violation) StableCode() string { return "INVARIANT" }

// Invariants watches a log event by event. It keeps its own picture of surface,
// turns and calls and shares nothing with the session's fold. The zero value is
// ready; after a violation it may be partly advanced.
type Invariants struct {
	// Strict adds what this project promises beyond the reference: every call of a
	// step is answered exactly once.
	Strict bool
	// Seed is the number of leading events that came from another log, which may be
	// one of the reference. Strict does not ask more of them.
	Seed int64

	last       int64 // seq of the last event, -1 before the first once started
	started    bool
	seen       map[int64]bool
	surface    []int64
	found      int   // where the last one was found
	turn, step int64 // open ones
	nextTurn   int64
	nextStep   int64
	pass       *brackets        // the open pass of a compaction, nil for none
	results    map[int64]string // call ids of the tool results there are, by seq
	pending    map[string]int   // calls of the open step and how many results are due
}

// Check feeds a whole log and returns the first violation, or nil.
func Check(events []event.Event, strict bool) *Violation {
	in := Invariants{Strict: strict}
	for _, e := range events {
		if v := in.Feed(e); v != nil {
			return v
		}
	}
	return nil
}

// Feed takes the next event and returns the rule it breaks, or nil.
func (in *Invariants) Feed(e event.Event) *Violation {
	if !in.started {
		in.started, in.last = true, -1
		in.seen = map[int64]bool{}
		in.pending = map[string]int{}
		in.results = map[int64]string{}
		in.nextTurn = 1
	}
	broken := func(check, format string, args ...any) *Violation {
		return &Violation{Seq: e.Seq, Check: check, Reason: fmt.Sprintf(format, args...)}
	}
	if e.Seq <= in.last {
		return broken("I1", "it follows event %d", in.last)
	}
	if !event.IsSurfaceType(e.Type) && (e.Sources != nil || e.Op.Kind != event.OpNone) {
		return broken("I2", "%s takes no part in the surface", e.Type)
	}
	if v := in.provenance(e, broken); v != nil {
		return v
	}
	if v := in.place(e, broken); v != nil {
		return v
	}
	in.last = e.Seq
	in.seen[e.Seq] = true
	if e.Type == "tool/result" {
		in.results[e.Seq], _ = e.Data.Get("callId").Text()
	}
	return in.order(e, broken)
}

type breaker func(check, format string, args ...any) *Violation

func (in *Invariants) provenance(e event.Event, broken breaker) *Violation {
	if e.Sources == nil {
		return nil
	}
	if len(e.Sources) == 0 {
		return broken("I3", "sourceEventSeqs is empty")
	}
	named := make(map[int64]bool, len(e.Sources))
	for _, s := range e.Sources {
		twice := named[s]
		named[s] = true
		switch {
		case twice:
			return broken("I3", "source %d is named twice", s)
		case s >= e.Seq:
			return broken("I3", "source %d is not earlier", s)
		case !in.seen[s]:
			return broken("I3", "source %d does not exist", s)
		}
	}
	return nil
}

func (in *Invariants) place(e event.Event, broken breaker) *Violation {
	switch e.Op.Kind {
	case event.OpAppend:
		in.surface = append(in.surface, e.Seq)
	case event.OpReplace:
		from, to := in.find(e.Op.Start), -1
		if to = from; e.Op.End != e.Op.Start {
			to = in.find(e.Op.End)
		}
		switch {
		case from < 0:
			return broken("I4", "start %d is not on the surface", e.Op.Start)
		case to < 0:
			return broken("I4", "end %d is not on the surface", e.Op.End)
		case from > to:
			return broken("I4", "start %d is behind end %d", e.Op.Start, e.Op.End)
		}
		if in.Strict && e.Seq >= in.Seed {
			if v := in.replaces(e, broken); v != nil {
				return v
			}
		}
		sources := make(map[int64]bool, len(e.Sources))
		for _, s := range e.Sources {
			sources[s] = true
		}
		for _, seq := range in.surface[from : to+1] {
			if !sources[seq] {
				return broken("I4", "replaced event %d is no source", seq)
			}
		}
		if from == to {
			in.surface[from] = e.Seq
		} else {
			in.surface = slices.Replace(in.surface, from, to+1, e.Seq)
		}
	}
	return nil
}

// find returns the place of an event on the surface, -1 when it is not there. It looks
// from where the last one was found, since replacements mostly follow each other.
func (in *Invariants) find(seq int64) int {
	for i := range in.surface {
		if at := (in.found + i) % len(in.surface); in.surface[at] == seq {
			in.found = at
			return at
		}
	}
	return -1
}

// outsideTurns reports whether an event may stand between turns. In version 0 none
// may.
func outsideTurns(e event.Event) bool { return e.Version() > 0 && e.Type == "session/title" }

func (in *Invariants) order(e event.Event, broken breaker) *Violation {
	number := func(name string) int64 { n, _ := e.Data.Get(name).Int(); return n }
	turn, step := number("turn"), number("step")
	switch e.Type {
	case "turn/start":
		if in.turn != 0 {
			return broken("I5", "turn %d is still open", in.turn)
		}
		if turn != in.nextTurn {
			return broken("I5", "turn %d is out of order, %d is next", turn, in.nextTurn)
		}
		in.turn, in.nextTurn, in.nextStep = turn, turn+1, 1
	case "turn/end":
		if in.turn == 0 || turn != in.turn {
			return broken("I6", "turn %d is not open", turn)
		}
		if in.step != 0 {
			return broken("I6", "step %d is still open", in.step)
		}
		if in.pass != nil {
			return broken("COMPACT", "a compaction is still open")
		}
		in.turn = 0
	case "step/start":
		if in.turn == 0 || turn != in.turn {
			return broken("I7", "turn %d is not open", turn)
		}
		if in.step != 0 {
			return broken("I7", "step %d is still open", in.step)
		}
		if step != in.nextStep {
			return broken("I7", "step %d is out of order, %d is next", step, in.nextStep)
		}
		in.step, in.nextStep = step, step+1
	case "request/sent":
		if in.turn == 0 {
			return broken("I10", "%s stands outside of every turn", e.Type)
		}
		if p, _ := e.Data.Get("purpose").Text(); p == event.PurposeSummary && e.Seq >= in.Seed && !in.asks() {
			return broken("COMPACT", "a request for a summary stands outside of a compaction")
		}
	case "compact/start", "compact/prune", "compact/summary", "compact/end":
		if in.turn == 0 {
			return broken("I10", "%s stands outside of every turn", e.Type)
		}
		if e.Compaction() && e.Seq >= in.Seed {
			return in.compaction(e, broken)
		}
	case "step/end", "assistant/chunk", "assistant/message", "tool/call", "tool/result":
		if e.Type == "tool/result" && e.Op.Kind == event.OpReplace && in.pass != nil {
			return nil // a shorter one in the place of one that was there
		}
		if in.turn == 0 || in.step == 0 || turn != in.turn || step != in.step {
			return broken("I8", "turn %d step %d is not open", turn, step)
		}
		return in.calls(e, broken)
	default:
		if in.turn == 0 && !outsideTurns(e) {
			return broken("I10", "%s stands outside of every turn", e.Type)
		}
	}
	return nil
}

// calls follows the tool calls of the open step.
func (in *Invariants) calls(e event.Event, broken breaker) *Violation {
	strict := in.Strict && e.Seq >= in.Seed
	id, _ := e.Data.Get("callId").Text()
	switch e.Type {
	case "assistant/message":
		if m, ok := e.Message(); ok && strict {
			for _, c := range m.Content.ToolCalls() {
				in.pending[c.ID]++
			}
		}
	case "tool/call":
		// The reference knows of calls by tool/call alone, of each id once.
		if !strict {
			in.pending[id] = 1
		}
	case "tool/result":
		code, _ := e.Data.Get("error").Get("code").Text()
		interrupted := e.Data.Get("isError").IsTrue() && code == "interrupted"
		if in.pending[id] == 0 && !interrupted {
			return broken("I9", "no call %q is waiting for a result", id)
		}
		if in.pending[id] > 0 {
			in.pending[id]--
		}
	case "step/end":
		in.step = 0
		if strict {
			ids := make([]string, 0, len(in.pending))
			for id, n := range in.pending {
				if n > 0 {
					ids = append(ids, id)
				}
			}
			if len(ids) > 0 {
				slices.Sort(ids)
				return broken("CALLS", "calls without a result: %q", ids)
			}
		}
		clear(in.pending)
	}
	return nil
}
