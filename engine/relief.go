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
	"github.com/dsh-hcl/dsh/engine/session"
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
	switch {
	case r.failure == nil || ctx.Err() != nil:
	case msg.CodeOf(r.failure) == CodeStillAbove:
		i.report(fmt.Errorf("compaction was not enough: %w; the turn goes on", r.failure))
	default:
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
		i.mu.Lock()
		i.nothing = &msg.Error{Code: CodeNothingToCompact, Message: "there is nothing to compact: " + r.nothing}
		i.mu.Unlock()
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
			if decision, err = i.gate(s.Turn, trigger, before, nodes, limit, out.changed, failures+halvings > 0); err != nil {
				out.failure = err
				return out, nil
			}
		}
		act := decision.Kind == event.GatePrune || decision.Kind == event.GateSummarize
		hopeless := act && trigger == event.TriggerThreshold && i.progress.Hopeless()
		if hopeless {
			decision = compact.Decision{Kind: event.GateNone, Reason: "the last two compactions freed too little"}
		}
		if act && !hopeless && trigger == event.TriggerThreshold && passes > p.Retries {
			out.failure = stillAbove(before.Total, passes, p.Threshold)
			return out, nil
		}
		if act || !out.changed {
			if _, err := i.append(event.Entry{Payload: i.gateEvent(s, trigger, before, decision)}); err != nil {
				return out, err
			}
		}
		if hopeless {
			out.Err = i.stuck(before)
			return out, nil
		}
		if !act {
			if out.nothing = decision.Reason; out.changed && trigger == event.TriggerThreshold && before.Total >= p.Threshold {
				out.failure = stillAbove(before.Total, passes, p.Threshold)
			}
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
			out.Err = i.stuck(done.after)
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

func stillAbove(total meter.Tokens, passes int, threshold meter.Tokens) error {
	return &msg.Error{Code: CodeStillAbove, Message: fmt.Sprintf("the request has %d tokens and is still above threshold after %d compaction attempts (threshold %d)", total, passes, threshold)}
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
// this compaction did something already, and again that it tried and is to try once more.
func (i *Instance) gate(turn int64, trigger string, before meter.Pressure, nodes []compact.Node, limit meter.Tokens, changed, again bool) (compact.Decision, error) {
	i.mu.Lock()
	justNow, failed := i.session.State.Compacted(), i.session.State.Failed()
	i.mu.Unlock()
	if justNow && !changed {
		return compact.Decision{Kind: event.GateNone, Reason: "the last thing that happened was a compaction, and no request was sent since"}, nil
	}
	if trigger == event.TriggerThreshold && !changed && !again {
		if until := i.patience(failed, turn); before.Total < until {
			return compact.Decision{Kind: event.GateNone, Reason: fmt.Sprintf("the last compaction came to nothing; the next one is tried from %d tokens on", until)}, nil
		}
	}
	c := i.agent.compaction
	estimate := max(1, before.Header.Total()+before.History)
	instruction := i.agent.estimator.Text(c.policy.Summary.Instruction)
	room := meter.Tokens(0)
	if c.window > 0 {
		answer := c.output
		if answer == 0 {
			answer = c.window / 16
		}
		room = c.window - answer
		if before.Total > estimate { // in the meter's own tokens, of which the provider counts more
			room = room * estimate / before.Total
		}
		room = max(1, room-before.Header.Total()-instruction)
	}
	if limit > 0 && (room == 0 || limit < room) {
		room = limit
	}
	policy := c.policy
	policy.Frame = i.frame()
	if trigger == event.TriggerOverflow {
		// All of it was too long, so that most of it with an instruction behind is, too.
		if most := before.History*3/4 - instruction; most > 0 && (room == 0 || most < room) {
			if d, err := policy.Gate(trigger, before.Total, nodes, most); err != nil || d.Kind != event.GateNone {
				return d, err
			}
		}
	}
	d, err := policy.Gate(trigger, before.Total, nodes, room)
	if err == nil && changed && trigger == event.TriggerThreshold && d.Kind == event.GateSummarize && d.N == 1 {
		// What there is to summarize is the checkpoint that was just written.
		share := float64(before.Total) / float64(max(1, before.Header.Total()+before.History))
		if rest := float64(before.Total) - share*float64(nodes[0].Price); rest >= float64(c.policy.Threshold) {
			return compact.Decision{Kind: event.GateNone, Reason: "a checkpoint that was just written is all there is to summarize, and without it there would still be too much"}, nil
		}
	}
	return d, err
}

// frame is what a checkpoint has besides its summary.
func (i *Instance) frame() meter.Tokens {
	if i.framed == 0 {
		i.framed = compact.Frame(i.agent.estimator)
	}
	return i.framed
}

// patience is from how many tokens on a compaction is tried after the last ones came to
// nothing: in the next turn after the first, and then the later the more there were, so
// that nobody pays for what does not work.
func (i *Instance) patience(f session.Failed, turn int64) meter.Tokens {
	if f.Passes == 0 || f.Turn != turn && f.Passes <= 1+i.agent.compaction.policy.Summary.Retries {
		return 0
	}
	return meter.Tokens(float64(f.At) * (1 + i.agent.compaction.policy.MinGain*float64(f.Passes)))
}

// stuck is the failure of a session that passes do not help any more.
func (i *Instance) stuck(after meter.Pressure) error {
	newest, err := compact.Newest(i.nodes())
	if err != nil {
		newest = 0
	}
	return i.progress.Stuck(i.agent.compaction.policy, after, newest)
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
