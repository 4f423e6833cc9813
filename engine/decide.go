package engine

import (
	"context"
	"slices"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/loop"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// submit asks the prompt-submit seams about a prompt.
func (i *Instance) submit(ctx context.Context, p loop.Prompt) (out loop.Submitted) {
	defer contain(&out.Err)
	turn := i.turn()
	if err := i.recordOpening(); err != nil {
		return loop.Submitted{Err: err}
	}
	for _, f := range i.opts.Seams.PromptSubmit {
		d, err := f(ctx, Submission{Turn: turn, Content: out.Content.Or(p.Content), Source: p.Source})
		if err == nil {
			err = sourced(d.Context...)
		}
		if err != nil {
			return loop.Submitted{Err: err}
		}
		if d.Block {
			return loop.Submitted{Block: true, Reason: d.Reason}
		}
		if c, ok := d.Content.Get(); ok {
			out.Content = msg.Some(c)
		}
		out.Context = append(out.Context, d.Context...)
	}
	if i.recall(ctx, p, &out); out.Err != nil {
		return out
	}
	// What the session start said goes with the first prompt that gets in.
	out.Context, i.opening = slices.Concat(i.opening, out.Context), nil
	return out
}

// preStep runs the pre-step seams.
func (i *Instance) preStep(ctx context.Context, s Step) (err error) {
	defer contain(&err)
	for _, f := range i.opts.Seams.PreStep {
		if err = f(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// callConfig is the configuration of one request: the agent's, as the request
// seams change it.
func (i *Instance) callConfig(ctx context.Context, s Step) (c msg.CallConfig, err error) {
	defer contain(&err)
	c = i.agent.call
	for _, f := range i.opts.Seams.Request {
		c.Stop = slices.Clone(c.Stop)
		if c, err = f(ctx, s, c); err != nil {
			return c, err
		}
	}
	if c.Model == "" {
		return c, &msg.Error{Code: msg.CodeNoModel, Message: "the request names no model"}
	}
	if len(i.opts.Seams.Request) > 0 {
		return c, checkCall(c)
	}
	return c, nil
}

// stepResult lets the seams rewrite an answer.
func (i *Instance) stepResult(ctx context.Context, a loop.StepResult) (out loop.Rewritten) {
	defer contain(&out.Err)
	out.Content = a.Content
	for _, f := range i.opts.Seams.StepResult {
		if out.Content, out.Err = f(ctx, Step{a.Turn, a.Step}, out.Content); out.Err != nil {
			return out
		}
	}
	return out
}

// runTool decides about one call, runs it, and lets the seams see the result. A
// failure of any of them becomes the call's error result: the turn goes on.
func (i *Instance) runTool(ctx context.Context, a loop.RunTool) loop.ToolDone {
	step := Step{a.Turn, a.Step}
	call := a.Call
	if call.Arguments == "" {
		call.Arguments = "{}" // what a model means that gives none
	}
	outcome := i.dispatch(ctx, step, &call)
	if err := checkOutcome(outcome); err != nil {
		outcome = failed(err)
	}
	var context []event.ContextMessage
	err := func() (err error) {
		defer contain(&err)
		for _, f := range i.opts.Seams.PostTool {
			d, err := f(ctx, step, call, outcome)
			if err == nil {
				err = sourced(d.Context...)
			}
			if err != nil {
				return err
			}
			context = append(context, d.Context...)
			if d.Block {
				outcome = ToolOutcome{Content: d.Content.Or(msg.Content{}), IsError: true}
			} else if c, ok := d.Content.Get(); ok {
				outcome.Content = c
			}
		}
		return nil
	}()
	if err != nil {
		outcome = failed(err)
	}
	return loop.ToolDone{Content: outcome.Content, IsError: outcome.IsError, Error: outcome.Error, Meta: outcome.Meta, Context: context}
}

// dispatch asks the pre-tool seams and runs the tool.
func (i *Instance) dispatch(ctx context.Context, s Step, call *msg.ToolCall) (out ToolOutcome) {
	var err error
	defer func() {
		if err != nil {
			out = failed(err)
		}
	}()
	defer contain(&err)
	asks := false
	for _, f := range i.opts.Seams.PreTool {
		d, ferr := f(ctx, s, *call)
		if ferr != nil {
			return failed(ferr)
		}
		call.Arguments = d.Arguments.Or(call.Arguments)
		if d.Permission == Ask && i.opts.Ask != nil {
			asks = true // when it is known what would run
			continue
		}
		if d.Permission != Allow {
			reason := d.Reason
			if reason == "" {
				reason = "the call was not allowed"
			}
			return failed(&msg.Error{Code: msg.CodeDenied, Message: reason})
		}
	}
	if i.opts.Tools != nil && slices.ContainsFunc(i.tools, func(t msg.Tool) bool { return t.Name == call.Name }) {
		if err = i.permitted(ctx, s, *call, asks); err != nil {
			return failed(err)
		}
		return i.bounded(ctx, *call)
	}
	return failed(&msg.Error{Code: msg.CodeUnknownTool, Message: "unknown tool " + call.Name})
}

// failed is the outcome of a call that failed.
func failed(err error) ToolOutcome {
	content, terr := msg.TextContent("Error: " + err.Error())
	if terr != nil {
		content, _ = msg.TextContent("Error: the tool failed with a text that is not UTF-8")
	}
	out := ToolOutcome{Content: content, IsError: true}
	if code := msg.CodeOf(err); code != msg.CodeUnknown {
		out.Error = msg.Some(event.ResultError{Name: "ToolError", Code: code})
	}
	return out
}

// goOn asks the continuation seams.
func (i *Instance) goOn(ctx context.Context, a loop.Continue) (out loop.Continued) {
	defer contain(&out.Err)
	out.Continue = a.Default
	for _, f := range i.opts.Seams.Continuation {
		d, err := f(ctx, Step{a.Turn, a.Step}, a.Default)
		if err == nil && !d.Reason.IsEmpty() {
			err = admit(d.Source)
		}
		if err != nil {
			return loop.Continued{Err: err}
		}
		if d.Decided {
			return loop.Continued{Continue: d.Continue, Reason: d.Reason, Source: d.Source}
		}
	}
	return out
}
