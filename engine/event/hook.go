package event

import (
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// HookInvoked records that a hook's command is about to run.
type HookInvoked struct {
	Turn             int64
	Point            string
	Dialect          string // "claude"
	Matcher, Handler string // Matcher "" for none
}

// HookResult records what became of it. DurationMS is in milliseconds.
type HookResult struct {
	Turn       int64
	Point      string
	Handler    string
	Decision   string
	ExitCode   msg.Opt[int64]
	Stderr     string // its beginning, "" for none
	DurationMS int64
	Failure    string // why it could not decide, "" when it did
	StopReason string // why it ends the turn, "" when it does not
	Arguments  string // what takes the place of a tool call's arguments, "" when nothing does
}

// Type implements Payload.
func (HookInvoked) Type() string { return "hook/invoked" }

// Type implements Payload.
func (HookResult) Type() string { return "hook/result" }

// Raw implements Payload.
func (p HookInvoked) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.String("point", p.Point)
	o.String("dialect", p.Dialect)
	if p.Matcher != "" {
		o.String("matcher", p.Matcher)
	}
	o.String("handlerId", p.Handler)
	return o.End()
}

// Raw implements Payload.
func (p HookResult) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.String("point", p.Point)
	o.String("handlerId", p.Handler)
	o.String("decision", p.Decision)
	if n, ok := p.ExitCode.Get(); ok {
		o.Int("exitCode", n)
	}
	if p.Stderr != "" {
		o.String("stderrSummary", p.Stderr)
	}
	o.Int("durationMs", p.DurationMS)
	if p.Failure != "" {
		o.String("failure", p.Failure)
	}
	if p.StopReason != "" {
		o.String("stopReason", p.StopReason)
	}
	if p.Arguments != "" {
		o.String("arguments", p.Arguments)
	}
	return o.End()
}
