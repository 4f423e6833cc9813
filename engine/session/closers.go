package session

import (
	"strings"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// closerText is what the model reads in place of a result that a crash lost.
const closerText = "The session was interrupted before this tool call finished. Whether it took effect is not known."

// Closers returns the events that repair appends to close a turn that a crash
// cut, none when no turn is open (spec/loop.md section 5.4).
func (s *State) Closers() []event.Entry {
	if s.turn == 0 {
		return nil
	}
	var out []event.Entry
	for _, c := range s.pending {
		c.Turn = s.turn // logs of the reference may say otherwise, and the turn is what is closed
		out = append(out, unanswered(c, closerText, "InterruptedError", "interrupted"))
	}
	if s.compacting != 0 {
		out = append(out, event.Entry{Payload: event.CompactEnd{Turn: s.turn, Failure: &event.Failure{
			Message: "The session was interrupted before the compaction was done.", Code: "interrupted"}}})
	}
	if s.step != 0 {
		out = append(out, event.Entry{Payload: event.StepEnd{Turn: s.turn, Step: s.step}})
	}
	return append(out, event.Entry{Payload: event.TurnEnd{Turn: s.turn, Reason: event.EndReason{Kind: event.EndInterrupted}}})
}

// Unanswered makes the error result of a call that did not run to its end.
func Unanswered(c Call, text, code string) event.Entry {
	return unanswered(c, text, "ToolError", code)
}

func unanswered(c Call, text, name, code string) event.Entry {
	// The text may quote the reason of a cancel, which may be any bytes.
	content, err := msg.TextContent(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		panic("session: valid UTF-8 is refused")
	}
	e := event.Entry{
		Payload: event.ToolResult{Turn: c.Turn, Step: c.Step, CallID: c.ID, Content: content, IsError: true,
			Error: msg.Some(event.ResultError{Name: name, Code: code})},
		Op: event.Op{Kind: event.OpAppend},
	}
	if c.CallSeq >= 0 {
		e.Sources = []int64{c.CallSeq}
	}
	return e
}
