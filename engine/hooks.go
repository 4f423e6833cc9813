package engine

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/hook"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/proc"
)

// Hook is a command at interception points, as the agent lists it.
type Hook struct {
	Name   string
	Points []hook.Point
	Match  *regexp.Regexp // held against the whole subject; nil for all
	// Run runs the command with that input. It returns when ctx is done.
	Run func(ctx context.Context, input []byte) proc.Result
	// Hide takes what must not be seen out of a text that the command wrote, before
	// a model or the log gets it. cut says that the text is only the beginning of
	// what was written. May be nil.
	Hide func(text string, cut bool) string
}

// fits reports whether the hook is asked on that occasion.
func (h Hook) fits(o hook.Occasion) bool {
	return slices.Contains(h.Points, o.Point) && (h.Match == nil || !o.Point.HasSubject() || whole(h.Match, o.Subject()))
}

// shown is a text that goes into the log and to nobody else.
func (h Hook) shown(text string) string {
	if h.Hide == nil {
		return text
	}
	return h.Hide(text, false)
}

// decide is what a command's result decides, without what must not be seen.
func (h Hook) decide(p hook.Point, r proc.Result) (hook.Decision, proc.Result) {
	if h.Hide == nil {
		return hook.Decide(p, r), r
	}
	r.Stderr = []byte(h.Hide(string(r.Stderr), r.Cut))
	d := hook.Decide(p, r)
	d.Reason, d.Context = h.Hide(d.Reason, false), h.Hide(d.Context, false)
	return d, r
}

// hooked is the seams that ask an instance's hooks. Hooks run one after the other,
// in the order of the agent's list, and what each did is recorded in the log.
func (i *Instance) hooked() Seams {
	has := func(p hook.Point) bool {
		return slices.ContainsFunc(i.opts.Hooks, func(h Hook) bool { return slices.Contains(h.Points, p) })
	}
	var s Seams
	if has(hook.SessionStart) {
		s.SessionStart = append(s.SessionStart, i.startHooks)
	}
	if has(hook.UserPromptSubmit) {
		s.PromptSubmit = append(s.PromptSubmit, i.promptHooks)
	}
	if has(hook.PreToolUse) {
		s.PreTool = append(s.PreTool, i.preToolHooks)
	}
	if has(hook.PostToolUse) {
		s.PostTool = append(s.PostTool, i.postToolHooks)
	}
	if len(i.opts.Hooks) > 0 {
		s.Continuation = append(s.Continuation, i.stopHooks)
	}
	return s
}

// ask runs the hooks of a point that fit, until one decides to block, and tells
// each decision.
func (i *Instance) ask(ctx context.Context, o hook.Occasion, each func(Hook, hook.Decision) (goOn bool)) error {
	i.mu.Lock()
	h := i.session.Log.Header()
	turn, _ := i.session.State.Open()
	i.mu.Unlock()
	o.SessionID, o.Transcript, o.Cwd = h.ID, i.session.Log.Path(), h.Cwd
	for _, hk := range i.opts.Hooks {
		if !hk.fits(o) {
			continue
		}
		invoked := event.HookInvoked{Turn: turn, Point: string(o.Point), Dialect: "claude", Handler: hk.Name}
		if hk.Match != nil && o.Point.HasSubject() {
			invoked.Matcher = hk.Match.String()
		}
		if err := i.record(turn, invoked); err != nil {
			return err
		}
		d, r := hk.decide(o.Point, hk.Run(ctx, o.Input()))
		result := event.HookResult{Turn: turn, Point: string(o.Point), Handler: hk.Name, Decision: string(d.Verdict),
			Stderr: hook.Summary(r.Stderr), DurationMS: r.Took.Milliseconds(), Arguments: hk.shown(d.Arguments)}
		if d.Verdict == hook.Failed {
			result.Failure = d.Reason
		}
		if d.Halt {
			result.StopReason = d.Reason
		}
		if r.ExitCode >= 0 {
			result.ExitCode = msg.Some(int64(r.ExitCode))
		}
		if err := i.record(turn, result); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if d.Verdict == hook.Failed {
			i.report(errors.New("hook " + hk.Name + ": " + d.Reason))
		}
		if d.Halt {
			i.halted = true
			if o.Point != hook.UserPromptSubmit { // there the prompt is blocked, which says why
				i.report(errors.New("hook " + hk.Name + " ended the turn: " + d.Reason))
			}
		}
		if !each(hk, d) {
			return nil
		}
	}
	return nil
}

// whole reports whether an expression fits a whole subject. The longest match
// decides: the first one of a|ab in ab is not the whole.
func whole(re *regexp.Regexp, s string) bool {
	longest := regexp.MustCompile(re.String())
	longest.Longest()
	loc := longest.FindStringIndex(s)
	return loc != nil && loc[0] == 0 && loc[1] == len(s)
}

// record logs what a hook did, synced before its command runs. What happens before
// a turn is open is kept for the first one.
func (i *Instance) record(turn int64, p event.Payload) error {
	if turn == 0 {
		i.beforeTurn = append(i.beforeTurn, p)
		return nil
	}
	if _, err := i.append(event.Entry{Payload: p}); err != nil {
		return err
	}
	return i.sync()
}

