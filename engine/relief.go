package engine

import (
	"context"
	"fmt"

	"github.com/dsh-hcl/dsh/engine/compact"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/loop"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

// prepare is everything that comes before a step.
func (i *Instance) prepare(ctx context.Context, s Step) (loop.Prepared, error) {
	if err := i.preStep(ctx, s); err != nil {
		return loop.Prepared{Err: err}, nil
	}
	if c := i.agent.compaction; c == nil || !c.policy.Auto || ctx.Err() != nil {
		return loop.Prepared{}, nil
	}
	r, err := i.relieve(ctx, s, event.TriggerThreshold)
	if r.failure != nil && ctx.Err() == nil {
		i.report(fmt.Errorf("compaction failed: %w; the turn goes on with the history as it is", r.failure))
	}
	return r.Prepared, err
}

// recover makes room after a request that was too long.
func (i *Instance) recover(ctx context.Context, s Step) (loop.Recovered, error) {
	r, err := i.relieve(ctx, s, event.TriggerOverflow)
	if r.failure != nil && ctx.Err() == nil {
		i.report(fmt.Errorf("compaction after a request that was too long failed: %w", r.failure))
	}
	return loop.Recovered{Prepared: r.Prepared, Retry: r.changed}, err
}

// maintain compacts because a person asked for it.
func (i *Instance) maintain(ctx context.Context, turn int64) (loop.Prepared, error) {
	r, err := i.relieve(ctx, Step{Turn: turn}, event.TriggerManual)
	switch {
	case r.failure != nil:
		r.Err = r.failure
	case r.Err == nil && !r.changed:
		r.Err = &msg.Error{Code: CodeNothingToCompact, Message: "there is nothing to compact: " + r.nothing}
	}
	return r.Prepared, err
}

// relief is what the passes of one compaction came to.
type relief struct {
	loop.Prepared
	changed bool   // the surface is another one
	nothing string // why nothing could be done
	failure error  // why it was not all that was wanted; the turn may go on
}

// maxHalvings is how often a request for a summary that was itself too long is made
// half as long.
const maxHalvings = 4

// relieve asks the gate and carries out what it says, until the next request fits or
// nothing more can be done (spec/loop.md section 6.A, Gate). The returned error is
// one of the log.
func (i *Instance) relieve(ctx context.Context, s Step, trigger string) (out relief, logFailure error) {
	i.measuring.Lock()
	defer i.measuring.Unlock()
	defer contain(&out.failure)
	p := i.agent.compaction.policy
	var limit meter.Tokens // of the nodes that a summary may be about, 0 for none
	passes, failures, halvings := 0, 0, 0
	for {
		before := i.measure()
		decision := compact.Decision{Kind: event.GateBelow}
		var nodes []compact.Node
		if trigger != event.TriggerThreshold || before.Total >= p.Threshold {
			nodes = i.nodes()
			var err error
			if decision, err = i.gate(trigger, before, nodes, limit, out.changed); err != nil {
				out.failure = err
				return out, nil
			}
		}
		act := decision.Kind == event.GatePrune || decision.Kind == event.GateSummarize
		if act && trigger == event.TriggerThreshold && passes > p.Retries {
			out.failure = &msg.Error{Code: CodeStillAbove, Message: fmt.Sprintf("the request has %d tokens and is still above threshold after %d compaction attempts (threshold %d)", before.Total, passes, p.Threshold)}
			return out, nil
		}
		if act || !out.changed {
			if _, err := i.append(event.Entry{Payload: i.gateEvent(s, trigger, before, decision)}); err != nil {
				return out, err
			}
		}
		if !act {
			out.nothing = decision.Reason
			return out, nil
		}
		done, err := i.pass(ctx, s.Turn, decision, nodes, before)
		if err != nil {
			return out, err
		}
		out.Input += done.input
		out.Unpriced = out.Unpriced || done.unpriced
		out.changed = out.changed || done.changed
		switch {
		case ctx.Err() != nil:
			out.failure = done.err
			return out, nil
		case done.err != nil && msg.CodeOf(done.err) == msg.CodeContextWindow && halvings < maxHalvings && decision.N > 1:
			halvings++
			limit = max(1, compact.Price(nodes[:decision.N])/2)
			continue
		case done.err != nil && retryable(done.err) && failures < p.Summary.Retries:
			failures++
			continue
		case done.err != nil:
			out.failure = done.err
			return out, nil
		}
		if i.progress.Passed(p, before.Total, done.after.Total) && trigger != event.TriggerManual {
			newest, err := compact.Newest(i.nodes())
			if err != nil {
				newest = 0
			}
			out.Err = i.progress.Stuck(p, done.after, newest)
			return out, nil
		}
		if decision.Kind == event.GateSummarize {
			passes++
		}
		if trigger != event.TriggerThreshold && !decision.More {
			return out, nil
		}
	}
}

// retryable reports whether asking for a summary once more makes sense.
func retryable(err error) bool {
	switch msg.CodeOf(err) {
	case provider.CodeAuth, provider.CodeInvalidRequest, provider.CodeContentFilter, msg.CodeContextWindow, msg.CodeMaxTokens,
		"SUMMARY_NOT_SMALLER", "UNSUPPORTED_CONTENT":
		return false
	}
	return true
}

// gate asks the policy. limit bounds what a summary may be about; changed says that
// this compaction did something already.
func (i *Instance) gate(trigger string, before meter.Pressure, nodes []compact.Node, limit meter.Tokens, changed bool) (compact.Decision, error) {
	i.mu.Lock()
	justNow := i.session.State.Compacted()
	i.mu.Unlock()
	if justNow && !changed {
		return compact.Decision{Kind: event.GateNone, Reason: "the last thing that happened was a compaction, and no request was sent since"}, nil
	}
	c := i.agent.compaction
	room := meter.Tokens(0)
	if c.window > 0 {
		room = max(1, c.window-c.output-before.Header.Total()-i.agent.estimator.Text(c.policy.Summary.Instruction))
		if trigger == event.TriggerOverflow && before.Total < c.window {
			// The provider counts more than the meter does, by that much at least.
			room = max(1, room*before.Total/c.window)
		}
	}
	if limit > 0 && (room == 0 || limit < room) {
		room = limit
	}
	return c.policy.Gate(trigger, before.Total, nodes, room)
}

func (i *Instance) gateEvent(s Step, trigger string, before meter.Pressure, d compact.Decision) event.CompactGate {
	p := i.agent.compaction.policy
	e := event.CompactGate{Turn: s.Turn, Step: s.Step, Trigger: trigger, Window: int64(p.Window), Threshold: int64(p.Threshold), Retain: int64(p.Retain),
		Decision: d.Kind, Reason: d.Reason,
		Pressure: event.Pressure{Total: int64(before.Total), System: int64(before.Header.System), Tools: int64(before.Header.Tools),
			Prefix: int64(before.Header.Prefix), History: int64(before.History)}}
	if before.Measured {
		e.Pressure.Base, e.Pressure.Since = msg.Some(int64(before.Base)), msg.Some(int64(before.Since))
	}
	return e
}
