package event

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// What makes the gate look (docs/format/log.md, Compaction).
const (
	TriggerThreshold = "threshold" // before every request
	TriggerOverflow  = "overflow"  // a request was longer than the model reads
	TriggerManual    = "manual"    // a person asked for it
)

// What the gate decides.
const (
	GateBelow     = "below"     // the request fits
	GatePrune     = "prune"     // shorten results of tools
	GateSummarize = "summarize" // put a summary in the place of the oldest messages
	GateNone      = "none"      // there is nothing that could be freed
)

// Pressure is what the next request is taken to have, in tokens. Base and Since are
// there when Total starts from what a provider reported: its count and the
// difference since; the others are estimates.
type Pressure struct {
	Total, System, Tools, Prefix, History int64
	Base, Since                           msg.Opt[int64]
}

func (p Pressure) raw() string {
	var o canon.Object
	o.Int("total", p.Total)
	o.Int("system", p.System)
	o.Int("tools", p.Tools)
	o.Int("prefix", p.Prefix)
	o.Int("history", p.History)
	if n, ok := p.Base.Get(); ok {
		o.Int("base", n)
	}
	if n, ok := p.Since.Get(); ok {
		o.Int("since", n)
	}
	return o.End()
}

// CompactGate records one decision of the gate with its arithmetic, in tokens.
// Window is 0 when the model's is not known. Step is the one that the request would
// be of, 0 for none. Reason goes with GateNone.
type CompactGate struct {
	Turn, Step                int64
	Trigger                   string
	Pressure                  Pressure
	Window, Threshold, Retain int64
	Decision, Reason          string
}

// CompactStart opens a pass: kind GatePrune or GateSummarize. Start and End are the
// seqs of the first and last node it is about. The request of a summary has the
// header in force with Config and Wire in place of its own, the messages of these
// nodes, and Instruction as a last message of the user.
type CompactStart struct {
	Turn        int64
	Kind        string
	Start, End  int64
	Config      msg.CallConfig
	Wire        header.Wire
	Instruction msg.Content
}

// CompactPrune says that the tool result Seq is about to be shortened: its tokens
// before and after. The next event is the shorter one in its place.
type CompactPrune struct{ Turn, Seq, Before, After int64 }

// CompactSummary is what the model wrote, text alone. Tokens are those of the nodes
// it takes the place of. The next event is the checkpoint in their place.
type CompactSummary struct {
	Turn    int64
	Content msg.Content
	Model   string
	Tokens  int64
	Usage   msg.Opt[msg.Usage]
	Cost    msg.Opt[msg.Cost]
}

// CompactEnd closes a pass. Before and After are the pressure in tokens. Rewritten
// is how many tokens of the next request the provider has to read anew since they
// stand behind what changed, and RewriteCost what that costs more than reading them
// from its cache. With Failure the surface is as it was, apart from what was pruned;
// Usage and Cost are then those of an answer that came to nothing.
type CompactEnd struct {
	Turn          int64
	Before, After int64
	Rewritten     int64
	RewriteCost   msg.Opt[msg.Cost]
	Failure       *Failure
	Usage         msg.Opt[msg.Usage]
	Cost          msg.Opt[msg.Cost]
}

// Failure is why something came to nothing, with its stable code.
type Failure struct{ Message, Code string }

// Type implements Payload.
func (CompactGate) Type() string { return "compact/gate" }

// Type implements Payload.
func (CompactStart) Type() string { return "compact/start" }

// Type implements Payload.
func (CompactPrune) Type() string { return "compact/prune" }

// Type implements Payload.
func (CompactSummary) Type() string { return "compact/summary" }

// Type implements Payload.
func (CompactEnd) Type() string { return "compact/end" }

