package cli

import (
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// compactionText says in a line what an event of a compaction decided or did, "" for a
// decision that let everything be.
func compactionText(e event.Event) string {
	if !e.Compaction() {
		return ""
	}
	switch e.Type {
	case "compact/gate":
		p := event.ParseCompactGate(e.Data)
		switch p.Decision {
		case event.GateBelow:
			return ""
		case event.GateNone:
			return fmt.Sprintf("%s, and nothing is done: %s", arithmetic(p), inLine(p.Reason))
		}
		return fmt.Sprintf("%s: %s", arithmetic(p), decisionText(p.Decision))
	case "compact/end":
		p := event.ParseCompactEnd(e.Data)
		if p.Failure != nil {
			return fmt.Sprintf("came to nothing: %s (%s)", inLine(p.Failure.Message), inLine(p.Failure.Code))
		}
		return fmt.Sprintf("%d -> %d tokens", p.Before, p.After)
	}
	return ""
}

func decisionText(decision string) string {
	switch decision {
	case event.GatePrune:
		return "results of tools are shortened"
	case event.GateSummarize:
		return "the oldest messages are summarized"
	case event.GateBelow:
		return "nothing to do"
	}
	return inLine(decision)
}

// arithmetic says what the gate compared.
func arithmetic(p event.CompactGate) string {
	switch p.Trigger {
	case event.TriggerOverflow:
		return fmt.Sprintf("the request of about %s was longer than the model reads", plural(int(p.Pressure.Total), "token", "tokens"))
	case event.TriggerManual:
		return fmt.Sprintf("asked for by hand, at %s", plural(int(p.Pressure.Total), "token", "tokens"))
	}
	is := "reach"
	if p.Pressure.Total < p.Threshold {
		is = "are below"
	}
	return fmt.Sprintf("%s %s the threshold of %d", plural(int(p.Pressure.Total), "token", "tokens"), is, p.Threshold)
}

// showCompactions prints what the compactions of a session decided and did.
func (c *command) showCompactions(events []event.Event) error {
	t := &transcript{out: c.env.Stdout, full: true}
	requests, last, passes := 0, int64(0), 0
	var start event.CompactStart
	var after bool // the next answer is the first behind a compaction
	state := &session.State{}
	for _, e := range events {
		if err := state.Apply(e); err != nil {
			return err
		}
		d := e.Data
		switch e.Type {
		case "request/sent":
			requests++
			if p := event.ParseRequestSent(d); p.Purpose == event.PurposeSummary {
				t.line("    request %d to model %s", requests, inLine(start.Config.Model))
			}
		case "assistant/message":
			if u := d.Get("usage"); after && u.Exists() {
				t.line("  request %d behind it: %s", requests, usageText(msg.ParseUsage(u)))
			}
			after = false
		}
		if !e.Compaction() {
			continue
		}
		switch e.Type {
		case "compact/gate":
			p := event.ParseCompactGate(d)
			if p.Turn != last {
				t.line("turn %d", p.Turn)
				last = p.Turn
			}
			t.gate(p)
		case "compact/start":
			start, _ = event.ParseCompactStart(d)
			passes++
			dropped, kept := split(state.Nodes(), start.End)
			what := "a summary takes the place of"
			if start.Kind == event.GatePrune {
				what = "results are shortened among"
			}
			t.line("    %s %s, the first event %d and the last event %d; %s", what, plural(dropped, "message", "messages"), start.Start, start.End, keptText(kept))
		case "compact/prune":
			p := event.ParseCompactPrune(d)
			t.line("    event %d: %d -> %d tokens", p.Seq, p.Before, p.After)
		case "compact/summary":
			p := event.ParseCompactSummary(d)
			t.paid(d)
			t.line("    summary: %s", strings.TrimPrefix(indent(p.Content.Text(), "      "), "      "))
		case "compact/end":
			t.end(d, event.ParseCompactEnd(d))
			after = event.ParseCompactEnd(d).Failure == nil
		}
	}
	if last == 0 {
		t.line("No request of this session was measured: its agent had no compaction block.")
	} else if passes == 0 {
		t.line("No compaction was due.")
	}
	return t.err
}

// split counts the messages of a surface up to the node end, and those behind it.
func split(nodes []session.Node, end int64) (before, behind int) {
	past := false
	for _, n := range nodes {
		if _, has := n.Message.Get(); has && past {
			behind++
		} else if has {
			before++
		}
		past = past || n.Seq == end
	}
	return before, behind
}

func keptText(n int) string {
	if n == 1 {
		return "1 message behind them stays"
	}
	return fmt.Sprintf("%d messages behind them stay", n)
}

// gate shows one decision with its arithmetic.
func (t *transcript) gate(p event.CompactGate) {
	where := "  by hand"
	if p.Step > 0 {
		where = fmt.Sprintf("  step %d", p.Step)
	}
	how := "estimated"
	if base, ok := p.Pressure.Base.Get(); ok {
		how = fmt.Sprintf("%d reported by the provider %+d since", base, p.Pressure.Since.Or(0))
	}
	t.line("%s: %s (%s): system %d, tools %d, prefix %d, history %d", where, plural(int(p.Pressure.Total), "token", "tokens"), how,
		p.Pressure.System, p.Pressure.Tools, p.Pressure.Prefix, p.Pressure.History)
	window := "not known"
	if p.Window > 0 {
		window = fmt.Sprint(p.Window)
	}
	why := decisionText(p.Decision)
	if p.Decision == event.GateNone {
		why = "nothing is done: " + inLine(p.Reason)
	}
	t.line("    window %s, threshold %d, retain %d: %s: %s", window, p.Threshold, p.Retain, arithmetic(p), why)
}

// end shows what a pass came to.
func (t *transcript) end(d canon.Value, p event.CompactEnd) {
	if p.Failure != nil {
		t.line("    came to nothing: %s (%s)", inLine(p.Failure.Message), inLine(p.Failure.Code))
		t.paid(d)
		return
	}
	t.line("    %d -> %d tokens", p.Before, p.After)
	if p.Rewritten > 0 {
		s := fmt.Sprintf("    %s of the next request stand behind the change and cannot come from the cache", plural(int(p.Rewritten), "token", "tokens"))
		if c, ok := p.RewriteCost.Get(); ok {
			s += ": " + inLine(c.String()) + " more"
		}
		t.line("%s", s)
	}
}