// recordOpening logs what was kept until a turn is open.
func (i *Instance) recordOpening() error {
	kept := i.beforeTurn
	i.beforeTurn = nil
	turn, entries := i.turn(), []event.Entry{}
	for _, p := range kept {
		switch p := p.(type) {
		case event.HookInvoked:
			p.Turn = turn
			entries = append(entries, event.Entry{Payload: p})
		case event.HookResult:
			p.Turn = turn
			entries = append(entries, event.Entry{Payload: p})
		}
	}
	if len(entries) == 0 {
		return nil
	}
	_, err := i.append(entries...)
	return err
}

func (i *Instance) turn() int64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.session.State.LastTurn()
}

// contextOf is what a hook adds to the session, if anything.
func contextOf(h Hook, d hook.Decision) []event.ContextMessage {
	if d.Context == "" {
		return nil
	}
	content, err := msg.TextContent(d.Context)
	if err != nil {
		return nil // Decide lets only UTF-8 through
	}
	return []event.ContextMessage{{Content: content, Source: event.PluginSource(h.Name)}}
}

func (i *Instance) startHooks(ctx context.Context, s SessionStart) ([]event.ContextMessage, error) {
	o := hook.Occasion{Point: hook.SessionStart, Source: "startup"}
	if s.Resumed {
		o.Source = "resume"
	}
	var out []event.ContextMessage
	err := i.ask(ctx, o, func(h Hook, d hook.Decision) bool {
		out = append(out, contextOf(h, d)...)
		return true
	})
	return out, err
}

func (i *Instance) promptHooks(ctx context.Context, p Submission) (SubmitDecision, error) {
	var out SubmitDecision
	err := i.ask(ctx, hook.Occasion{Point: hook.UserPromptSubmit, Prompt: p.Content.Text()}, func(h Hook, d hook.Decision) bool {
		out.Context = append(out.Context, contextOf(h, d)...)
		if d.Verdict == hook.Block || d.Halt {
			out = SubmitDecision{Block: true, Reason: d.Reason}
			return false
		}
		return true
	})
	return out, err
}

func (i *Instance) preToolHooks(ctx context.Context, _ Step, call msg.ToolCall) (ToolDecision, error) {
	var out ToolDecision
	err := i.ask(ctx, hook.Occasion{Point: hook.PreToolUse, Call: call}, func(h Hook, d hook.Decision) bool {
		if d.Arguments != "" {
			out.Arguments = msg.Some(d.Arguments)
		}
		switch d.Verdict {
		case hook.Block:
			out.Permission, out.Reason = Deny, d.Reason
		case hook.Ask:
			out.Permission, out.Reason = Ask, d.Reason
		}
		return out.Permission == Allow || out.Permission == Ask && i.opts.Ask != nil // others may still deny it
	})
	return out, err
}

func (i *Instance) postToolHooks(ctx context.Context, _ Step, call msg.ToolCall, r ToolOutcome) (PostDecision, error) {
	var out PostDecision
	o := hook.Occasion{Point: hook.PostToolUse, Call: call, Response: r.Content.Raw(), IsError: r.IsError}
	err := i.ask(ctx, o, func(h Hook, d hook.Decision) bool {
		out.Context = append(out.Context, contextOf(h, d)...)
		if d.Verdict != hook.Block {
			return true
		}
		content, err := msg.TextContent(d.Reason)
		if err != nil {
			return true
		}
		out.Block, out.Content = true, msg.Some(content)
		return false
	})
	return out, err
}

// stopHooks ends a turn that a hook halted, and lets hooks keep a turn going that
// is about to stop.
func (i *Instance) stopHooks(ctx context.Context, _ Step, goesOn bool) (ContinueDecision, error) {
	if i.halted {
		return ContinueDecision{Decided: true}, nil
	}
	if goesOn {
		return ContinueDecision{}, nil
	}
	turn := i.turn()
	o := hook.Occasion{Point: hook.Stop, Active: i.keptGoing == turn}
	var out ContinueDecision
	err := i.ask(ctx, o, func(h Hook, d hook.Decision) bool {
		if d.Verdict != hook.Block {
			return !d.Halt
		}
		content, err := msg.TextContent(d.Reason)
		if err != nil {
			return true
		}
		i.keptGoing = turn
		out = ContinueDecision{Decided: true, Continue: true, Reason: content, Source: event.PluginSource(h.Name)}
		return false
	})
	return out, err
}

// plus is both seams, s first.
func (s Seams) plus(o Seams) Seams {
	return Seams{
		SessionStart: slices.Concat(s.SessionStart, o.SessionStart),
		PromptSubmit: slices.Concat(s.PromptSubmit, o.PromptSubmit),
		PreStep:      slices.Concat(s.PreStep, o.PreStep),
		Request:      slices.Concat(s.Request, o.Request),
		StepResult:   slices.Concat(s.StepResult, o.StepResult),
		PreTool:      slices.Concat(s.PreTool, o.PreTool),
		PostTool:     slices.Concat(s.PostTool, o.PostTool),
		Continuation: slices.Concat(s.Continuation, o.Continuation),
	}
}
