package loop

import (
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Prompt is a message on its way into the session.
type Prompt struct {
	ID      string
	Content msg.Content
	Source  event.Source
}

// Action is what the driver has to do next. Each names the Result it expects;
// none means that Done is expected.
type Action interface{ action() }

type (
	// Park waits: nothing is queued. The driver calls Advance(Done{}) when
	// something was sent or the machine was disposed.
	Park struct{}
	// Exit ends the driver: the machine was disposed.
	Exit struct{}
	// Running comes before each turn: prompts wait. Idle comes when no turn follows.
	Running struct{}
	Idle    struct{}
	// Append appends entries to the log. Result: Done; an error ends the driver,
	// since what cannot be logged must not happen.
	Append struct{ Entries []event.Entry }
	// Submit lets the interception point prompt submit decide. Result: Submitted.
	Submit struct{ Prompt Prompt }
	// Compose composes system and prefix, once per instance. Result: Composed.
	Compose struct{ Turn, Step int64 }
	// PreStep runs what comes before a step, a compaction among it. Result: Prepared.
	PreStep struct{ Turn, Step int64 }
	// Send configures the request, logs header and request, syncs, sends it and
	// reads the answer. Result: Answered.
	Send struct{ Turn, Step int64 }
	// Recover makes room after a request that was longer than the model reads. The
	// step is closed. Result: Recovered.
	Recover struct{ Turn, Step int64 }
	// Compact compacts the idle session in a turn of its own. Result: Prepared.
	Compact struct{ Turn int64 }
	// StepResult lets the interception point step result rewrite the content.
	// Result: Rewritten.
	StepResult struct {
		Turn, Step int64
		Content    msg.Content
	}
	// RunTool runs one tool. The driver syncs before. Result: ToolDone.
	RunTool struct {
		Turn, Step int64
		Call       msg.ToolCall
	}
	// Continue lets the interception point turn continuation decide. Result:
	// Continued.
	Continue struct {
		Turn, Step int64
		Default    bool
	}
	// Flush makes the turn durable and tells those who wait for its end. Result:
	// Done; an error ends the driver.
	Flush struct {
		Turn   int64
		Reason event.EndReason
	}
)

func (Park) action()       {}
func (Exit) action()       {}
func (Running) action()    {}
func (Idle) action()       {}
func (Append) action()     {}
func (Submit) action()     {}
func (Compose) action()    {}
func (PreStep) action()    {}
func (Send) action()       {}
func (Recover) action()    {}
func (Compact) action()    {}
func (StepResult) action() {}
func (RunTool) action()    {}
func (Continue) action()   {}
func (Flush) action()      {}

// Result is what came of an action.
type Result interface{ result() }

type (
	// Done says that an action was carried out, or failed with Err. Seq is the seq
	// of the last event of an Append.
	Done struct {
		Seq int64
		Err error
	}
	// Submitted allows a prompt, with the content and context it has now, or
	// blocks it. Code goes with a Block that has one. Snapshot is a message that
	// follows the prompt's own: what it cites. With Err and Keep, the prompt is kept in
	// the log as blocked.
	Submitted struct {
		Block    bool
		Reason   string
		Code     string
		Content  msg.Opt[msg.Content]
		Context  []event.ContextMessage
		Snapshot msg.Opt[event.UserMessage]
		Err      error
		Keep     bool
	}
	// Composed says that composition succeeded, or failed with Err and was
	// discarded. Skipped is to be logged.
	Composed struct {
		Skipped []event.ContributorSkipped
		Err     error
	}
	// Prepared says that what comes before a step is done, or failed with Err. Input is
	// how many tokens the requests for summaries took, Unpriced that one of them came
	// without a cost.
	Prepared struct {
		Input    int64
		Unpriced bool
		Err      error
	}
	// Recovered says whether there is more room now, so that another request makes
	// sense. Without, Err may say why there is none.
	Recovered struct {
		Prepared
		Retry bool
	}
	// Answered is the model's answer. With Err, Content holds the text that had
	// streamed before. Cost is absent when the model has no price or the provider
	// reported no usage. Chunks are the seqs of logged chunks.
	Answered struct {
		Content msg.Content
		Usage   msg.Opt[msg.Usage]
		Cost    msg.Opt[msg.Cost]
		Finish  msg.Finish
		Chunks  []int64
		Err     error
	}
	// Rewritten is the content that log, history and dispatch use.
	Rewritten struct {
		Content msg.Content
		Err     error
	}
	// ToolDone is the result of a tool. Context is appended after all results of
	// the step.
	ToolDone struct {
		Content msg.Content
		IsError bool
		Error   msg.Opt[event.ResultError]
		Meta    string
		Context []event.ContextMessage
	}
	// Continued decides whether the turn goes on; Reason, when not empty, is said
	// to the model as steering from Source.
	Continued struct {
		Continue bool
		Reason   msg.Content
		Source   event.Source
		Err      error
	}
)

func (Done) result()      {}
func (Submitted) result() {}
func (Composed) result()  {}
func (Prepared) result()  {}
func (Recovered) result() {}
func (Answered) result()  {}
func (Rewritten) result() {}
func (ToolDone) result()  {}
func (Continued) result() {}
