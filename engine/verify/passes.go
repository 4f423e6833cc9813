package verify

import (
	"strings"

	"github.com/dsh-hcl/dsh/engine/event"
)

// brackets is the open pass of a compaction: what it began with, and how far it came
// (docs/format/log.md, Compaction).
type brackets struct {
	start    event.CompactStart
	seq      int64 // of the compact/start
	asked    bool  // the request for the summary was sent
	pruned   int64 // the result that is about to be shortened, -1 for none
	summary  int64 // seq of the compact/summary, -1 before it
	text     string
	replaced bool
}

// compaction follows the passes of a compaction: between steps, one at a time, each in
// the order of its kind.
func (in *Invariants) compaction(e event.Event, broken breaker) *Violation {
	p := in.pass
	switch {
	case in.step != 0:
		return broken("COMPACT", "%s stands inside of a step", e.Type)
	case e.Type == "compact/start" && p != nil:
		return broken("COMPACT", "a compaction is open already")
	case e.Type != "compact/start" && p == nil:
		return broken("COMPACT", "%s without a compact/start", e.Type)
	}
	switch e.Type {
	case "compact/start":
		start, _ := event.ParseCompactStart(e.Data)
		in.pass = &brackets{start: start, seq: e.Seq, pruned: -1, summary: -1}
	case "compact/prune":
		seq := event.ParseCompactPrune(e.Data).Seq
		switch {
		case p.start.Kind != event.GatePrune:
			return broken("COMPACT", "a result is shortened in a pass of kind %q", p.start.Kind)
		case p.pruned >= 0:
			return broken("COMPACT", "event %d was to be shortened, and was not", p.pruned)
		}
		p.pruned = seq
	case "compact/summary":
		switch {
		case p.start.Kind != event.GateSummarize:
			return broken("COMPACT", "a summary in a pass of kind %q", p.start.Kind)
		case !p.asked:
			return broken("COMPACT", "a summary that nobody asked for")
		case p.summary >= 0:
			return broken("COMPACT", "a second summary")
		}
		p.summary, p.text = e.Seq, event.ParseCompactSummary(e.Data).Content.Raw()
	case "compact/end":
		failure := event.ParseCompactEnd(e.Data).Failure
		interrupted := failure != nil && failure.Code == "interrupted" // a crash may come at any place
		switch {
		case p.pruned >= 0 && !interrupted:
			return broken("COMPACT", "event %d was to be shortened, and was not", p.pruned)
		case failure == nil && !p.replaced:
			return broken("COMPACT", "the pass succeeded, and nothing was replaced")
		case failure != nil && p.replaced && p.start.Kind == event.GateSummarize && !interrupted:
			return broken("COMPACT", "the pass failed, and its messages were replaced")
		}
		in.pass = nil
	}
	return nil
}

// asks notes the request for a summary. It reports false where none may be.
func (in *Invariants) asks() bool {
	if in.pass == nil || in.pass.start.Kind != event.GateSummarize || in.pass.summary >= 0 {
		return false
	}
	in.pass.asked = true
	return true
}

// replaces holds what takes the place of a range to its pass.
func (in *Invariants) replaces(e event.Event, broken breaker) *Violation {
	p := in.pass
	switch {
	case p == nil:
		return broken("COMPACT", "a range is replaced outside of a compaction")
	case p.start.Kind == event.GatePrune:
		id, _ := e.Data.Get("callId").Text()
		was, result := in.results[e.Op.Start]
		switch {
		case e.Type != "tool/result" || !result || was != id || e.Op.Start != e.Op.End:
			return broken("COMPACT", "a pass that shortens results replaces something else")
		case p.pruned != e.Op.Start:
			return broken("COMPACT", "event %d is replaced without a compact/prune before it", e.Op.Start)
		}
		p.pruned = -1
	case e.Type != "user/message" || e.Op.Start != p.start.Start || e.Op.End != p.start.End:
		return broken("COMPACT", "what is replaced is not what the compact/start names")
	case p.summary != e.Seq-1 || p.replaced:
		return broken("COMPACT", "a checkpoint without a compact/summary right before it")
	case len(e.Sources) < 2 || e.Sources[0] != p.seq || e.Sources[1] != p.summary:
		return broken("COMPACT", "the sources of a checkpoint begin with its compact/start and compact/summary")
	case !strings.Contains(e.Data.Get("content").Raw(), strings.TrimSuffix(strings.TrimPrefix(p.text, "["), "]")):
		return broken("COMPACT", "the checkpoint does not hold the summary")
	}
	p.replaced = true
	return nil
}
