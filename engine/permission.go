package engine

import (
	"context"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/permit"
)

// permitted decides whether a call of a tool runs, and has somebody asked where a
// rule wants that, or a seam or hook does. What is not simply allowed is logged. The
// error is why the call does not run.
func (i *Instance) permitted(ctx context.Context, s Step, call msg.ToolCall, asks bool) error {
	v := permit.Verdict{}
	if i.opts.Permit != nil {
		v = i.opts.Permit(call)
	}
	if asks && v.Decision == permit.Allow {
		v = permit.Verdict{Decision: permit.Ask}
	}
	if v.Decision == permit.Allow {
		return nil
	}
	decided := event.ToolPermission{Turn: s.Turn, Step: s.Step, CallID: call.ID, Decision: "deny", By: "rule", Rule: v.Rule}
	why := "the call was not allowed: the agent's permissions deny " + v.Rule
	if v.Decision == permit.Ask {
		asked := "the agent's permissions allow no " + call.Name + " without asking"
		if v.Rule != "" {
			asked = "the agent's permissions want a person asked about " + v.Rule
		}
		decided.By, why = "nobody", "the call was not allowed: "+asked+", and there is nobody to ask"
		if i.opts.Ask != nil {
			allowed, err := i.opts.Ask(ctx, call, v.Rule)
			if err != nil {
				return err
			}
			decided.By, why = "person", "the call was not allowed: the person who was asked said no"
			if allowed {
				decided.Decision, why = "allow", ""
			}
		}
	}
	if err := i.record(s.Turn, decided); err != nil {
		return err
	}
	if why != "" {
		return &msg.Error{Code: msg.CodeDenied, Message: why}
	}
	return nil
}
