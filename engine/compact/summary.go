package compact

import (
	"strings"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Instruction is what the model is asked for where an agent has no prompt of its own.
const Instruction = `Stop working on the task for this one answer. Everything above will be taken out of the conversation, and your answer will stand in its place: what you leave out is lost. Write down what has to be known to go on. Call no tool. Write nothing before or after the sections.

Use exactly these sections, in this order, as terse bullets, with "(none)" where there is nothing to say:

## Request and intent
## Key technical concepts
## Files and code
## Errors and fixes
## Pending tasks
## Current work
## Next step
## Critical context

Keep paths, commands, identifiers, numbers and error texts exactly as they are. Keep what the user corrected or forbade, in the user's words. Where the conversation begins with a <compacted-summary>, merge it: keep what still holds, drop what is over, add what is new. Do not mention that you are summarizing.`

// The frame of a checkpoint.
const (
	preamble = "What follows is a checkpoint that was made of an earlier part of this conversation, which is not shown any more. Take it as background: do not repeat it and do not answer it. Go on from the messages behind it.\n\n<compacted-summary>\n"
	closing  = "\n</compacted-summary>"
)

// PluginName is the source of a checkpoint.
const PluginName = "compact"

// EmptySummaryError says that the model wrote no text.
type EmptySummaryError struct{ Calls bool }

func (e *EmptySummaryError) Error() string {
	if e.Calls {
		return "the model called tools and wrote no summary"
	}
	return "the model's answer has no text content, so there is no summary"
}

// StableCode returns the error's code.
func (e *EmptySummaryError) StableCode() string { return "EMPTY_SUMMARY" }

// NotSmallerError says that a summary is as long as what it would stand for.
type NotSmallerError struct{ Summary, Shadowed meter.Tokens }

func (e *NotSmallerError) Error() string {
	return "the summary with its frame has " + count(e.Summary) + ", which is not less than the " + count(e.Shadowed) + " it would stand for"
}

// StableCode returns the error's code.
func (e *NotSmallerError) StableCode() string { return "SUMMARY_NOT_SMALLER" }

// Text takes the text of an answer, without reasoning, calls and the tags of a
// checkpoint, which a model may repeat from an earlier one. Errors:
// *EmptySummaryError.
func Text(answer msg.Content) (msg.Content, error) {
	tags := strings.NewReplacer("<compacted-summary>", "", "</compacted-summary>", "")
	var blocks []msg.Block
	blank := true
	for b := range answer.Blocks() {
		if t, ok := b.(msg.Text); ok {
			t.Text = tags.Replace(t.Text)
			blocks = append(blocks, t)
			blank = blank && strings.TrimSpace(t.Text) == ""
		}
	}
	if blank {
		return msg.Content{}, &EmptySummaryError{Calls: len(answer.ToolCalls()) > 0}
	}
	return msg.NewContent(blocks...)
}

// Checkpoint frames a summary as the message in the place of nodes. Errors:
// *NotSmallerError when that would free nothing.
func Checkpoint(est meter.Estimator, summary msg.Content, nodes []Node) (msg.Content, error) {
	m, err := msg.Enclose(msg.RoleUser, preamble, summary, closing)
	if err != nil {
		return msg.Content{}, err
	}
	if framed, shadowed := est.Message(m), sum(nodes); framed >= shadowed {
		return msg.Content{}, &NotSmallerError{framed, shadowed}
	}
	return m.Content, nil
}

// Frame is what a checkpoint has besides its summary, in tokens.
func Frame(est meter.Estimator) meter.Tokens {
	m, err := msg.Enclose(msg.RoleUser, preamble, msg.Content{}, closing)
	if err != nil {
		panic("compact: the frame of a checkpoint is no text: " + err.Error())
	}
	return est.Message(m)
}

// Source is the source of a checkpoint.
func Source() event.Source { return event.PluginSource(PluginName) }
