package engine

import (
	"context"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/tool"
)

// Seams are the places where a program around the engine decides. Every list is
// called in order, on the instance's goroutine, with a context that is cancelled
// with the turn. A function that panics or returns an error ends the turn, not
// the instance. The zero Seams decides nothing.
type Seams struct {
	// SessionStart is called once, before the first turn. What it returns is added
	// as context to the first prompt that is not blocked. Its failure is reported to
	// OnError and nothing else.
	SessionStart []func(ctx context.Context, s SessionStart) ([]event.ContextMessage, error)
	// PromptSubmit decides on each prompt; the first that blocks ends the matter.
	PromptSubmit []func(ctx context.Context, p Submission) (SubmitDecision, error)
	// PreStep runs before each step, after composition.
	PreStep []func(ctx context.Context, s Step) error
	// Request may change the call configuration of one request, and of that only.
	Request []func(ctx context.Context, s Step, c msg.CallConfig) (msg.CallConfig, error)
	// StepResult may rewrite an answer before it is logged.
	StepResult []func(ctx context.Context, s Step, c msg.Content) (msg.Content, error)
	// PreTool decides whether a tool runs; the first that does not allow it ends
	// the matter.
	PreTool []func(ctx context.Context, s Step, call msg.ToolCall) (ToolDecision, error)
	// PostTool may replace a tool's result or add context.
	PostTool []func(ctx context.Context, s Step, call msg.ToolCall, r ToolOutcome) (PostDecision, error)
	// Continuation decides whether a turn goes on; the first that answers counts.
	Continuation []func(ctx context.Context, s Step, goesOn bool) (ContinueDecision, error)
}

// SessionStart says how an instance began.
type SessionStart struct {
	SessionID string
	Resumed   bool
}

// Step names a step of a turn.
type Step struct{ Turn, Step int64 }

// Submission is a prompt as it was sent.
type Submission struct {
	Turn    int64
	Content msg.Content
	Source  event.Source
}

// SubmitDecision allows a prompt, which is the zero value, or blocks it. Content,
// when present, takes the prompt's place; Context is added behind it.
type SubmitDecision struct {
	Block   bool
	Reason  string
	Content msg.Opt[msg.Content]
	Context []event.ContextMessage
}

// Permission is what a pre-tool seam says.
type Permission int

// The permissions. Ask is a refusal where there is nobody to ask; otherwise a person is
// asked when no other seam and no rule denies the call.
const (
	Allow Permission = iota
	Deny
	Ask
)

// ToolDecision says whether a tool runs. Arguments, when present, takes the place
// of the model's.
type ToolDecision struct {
	Permission Permission
	Reason     string
	Arguments  msg.Opt[string]
}

// ToolOutcome is what a tool came to.
type ToolOutcome = tool.Outcome

// PostDecision accepts a result, which is the zero value, replaces its content, or
// blocks it: then Content is what the model reads instead, as an error.
type PostDecision struct {
	Block   bool
	Content msg.Opt[msg.Content]
	Context []event.ContextMessage
}

// ContinueDecision leaves the decision to the loop, which is the zero value, or
// takes it. Reason, when not empty, is said to the model from Source.
type ContinueDecision struct {
	Decided  bool
	Continue bool
	Reason   msg.Content
	Source   event.Source
}

// Tools runs the tools of an agent.
type Tools interface {
	// Schemas are the tools as the model sees them, in order of declaration. They
	// are asked for once, with the composition.
	Schemas() []msg.Tool
	// Run runs one call. Its arguments are the model's text, which need not be JSON;
	// of a call without any they are "{}". It returns when ctx is done. A failure is
	// an outcome.
	Run(ctx context.Context, call msg.ToolCall) ToolOutcome
}
