package engine_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/hook"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/proc"
)

// scriptedHook answers without a process and keeps what it read.
func scriptedHook(name string, points []hook.Point, match string, inputs *[]string, answer func(input string) proc.Result) engine.Hook {
	h := engine.Hook{Name: name, Points: points, Run: func(_ context.Context, input []byte) proc.Result {
		*inputs = append(*inputs, string(input))
		r := answer(string(input))
		r.Took = 5 * time.Millisecond
		return r
	}}
	if match != "" {
		h.Match = regexp.MustCompile(match)
	}
	return h
}

func says(out string) func(string) proc.Result {
	return func(string) proc.Result { return proc.Result{Stdout: []byte(out)} }
}

func TestHooks(t *testing.T) {
	w := newWorld(t)
	m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){
		callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{}`}, msg.ToolCall{ID: "c2", Name: "rm", Arguments: `{}`}),
	}}
	s := w.create()
	var in []string
	stopped := false
	hooks := []engine.Hook{
		scriptedHook("start", []hook.Point{hook.SessionStart}, "startup", &in, says("welcome")),
		scriptedHook("never", []hook.Point{hook.SessionStart}, "resume", &in, says("not me")),
		scriptedHook("prompt", []hook.Point{hook.UserPromptSubmit}, "", &in, func(input string) proc.Result {
			if strings.Contains(input, "secret") {
				return proc.Result{ExitCode: 2, Stderr: []byte("no secrets")}
			}
			return proc.Result{Stdout: []byte("mind the style guide")}
		}),
		scriptedHook("guard", []hook.Point{hook.PreToolUse}, "rm|mv", &in, says(`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"never delete"}}`)),
		scriptedHook("post", []hook.Point{hook.PostToolUse}, "ls", &in, says(`{"decision":"block","reason":"look again"}`)),
		scriptedHook("broken", []hook.Point{hook.PostToolUse}, "", &in, func(string) proc.Result { return proc.Result{ExitCode: 1, Stderr: []byte("oops")} }),
		scriptedHook("stop", []hook.Point{hook.Stop}, "", &in, func(input string) proc.Result {
			if stopped = strings.Contains(input, `"stop_hook_active":true`); stopped {
				return proc.Result{}
			}
			return proc.Result{ExitCode: 2, Stderr: []byte("run the tests first")}
		}),
	}
	var reports []string
	i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) {
		o.Hooks, o.Tools = hooks, &tools{}
		o.OnError = func(err error) { reports = append(reports, err.Error()) }
	})
	if end := send(t, i, "a secret"); end.Kind != event.EndRejected || end.Reason != "no secrets" {
		t.Errorf("blocked prompt: %+v", end)
	}
	if end := send(t, i, "clean up"); end.Kind != event.EndCompleted {
		t.Errorf("%+v", end)
	}
	i.Dispose()
	scan := w.scan(s, 3)
	bodyHas(t, m, 0, `"content":"clean up"`, `mind the style guide</context>`)
	bodyHas(t, m, 1, `"tool_call_id":"c1","content":"look again"`, `"tool_call_id":"c2","content":"Error: never delete"`)
	bodyHas(t, m, 2, `<steering source=\"plugin\">run the tests first</steering>`)
	if !stopped {
		t.Error("the second stop was not told that a hook keeps the turn going")
	}
	if len(reports) != 1 || reports[0] != "hook broken: exit code 1: oops" {
		t.Errorf("reports %q", reports)
	}
	var log []string
	for _, e := range scan.Events {
		if e.Type == "hook/result" {
			id, _ := e.Data.Get("handlerId").Text()
			d, _ := e.Data.Get("decision").Text()
			log = append(log, id+"="+d)
		}
	}
	if got, want := strings.Join(log, " "), "start=proceed prompt=block prompt=proceed post=block guard=block broken=failed stop=block stop=proceed"; got != want {
		t.Errorf("hooks\n%s\nwant\n%s", got, want)
	}
	if got := types(scan.Events[:7]); got != "turn/start hook/invoked hook/result hook/invoked hook/result prompt/blocked turn/end" {
		t.Errorf("first turn: %s", got)
	}
	for _, fragment := range []string{`"hook_event_name":"SessionStart","source":"startup"`, `"hook_event_name":"UserPromptSubmit","prompt":"a secret"`,
		`"hook_event_name":"PreToolUse","tool_name":"rm"`, `"hook_event_name":"PostToolUse"`, `"session_id":"s1"`, `"cwd":"/w"`} {
		if !strings.Contains(strings.Join(in, ""), fragment) {
			t.Errorf("no hook read %s:\n%s", fragment, in)
		}
	}
}