// Raw implements Payload.
func (p CompactGate) Raw() string {
	o := step(p.Turn, p.Step)
	o.String("trigger", p.Trigger)
	o.Raw("pressure", p.Pressure.raw())
	if p.Window > 0 {
		o.Int("window", p.Window)
	}
	o.Int("threshold", p.Threshold)
	o.Int("retain", p.Retain)
	o.String("decision", p.Decision)
	if p.Reason != "" {
		o.String("reason", words(p.Reason))
	}
	return o.End()
}

// Raw implements Payload.
func (p CompactStart) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.String("kind", p.Kind)
	o.Int("start", p.Start)
	o.Int("end", p.End)
	if p.Kind == GateSummarize {
		o.Raw("config", p.Config.Raw())
		o.Raw("wire", p.Wire.Raw())
		o.Raw("instruction", p.Instruction.Raw())
	}
	return o.End()
}

// Raw implements Payload.
func (p CompactPrune) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.Int("seq", p.Seq)
	o.Int("before", p.Before)
	o.Int("after", p.After)
	return o.End()
}

// Raw implements Payload.
func (p CompactSummary) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.Raw("content", p.Content.Raw())
	o.String("model", p.Model)
	o.Int("tokens", p.Tokens)
	paid(&o, p.Usage, p.Cost)
	return o.End()
}

// Raw implements Payload.
func (p CompactEnd) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.Int("before", p.Before)
	o.Int("after", p.After)
	if p.Rewritten > 0 {
		o.Int("rewritten", p.Rewritten)
	}
	if c, ok := p.RewriteCost.Get(); ok {
		o.Raw("rewriteCost", c.Raw())
	}
	if p.Failure != nil {
		var e canon.Object
		e.String("message", words(p.Failure.Message))
		e.String("code", words(p.Failure.Code))
		o.Raw("error", e.End())
	}
	paid(&o, p.Usage, p.Cost)
	return o.End()
}

// paid writes what an answer took and cost, as far as it is known.
func paid(o *canon.Object, usage msg.Opt[msg.Usage], cost msg.Opt[msg.Cost]) {
	if u, ok := usage.Get(); ok {
		o.Raw("usage", u.Raw())
	}
	if c, ok := cost.Get(); ok {
		o.Raw("cost", c.Raw())
	}
}

// ParseCompactGate takes the payload from the data of a compact/gate.
func ParseCompactGate(v canon.Value) CompactGate {
	var p CompactGate
	p.Turn, _ = v.Get("turn").Int()
	p.Step, _ = v.Get("step").Int()
	p.Trigger, _ = v.Get("trigger").Text()
	t := v.Get("pressure")
	p.Pressure.Total, _ = t.Get("total").Int()
	p.Pressure.System, _ = t.Get("system").Int()
	p.Pressure.Tools, _ = t.Get("tools").Int()
	p.Pressure.Prefix, _ = t.Get("prefix").Int()
	p.Pressure.History, _ = t.Get("history").Int()
	if n, ok := t.Get("base").Int(); ok {
		p.Pressure.Base = msg.Some(n)
	}
	if n, ok := t.Get("since").Int(); ok {
		p.Pressure.Since = msg.Some(n)
	}
	p.Window, _ = v.Get("window").Int()
	p.Threshold, _ = v.Get("threshold").Int()
	p.Retain, _ = v.Get("retain").Int()
	p.Decision, _ = v.Get("decision").Text()
	p.Reason, _ = v.Get("reason").Text()
	return p
}

// ParseCompactStart takes the payload from the data of a compact/start. Errors: a
// summary whose configuration, wire settings or instruction cannot be read.
func ParseCompactStart(v canon.Value) (CompactStart, error) {
	var p CompactStart
	p.Turn, _ = v.Get("turn").Int()
	p.Kind, _ = v.Get("kind").Text()
	p.Start, _ = v.Get("start").Int()
	p.End, _ = v.Get("end").Int()
	if p.Kind != GateSummarize {
		return p, nil
	}
	var err error
	if p.Config, err = msg.ParseCallConfig(v.Get("config")); err != nil {
		return p, fmt.Errorf("config: %w", err)
	}
	if p.Wire, err = header.ParseWire(v.Get("wire")); err != nil {
		return p, err
	}
	if p.Instruction, err = msg.ParseContent(v.Get("instruction")); err != nil {
		return p, fmt.Errorf("instruction: %w", err)
	}
	return p, nil
}

