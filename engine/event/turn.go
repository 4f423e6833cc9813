package event

import (
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// TurnStart opens a turn. Trigger is "message", "injection" or "compaction"; Source is that of
// the first prompt.
type TurnStart struct {
	Turn    int64
	Trigger string
	Source  Source
}

// EndKind says why a turn ended.
type EndKind string

// The kinds of turn end (spec/loop.md section 4.9).
const (
	EndCompleted   EndKind = "completed"
	EndAborted     EndKind = "aborted"
	EndError       EndKind = "error"
	EndDisposed    EndKind = "disposed"
	EndMaxTokens   EndKind = "max-tokens"
	EndRejected    EndKind = "rejected"
	EndInterrupted EndKind = "interrupted"
)

// EndReason is why a turn ended. Reason belongs to aborted and rejected; Step,
// Message and Code to error.
type EndReason struct {
	Kind          EndKind
	Reason        string
	Step          int64
	Message, Code string
}

// Raw returns the canonical JSON object.
func (r EndReason) Raw() string {
	var o canon.Object
	o.String("kind", string(r.Kind))
	switch r.Kind {
	case EndAborted, EndRejected:
		if r.Reason != "" || r.Kind == EndRejected {
			o.String("reason", words(r.Reason))
		}
	case EndError:
		o.Int("step", r.Step)
		o.String("message", words(r.Message))
		o.String("code", words(r.Code))
	}
	return o.End()
}

// words is text that says why something failed. It may quote bytes from anywhere,
// a path or an answer, and what failed has to be logged all the same.
func words(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// ParseEndReason takes a reason from the data of a turn/end.
func ParseEndReason(v canon.Value) EndReason {
	var r EndReason
	kind, _ := v.Get("kind").Text()
	r.Kind = EndKind(kind)
	r.Reason, _ = v.Get("reason").Text()
	r.Step, _ = v.Get("step").Int()
	r.Message, _ = v.Get("message").Text()
	r.Code, _ = v.Get("code").Text()
	return r
}

// TurnEnd closes a turn. LogSHA256 is the digest of all earlier bytes of the
// file, in lower-case hex; the log writer fills it in.
type TurnEnd struct {
	Turn      int64
	Reason    EndReason
	LogSHA256 string
}

// StepStart opens a step: one model call and its tools.
type StepStart struct{ Turn, Step int64 }

// StepEnd closes a step.
type StepEnd struct{ Turn, Step int64 }

// PromptBlocked records a prompt that did not enter history, with its original
// content.
type PromptBlocked struct {
	Content msg.Content
	Source  Source
	Reason  string
	Code    string // "" for none
}

// ToolCall records that a tool is about to run. Arguments is the model's text.
type ToolCall struct {
	Turn, Step              int64
	CallID, Name, Arguments string
}

// AssistantChunk records one piece of a streamed answer.
type AssistantChunk struct {
	Turn, Step int64
	Chunk      msg.Chunk
}

// ContributorSkipped records a contributor that failed and was declared
// on_error = "skip".
type ContributorSkipped struct{ Address, Reason string }

// Type implements Payload.
func (TurnStart) Type() string { return "turn/start" }

// Type implements Payload.
func (TurnEnd) Type() string { return "turn/end" }

// Type implements Payload.
func (StepStart) Type() string { return "step/start" }

// Type implements Payload.
func (StepEnd) Type() string { return "step/end" }

// Type implements Payload.
func (PromptBlocked) Type() string { return "prompt/blocked" }

// Type implements Payload.
func (ToolCall) Type() string { return "tool/call" }

// Type implements Payload.
func (AssistantChunk) Type() string { return "assistant/chunk" }

// Type implements Payload.
func (ContributorSkipped) Type() string { return "contributor/skipped" }

// Raw implements Payload.
func (p TurnStart) Raw() string {
	var t canon.Object
	t.String("kind", p.Trigger)
	t.Raw("source", p.Source.raw)
	var o canon.Object
	o.Int("turn", p.Turn)
	o.Raw("trigger", t.End())
	return o.End()
}

// Raw implements Payload.
func (p TurnEnd) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.Raw("reason", p.Reason.Raw())
	o.String("logSha256", p.LogSHA256)
	return o.End()
}

// Raw implements Payload.
func (p StepStart) Raw() string { o := step(p.Turn, p.Step); return o.End() }

// Raw implements Payload.
func (p StepEnd) Raw() string { o := step(p.Turn, p.Step); return o.End() }

// Raw implements Payload.
func (p PromptBlocked) Raw() string {
	var o canon.Object
	o.Raw("content", p.Content.Raw())
	o.Raw("source", p.Source.raw)
	o.String("reason", words(p.Reason))
	if p.Code != "" {
		o.String("code", words(p.Code))
	}
	return o.End()
}

// Raw implements Payload.
func (p ToolCall) Raw() string {
	o := step(p.Turn, p.Step)
	o.String("callId", p.CallID)
	o.String("name", p.Name)
	o.String("arguments", p.Arguments)
	return o.End()
}

// Raw implements Payload.
func (p AssistantChunk) Raw() string {
	o := step(p.Turn, p.Step)
	o.Raw("chunk", p.Chunk.Raw())
	return o.End()
}

// Raw implements Payload.
func (p ContributorSkipped) Raw() string {
	var o canon.Object
	o.String("address", p.Address)
	o.String("reason", words(p.Reason))
	return o.End()
}
