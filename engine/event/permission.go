package event

import "github.com/dsh-hcl/dsh/engine/canon"

// ToolPermission records the decision about a call of a tool, unless it was simply
// allowed.
type ToolPermission struct {
	Turn, Step int64
	CallID     string
	Decision   string // "allow" or "deny"
	By         string // "rule"; "person", who was asked; "nobody", when there was nobody to ask
	Rule       string // that made the decision or had somebody asked, "" for none
}

// Type implements Payload.
func (ToolPermission) Type() string { return "tool/permission" }

// Raw implements Payload.
func (p ToolPermission) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.Int("step", p.Step)
	o.String("callId", p.CallID)
	o.String("decision", p.Decision)
	o.String("by", p.By)
	if p.Rule != "" {
		o.String("rule", p.Rule)
	}
	return o.End()
}
