package scenarios

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// guard holds the current session to what every log promises, in every scenario,
// after every turn: the invariants; that each request can be rebuilt from the log
// alone; and that each one extends its predecessor, unless the log explains why not.
// It needs no line of the script and cannot be negated.
func (w *world) guard(ts *testscript.TestScript) error {
	path := w.opened.Session.Log.Path()
	b, err := eventlog.Disk{}.Read(path)
	if err != nil {
		return broken("a turn ended, and its log cannot be read: %v", err)
	}
	c := &current{path: path, text: string(b)}
	if c.scan, err = eventlog.ScanText(path, c.text); err != nil {
		return broken("%v", err)
	}
	c.events = c.scan.Events
	if v := verify.Check(c.events, true); v != nil {
		return broken("%v", v)
	}
	report, err := verify.Log(c.path, c.text)
	if err != nil {
		return broken("%v", err)
	}
	for _, r := range report.Requests {
		if r.Err != nil || r.Difference != nil {
			return broken("request %d cannot be reproduced: %s", r.Number, reason(r))
		}
	}
	for _, d := range report.Damage {
		return broken("%v", d.Err)
	}
	for _, e := range c.ofType("request/header") {
		if h, err := event.ParseRequestHeader(e.Data); err == nil && h.Reason != event.HeaderFallback && w.ofProject(c, e) {
			w.opts.audit.header(pin{c.scan.Header.Agent, h.Reason}, w.name)
		}
	}
	return w.guardPrefix(ts, c)
}

// broken is a promise that no scenario can break by itself. It is no assertion that a
// line could negate, and its usage would not help.
func broken(format string, args ...any) error {
	return &misuse{early: true, text: fmt.Sprintf(format, args...) +
		"\nNo configuration may cause that: either something else wrote into the log, or dsh is at fault. Run it again with dsh test -work, look at the log with dsh verify and dsh log, and report what you find."}
}

func reason(r verify.Request) string {
	if r.Err != nil {
		return r.Err.Error()
	}
	return fmt.Sprint(r.Difference)
}

// guardPrefix compares each request with its predecessor, as they arrived. A request
// that does not extend it costs what the provider had cached: where an event of the
// log explains it, the cost is told, and where none does, the scenario fails.
func (w *world) guardPrefix(ts *testscript.TestScript, c *current) error {
	bodies, err := w.arrived(c)
	if err != nil {
		return misusef("%v", err)
	}
	sent := c.ofType("request/sent")
	for i := w.guarded[c.path]; i < len(bodies); i++ {
		before := i - 1 // the last request of a step: no other is extended
		for before >= 0 && event.ParseRequestSent(sent[before].Data).Purpose != event.PurposeStep {
			before--
		}
		if before < 0 || bodies[i] == nil || bodies[before] == nil {
			continue // sent by another scenario's model: a fork of a prepared log
		}
		summary := event.ParseRequestSent(sent[i].Data).Purpose == event.PurposeSummary
		lost := extends(bodies[i], bodies[before])
		if summary {
			lost = warm(bodies[i], bodies[before])
		}
		if lost == nil {
			continue
		}
		why := explanation(c.events, sent[before].Seq, sent[i].Seq)
		if why == "" && summary {
			why = c.ownSettings(sent[i].Seq)
		}
		if why == "" {
			return broken("request %d does not extend request %d, and nothing in the log explains it: %v", i+1, before+1, lost)
		}
		kept := firstDifference(bodies[i], bodies[before])
		bytes := len(bodies[before]) - max(kept, 0)
		ts.Logf("prefix break: request %d does not extend request %d (%s); %d bytes, about %d tokens, that the provider may have cached are read anew",
			i+1, before+1, why, bytes, (bytes+3)/4)
	}
	if w.guarded == nil {
		w.guarded = map[string]int{}
	}
	w.guarded[c.path] = len(bodies)
	return nil
}

// warm compares the request for a summary with that of the step before it: what stands
// before the instruction is the beginning of it, or begins with it.
func warm(summary, step []byte) error {
	head, ok := beforeInstruction(summary)
	if !ok {
		return fmt.Errorf("it has no instruction")
	}
	step = headOf(step)
	short := min(len(head), len(step))
	if at := firstDifference(head[:short], step[:short]); at >= 0 {
		return fmt.Errorf("the first difference is at byte %d:\n  step     %s\n  summary  %s", at, window(step, at), window(head, at))
	}
	return nil
}

// beforeInstruction is what the request for a summary has in front of its instruction,
// less what closes the message before it.
func beforeInstruction(summary []byte) ([]byte, bool) {
	if !isMessages(summary) {
		at := bytes.LastIndex(summary, []byte(`{"role":"user","content":"`))
		if at < 0 {
			return nil, false
		}
		return bytes.TrimSuffix(summary[:at], []byte(",")), true
	}
	at := bytes.LastIndex(summary, []byte(`{"type":"text","text":"`))
	if at < 0 {
		return nil, false
	}
	if head, own := bytes.CutSuffix(summary[:at], []byte(`}]},{"role":"user","content":[`)); own {
		return head, true
	}
	return bytes.TrimSuffix(summary[:at], []byte("},")), true
}

// ownSettings is why the request for a summary sent at seq is not the last step's up to
// its instruction: it goes to another model or has settings of its own; "" when it has not.
func (c *current) ownSettings(seq int64) string {
	var in event.RequestHeader
	var start event.CompactStart
	for _, e := range c.events[:seq] {
		switch e.Type {
		case "request/header":
			in, _ = event.ParseRequestHeader(e.Data)
		case "compact/start":
			start, _ = event.ParseCompactStart(e.Data)
		}
	}
	if in.Header.Config().Equal(start.Config) && in.Header.Wire() == start.Wire {
		return ""
	}
	return "the summary has a model or settings of its own"
}

// explanation is what, between two requests, lets the later one begin anew: a header
// that was logged, or messages that were replaced; "" when nothing does.
func explanation(events []event.Event, after, before int64) string {
	for _, e := range events {
		if e.Seq <= after || e.Seq > before {
			continue
		}
		switch {
		case e.Type == "request/header":
			why := "a new header"
			if h, err := event.ParseRequestHeader(e.Data); err == nil {
				why = "header " + h.Reason
				for _, d := range h.Drift {
					why += ", " + d.Address + " " + d.Kind
				}
			}
			return why
		case e.Type == "request/header-delta":
			return "the header changed"
		case e.Op.Kind == event.OpReplace:
			return "messages were replaced"
		}
	}
	return ""
}

// ofProject reports whether an event was logged by an agent of the project's own
// configuration.
func (w *world) ofProject(c *current, e event.Event) bool {
	return w.openings.own(c.scan.Header.ID, e.Seq)
}