// ParseCompactPrune takes the payload from the data of a compact/prune.
func ParseCompactPrune(v canon.Value) CompactPrune {
	var p CompactPrune
	p.Turn, _ = v.Get("turn").Int()
	p.Seq, _ = v.Get("seq").Int()
	p.Before, _ = v.Get("before").Int()
	p.After, _ = v.Get("after").Int()
	return p
}

// ParseCompactSummary takes the payload from the data of a compact/summary.
func ParseCompactSummary(v canon.Value) CompactSummary {
	var p CompactSummary
	p.Turn, _ = v.Get("turn").Int()
	p.Content, _ = msg.ParseContent(v.Get("content"))
	p.Model, _ = v.Get("model").Text()
	p.Tokens, _ = v.Get("tokens").Int()
	p.Usage, p.Cost = parsePaid(v)
	return p
}

// ParseCompactEnd takes the payload from the data of a compact/end.
func ParseCompactEnd(v canon.Value) CompactEnd {
	var p CompactEnd
	p.Turn, _ = v.Get("turn").Int()
	p.Before, _ = v.Get("before").Int()
	p.After, _ = v.Get("after").Int()
	p.Rewritten, _ = v.Get("rewritten").Int()
	if c, ok := msg.ParseCost(v.Get("rewriteCost")); ok {
		p.RewriteCost = msg.Some(c)
	}
	if e := v.Get("error"); e.Exists() {
		p.Failure = &Failure{}
		p.Failure.Message, _ = e.Get("message").Text()
		p.Failure.Code, _ = e.Get("code").Text()
	}
	p.Usage, p.Cost = parsePaid(v)
	return p
}

// carriesCompaction reports whether an event has the data of this format. The
// reference has events of the same names with other data, which mean nothing here
// and come along with the logs that are gone on from.
func (e Event) carriesCompaction() bool {
	own := map[string]string{"compact/gate": "trigger", "compact/start": "kind", "compact/prune": "seq", "compact/summary": "tokens", "compact/end": "before"}
	return e.version > 0 && e.Data.Get(own[e.Type]).Exists()
}

// Compaction reports whether the event is part of a compaction of this format.
func (e Event) Compaction() bool {
	switch e.Type {
	case "compact/gate", "compact/start", "compact/prune", "compact/summary", "compact/end":
		return e.carriesCompaction()
	}
	return false
}

// checkCompaction is check for the events of a compaction.
func (e Event) checkCompaction(ints, texts func(...string) error) error {
	d := e.Data
	if err := checkCost(d); err != nil {
		return err
	}
	switch e.Type {
	case "compact/gate":
		if err := ints("turn", "step", "threshold", "retain"); err != nil {
			return err
		}
		return texts("trigger", "decision")
	case "compact/prune":
		return ints("turn", "seq", "before", "after")
	case "compact/end":
		return ints("turn", "before", "after")
	case "compact/summary":
		if err := ints("turn", "tokens"); err != nil {
			return err
		}
		_, err := msg.ParseContent(d.Get("content"))
		return err
	}
	if err := ints("turn", "start", "end"); err != nil {
		return err
	}
	_, err := ParseCompactStart(d)
	return err
}

func parsePaid(v canon.Value) (usage msg.Opt[msg.Usage], cost msg.Opt[msg.Cost]) {
	if u := v.Get("usage"); u.Exists() {
		usage = msg.Some(msg.ParseUsage(u))
	}
	if c, ok := msg.ParseCost(v.Get("cost")); ok {
		cost = msg.Some(c)
	}
	return usage, cost
}
