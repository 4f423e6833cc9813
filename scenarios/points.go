package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// point is a place in a turn at which a scenario can do something.
type point string

// The points, in the order of a turn.
const (
	atPrompt   point = "prompt"
	atPrefix   point = "prefix"
	atPreStep  point = "pre-step"
	atRequest  point = "request"
	atStream   point = "stream"
	atAnswer   point = "answer"
	atTool     point = "tool"
	atResult   point = "result"
	atContinue point = "continue"
)

// points lists them with what happens there.
func points() []struct {
	at   point
	help string
} {
	return []struct {
		at   point
		help string
	}{
		{atPrompt, "a prompt is being submitted"},
		{atPrefix, "system and prefix were composed, and nothing of them is logged"},
		{atPreStep, "a step is about to begin"},
		{atRequest, "a request is in the log and about to leave"},
		{atStream, "a piece of the answer has come"},
		{atAnswer, "the whole answer is there, and not in the log"},
		{atTool, "a tool is about to run"},
		{atResult, "a tool has a result"},
		{atContinue, "a step is over, and the turn goes on or ends"},
	}
}

// plan is what happens when the turn comes to a point.
type plan struct {
	at   point
	what string // the line, for the message when the turn never comes there
	do   func(*engine.Instance)
}

// takePoint takes "at POINT" from the front of a verb's arguments.
func takePoint(args []string) (at point, rest []string, err error) {
	if len(args) == 0 || args[0] != "at" {
		return "", args, nil
	}
	if len(args) < 2 {
		return "", nil, misusef("at wants a point: %s", pointNames())
	}
	for _, p := range points() {
		if string(p.at) == args[1] {
			return p.at, args[2:], nil
		}
	}
	return "", nil, misusef("there is no point %q in a turn; there are %s", args[1], pointNames())
}

func pointNames() string {
	var names []string
	for _, p := range points() {
		names = append(names, string(p.at))
	}
	return strings.Join(names, ", ")
}

// at does something when the next turn comes to a point for the first time.
func (w *world) at(p point, what string, do func(*engine.Instance)) error {
	if w.instance == nil {
		return notRunning()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plans = append(w.plans, plan{p, what, do})
	return nil
}

// reach carries out what was planned for a point; it is called by the instance.
func (w *world) reach(p point) {
	w.mu.Lock()
	var due []plan
	w.plans = slices.DeleteFunc(w.plans, func(q plan) bool {
		if q.at == p {
			due = append(due, q)
		}
		return q.at == p
	})
	inst := w.instance
	w.mu.Unlock()
	for _, q := range due {
		q.do(inst)
	}
}

// unreached is the error of plans whose point the turn never came to.
func (w *world) unreached() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.plans) == 0 {
		return nil
	}
	q := w.plans[0]
	w.plans = nil
	return wrongf("the turn never came to the point %s of the line %q", q.at, q.what)
}

// seams tell the world when a turn comes to its points, and decide nothing.
func (w *world) seams() engine.Seams {
	return engine.Seams{
		PromptSubmit: []func(context.Context, engine.Submission) (engine.SubmitDecision, error){
			func(context.Context, engine.Submission) (engine.SubmitDecision, error) {
				w.reach(atPrompt)
				return engine.SubmitDecision{}, nil
			}},
		PreStep: []func(context.Context, engine.Step) error{
			func(context.Context, engine.Step) error { w.reach(atPreStep); return nil }},
		StepResult: []func(context.Context, engine.Step, msg.Content) (msg.Content, error){
			func(_ context.Context, _ engine.Step, c msg.Content) (msg.Content, error) {
				w.reach(atAnswer)
				return c, nil
			}},
		PreTool: []func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error){
			func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error) {
				w.reach(atTool)
				return engine.ToolDecision{}, nil
			}},
		PostTool: []func(context.Context, engine.Step, msg.ToolCall, engine.ToolOutcome) (engine.PostDecision, error){
			func(context.Context, engine.Step, msg.ToolCall, engine.ToolOutcome) (engine.PostDecision, error) {
				w.reach(atResult)
				return engine.PostDecision{}, nil
			}},
		Continuation: []func(context.Context, engine.Step, bool) (engine.ContinueDecision, error){
			func(context.Context, engine.Step, bool) (engine.ContinueDecision, error) {
				w.reach(atContinue)
				return engine.ContinueDecision{}, nil
			}},
	}
}

// helpOfPoints is the manual's list of points.
func helpOfPoints() string {
	var b strings.Builder
	for _, p := range points() {
		fmt.Fprintf(&b, "- `%s`: %s\n", p.at, p.help)
	}
	return b.String()
}