// A hook that halts ends the turn after the step, whatever is left to do.
func TestHookHalts(t *testing.T) {
	w := newWorld(t)
	m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{}`})}}
	s := w.create()
	var in []string
	i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) {
		o.Tools = &tools{}
		o.Hooks = []engine.Hook{scriptedHook("halt", []hook.Point{hook.PostToolUse}, "", &in, says(`{"continue":false,"stopReason":"budget"}`))}
	})
	if end := send(t, i, "x"); end.Kind != event.EndCompleted || len(m.bodies) != 1 {
		t.Errorf("%+v after %d requests", end, len(m.bodies))
	}
	if end := send(t, i, "y"); end.Kind != event.EndCompleted || len(m.bodies) != 2 {
		t.Errorf("the next turn: %+v after %d requests", end, len(m.bodies))
	}
	i.Dispose()
	w.scan(s, 2)
}

// A matcher is held against the whole subject, and means nothing where there is
// none. What must not be seen is hidden before the model and the log get it.
func TestHookMatchesAndHides(t *testing.T) {
	w := newWorld(t)
	m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){
		callTools(msg.ToolCall{ID: "c1", Name: "lsof", Arguments: `{}`}, msg.ToolCall{ID: "c2", Name: "ls", Arguments: `{}`}),
	}}
	s := w.create()
	var in []string
	stderr := 0
	i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) {
		o.Tools = &tools{}
		o.Hooks = []engine.Hook{
			scriptedHook("guard", []hook.Point{hook.UserPromptSubmit, hook.PreToolUse}, "l|ls", &in, func(input string) proc.Result {
				if strings.Contains(input, "PreToolUse") {
					return proc.Result{ExitCode: 2, Stderr: []byte("canary says no")}
				}
				if stderr++; stderr > 1 {
					return proc.Result{Stderr: []byte("half a can"), Cut: true}
				}
				return proc.Result{Stdout: []byte("mind the canary")}
			}),
			scriptedHook("stop", []hook.Point{hook.Stop}, "", &in, says(`{"hookSpecificOutput":{"additionalContext":"unused"},"reason":"the \u0063anary"}`)),
		}
		hide := func(s string, cut bool) string {
			if cut {
				s = strings.TrimSuffix(s, "can")
			}
			return strings.ReplaceAll(s, "canary", "(sensitive)")
		}
		for n := range o.Hooks {
			o.Hooks[n].Hide = hide
		}
	})
	for _, prompt := range []string{"x", "y"} {
		if end := send(t, i, prompt); end.Kind != event.EndCompleted {
			t.Errorf("%+v", end)
		}
	}
	i.Dispose()
	scan := w.scan(s, 3)
	bodyHas(t, m, 0, `mind the (sensitive)</context>`)
	bodyHas(t, m, 1, `"tool_call_id":"c1","content":"Error: unknown tool lsof"`, `"tool_call_id":"c2","content":"Error: (sensitive) says no"`)
	log := ""
	for _, e := range scan.Events {
		log += e.Line() + "\n"
	}
	for _, fragment := range []string{"canary", `half a can"`} {
		if strings.Contains(log, fragment) {
			t.Errorf("the log has %q:\n%s", fragment, log)
		}
	}
	if strings.Count(log, `"type":"hook/invoked"`) != 5 || strings.Count(log, `"matcher":"l|ls"`) != 1 {
		t.Errorf("log\n%s", log)
	}
}
