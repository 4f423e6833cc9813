package hook

import (
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Point is an interception point, by the name that hooks know.
type Point string

// The interception points.
const (
	SessionStart     Point = "SessionStart"
	UserPromptSubmit Point = "UserPromptSubmit"
	PreToolUse       Point = "PreToolUse"
	PostToolUse      Point = "PostToolUse"
	Stop             Point = "Stop"
)

// Points are all interception points, in the order of a turn.
func Points() []Point {
	return []Point{SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop}
}

// Occasion is what a hook is told. Fields that do not belong to its point are
// empty.
type Occasion struct {
	Point      Point
	SessionID  string
	Transcript string // path of the session's log
	Cwd        string // the workspace

	Source   string // SessionStart: "startup" or "resume"
	Prompt   string // UserPromptSubmit
	Call     msg.ToolCall
	Response string // PostToolUse: canonical JSON of the result's content blocks
	IsError  bool   // PostToolUse
	Active   bool   // Stop: the turn goes on because of a hook already
}

// HasSubject reports whether a matcher means something at the point. Elsewhere
// every hook is asked.
func (p Point) HasSubject() bool { return p == PreToolUse || p == PostToolUse || p == SessionStart }

// Subject is what a hook's matcher is held against: the tool's name, or how the
// session started; "" where the point has none.
func (o Occasion) Subject() string {
	switch o.Point {
	case PreToolUse, PostToolUse:
		return o.Call.Name
	case SessionStart:
		return o.Source
	}
	return ""
}

// Input is the JSON that the command reads on standard input, ending in a line
// feed.
func (o Occasion) Input() []byte {
	var j canon.Object
	j.String("session_id", o.SessionID)
	j.String("transcript_path", o.Transcript)
	j.String("cwd", o.Cwd)
	j.String("hook_event_name", string(o.Point))
	switch o.Point {
	case SessionStart:
		j.String("source", o.Source)
	case UserPromptSubmit:
		j.String("prompt", o.Prompt)
	case PreToolUse, PostToolUse:
		j.String("tool_name", o.Call.Name)
		j.Raw("tool_input", arguments(o.Call.Arguments))
		j.String("tool_use_id", o.Call.ID)
		if o.Point == PostToolUse {
			var r canon.Object
			r.Raw("content", o.Response)
			r.Bool("is_error", o.IsError)
			j.Raw("tool_response", r.End())
		}
	case Stop:
		j.Bool("stop_hook_active", o.Active)
	}
	return []byte(j.End() + "\n")
}

// arguments is the model's text as JSON: as it is when it is JSON, {} when it is
// empty, else as a string.
func arguments(text string) string {
	if text == "" {
		return "{}"
	}
	v, err := canon.Parse(text)
	if err != nil {
		return canon.Quote(text)
	}
	c, err := canon.Canonical(v)
	if err != nil {
		return canon.Quote(text)
	}
	return c
}
