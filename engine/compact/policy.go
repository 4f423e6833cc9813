package compact

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Policy is what an agent declares about compaction, with its ratios in tokens.
type Policy struct {
	Window    meter.Tokens // of the model, 0 when it is not known
	Threshold meter.Tokens // pressure from which on a compaction is due
	Retain    meter.Tokens // of the newest messages, which stay as they are
	Auto      bool         // before every request; without it only when a person asks
	Retries   int          // further passes when one left the pressure at the threshold
	Overflow  int          // requests in a row that may be repeated after a compaction
	MinGain   float64      // share of the pressure that a pass has to free
	Prune     *Prune       // nil when no result is shortened
	Frame     meter.Tokens // that a checkpoint has besides its summary
	Summary   Summary
}

// Summary is how a summary is asked for.
type Summary struct {
	Instruction string
	Retries     int // of a request that failed
}

// Decision is what the gate says, with the nodes it is about: the first N of the
// surface. More says that another decision has to follow once this one is carried
// out. Reason goes with event.GateNone.
type Decision struct {
	Kind   string
	N      int
	More   bool
	Reason string
}

// Gate decides what a pressure calls for (spec section 6.A, Gate and Retention
// walk). Every trigger but the threshold ignores threshold and retention: then the
// newest unit alone stays. room is how many tokens of messages a request for a
// summary can hold, 0 when that is not known. Errors: *CorruptError.
func (p Policy) Gate(trigger string, pressure meter.Tokens, nodes []Node, room meter.Tokens) (Decision, error) {
	retain := p.Retain
	if trigger != event.TriggerThreshold {
		retain = 0
	} else if pressure < p.Threshold {
		return Decision{Kind: event.GateBelow}, nil
	}
	cuts, err := Cuts(nodes)
	if err != nil {
		return Decision{}, err
	}
	n := Region(nodes, cuts, retain)
	if n == 0 {
		why := "the messages that stay are all there are"
		if len(nodes) == 0 {
			why = "there are no messages"
		}
		return Decision{Kind: event.GateNone, Reason: why}, nil
	}
	if saved, any := p.Prune.saves(nodes[:n]); any {
		after := max(0, pressure-saved)
		enough := after < p.Threshold && p.enough(pressure, after)
		switch {
		case trigger == event.TriggerThreshold && enough,
			// Where the meter sees no overflow, what it says is not enough to go by.
			trigger == event.TriggerOverflow && enough && p.Window > 0 && pressure >= p.Window:
			return Decision{Kind: event.GatePrune, N: n}, nil
		case trigger == event.TriggerOverflow && room > 0 && sum(nodes[:n]) > room:
			return Decision{Kind: event.GatePrune, N: n, More: true}, nil
		}
	}
	if room > 0 {
		fitting := n
		for over := sum(nodes[:fitting]); over > room && fitting > 0; {
			fitting--
			over -= nodes[fitting].Price
		}
		if n = cutBefore(cuts, fitting); n == 0 {
			return Decision{Kind: event.GateNone, Reason: fmt.Sprintf("the oldest messages are too long to be summarized: a request for that has room for %d tokens of them", room)}, nil
		}
	}
	if price := sum(nodes[:n]); price <= p.Frame+p.Frame/4 {
		return Decision{Kind: event.GateNone, Reason: fmt.Sprintf("what could be summarized has %s, and a checkpoint has %d besides its summary", count(price), p.Frame)}, nil
	}
	return Decision{Kind: event.GateSummarize, N: n}, nil
}

// enough reports whether a pass freed what it has to.
func (p Policy) enough(before, after meter.Tokens) bool {
	return float64(before-after) >= p.MinGain*float64(before)
}

// Progress follows the gains of passes. The zero Progress has seen none.
type Progress struct {
	poor    int // passes in a row that freed too little
	earlier int // poor before the last pass
	before  [2]meter.Tokens
	last    meter.Tokens // pressure before the last pass
	open    bool         // no request behind it was reported yet
}

// CodeNoProgress is the code of a session that compaction does not help any more.
const CodeNoProgress = "COMPACTION_NO_PROGRESS"

// Passed takes the pressure around a pass that changed the surface. It reports
// whether this was the second in a row that freed less than its share.
func (g *Progress) Passed(p Policy, before, after meter.Tokens) (stuck bool) {
	g.earlier, g.last, g.open = g.poor, before, true
	g.judge(p, before, after)
	return g.poor >= 2
}

// Reported takes what the provider counted for the first request behind a pass. It
// counts, and not what the pass was taken to have freed: a provider may count what is in
// no message.
func (g *Progress) Reported(p Policy, input meter.Tokens) {
	if !g.open {
		return
	}
	g.open, g.poor = false, g.earlier
	g.judge(p, g.last, input)
}

func (g *Progress) judge(p Policy, before, after meter.Tokens) {
	if p.enough(before, after) {
		g.poor = 0
		return
	}
	if g.poor < len(g.before) {
		g.before[g.poor] = before
	}
	g.poor++
}

// Hopeless reports whether the last two passes freed too little, so that another one
// would be in vain.
func (g *Progress) Hopeless() bool { return g.poor >= 2 }

// Stuck is the failure of a session that compaction does not help any more; it says
// which part of the request is too big. newest is the price of what no pass touches.
func (g *Progress) Stuck(p Policy, after meter.Pressure, newest meter.Tokens) *msg.Error {
	besides := max(0, after.Total-after.Header.Total()-after.History)
	parts := []struct {
		name, advice string
		tokens       meter.Tokens
	}{
		{"the system text", "shorten it", after.Header.System},
		{"the tools", "give the agent fewer of them, or shorter descriptions", after.Header.Tools},
		{"the prefix", "shorten its contributors, or give them max_bytes", after.Header.Prefix},
		{"the newest message", "give what produces it a limit", newest},
		{"the rest of the history", "let it retain less, or let summaries be shorter", max(0, after.History-newest)},
		{"what the provider counts besides", "raise the threshold by that, or name the model's tokenizer", besides},
	}
	biggest := parts[0]
	for _, part := range parts[1:] {
		if part.tokens > biggest.tokens {
			biggest = part
		}
	}
	return &msg.Error{Code: CodeNoProgress, Message: fmt.Sprintf(
		"two compactions in a row freed less than %s of the request, which has %d tokens now (%d and %d before them; threshold %d). Too big is %s with %d tokens: %s. System text %d, tools %d, prefix %d, history %d, of which the newest message %d, and %d that the provider counts besides",
		percent(p.MinGain), after.Total, g.before[0], g.before[1], p.Threshold, biggest.name, biggest.tokens, biggest.advice,
		after.Header.System, after.Header.Tools, after.Header.Prefix, after.History, newest, besides)}
}

func percent(share float64) string { return fmt.Sprintf("%.4g %%", share*100) }

func count(n meter.Tokens) string {
	if n == 1 {
		return "1 token"
	}
	return fmt.Sprintf("%d tokens", n)
}
