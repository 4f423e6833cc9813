package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// callTools answers with tool calls, then goes on with text.
func callTools(calls ...msg.ToolCall) func(context.Context, func(msg.Chunk, error) bool) {
	return func(_ context.Context, yield func(msg.Chunk, error) bool) {
		for i, c := range calls {
			if !yield(msg.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, ArgumentsDelta: c.Arguments}, nil) {
				return
			}
		}
		yield(msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishToolCalls}}, nil)
	}
}

// tools is a tool set of one tool.
type tools struct {
	ran []string
	run func(ctx context.Context, call msg.ToolCall) engine.ToolOutcome
}

func (t *tools) Schemas() []msg.Tool {
	return []msg.Tool{{Name: "ls", Description: "lists", Parameters: `{"type":"object"}`}}
}

func (t *tools) Run(ctx context.Context, call msg.ToolCall) engine.ToolOutcome {
	t.ran = append(t.ran, call.Arguments)
	if t.run != nil {
		return t.run(ctx, call)
	}
	return engine.ToolOutcome{Content: text("files"), Meta: `{"n":1}`}
}

// bodyHas holds the n-th body to fragments.
func bodyHas(t *testing.T, m *model, n int, fragments ...string) {
	t.Helper()
	if n >= len(m.bodies) {
		t.Fatalf("%d requests were sent", len(m.bodies))
	}
	for _, f := range fragments {
		if !strings.Contains(m.bodies[n], f) {
			t.Errorf("request %d lacks %s:\n%s", n+1, f, m.bodies[n])
		}
	}
}

// S2, S3: a tool's round trip; its schema is in the header, its meta only in the
// log.
func TestToolRoundTrip(t *testing.T) {
	w := newWorld(t)
	m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{"d":1}`})}}
	s := w.create()
	ts := &tools{}
	i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) { o.Tools = ts })
	send(t, i, "list")
	i.Dispose()
	scan := w.scan(s, 2)
	if fmt.Sprint(ts.ran) != `[{"d":1}]` {
		t.Errorf("ran %v", ts.ran)
	}
	bodyHas(t, m, 0, `"tools":[{"type":"function","function":{"name":"ls","description":"lists","parameters":{"type":"object"}}}]`)
	bodyHas(t, m, 1, `{"role":"tool","tool_call_id":"c1","content":"files"}`)
	if strings.Contains(m.bodies[1], `"n":1`) {
		t.Error("meta reached the model")
	}
	log := types(scan.Events)
	if !strings.Contains(log, "assistant/message tool/call tool/result step/end step/start request/sent") {
		t.Errorf("events %s", log)
	}
	for n, e := range scan.Events {
		if e.Type == "tool/result" && fmt.Sprint(e.Sources) != fmt.Sprintf("[%d]", n-1) {
			t.Errorf("provenance %v of event %d", e.Sources, n)
		}
	}
}

// What the seams decide about tools, each one alone.
func TestToolSeams(t *testing.T) {
	for _, c := range []struct {
		name  string
		seams engine.Seams
		run   func(context.Context, msg.ToolCall) engine.ToolOutcome
		want  []string // in the second request
		ran   string
	}{
		{"deny", engine.Seams{PreTool: []func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error){
			func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error) {
				return engine.ToolDecision{Permission: engine.Deny, Reason: "not today"}, nil
			}}}, nil, []string{`"content":"Error: not today"`}, "[]"},
		{"ask is a refusal", engine.Seams{PreTool: []func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error){
			func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error) {
				return engine.ToolDecision{Permission: engine.Ask}, nil
			}}}, nil, []string{`"content":"Error: the call was not allowed"`}, "[]"},
		{"other arguments", engine.Seams{PreTool: []func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error){
			func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error) {
				return engine.ToolDecision{Arguments: msg.Some("{}")}, nil
			}}}, nil, []string{`"content":"files"`, `"arguments":"{\"d\":1}"`}, "[{}]"},
		{"a failing seam", engine.Seams{PreTool: []func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error){
			func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error) {
				return engine.ToolDecision{}, errors.New("broken")
			}}}, nil, []string{`"content":"Error: broken"`}, "[]"},
		{"another result and context behind it", engine.Seams{PostTool: []func(context.Context, engine.Step, msg.ToolCall, engine.ToolOutcome) (engine.PostDecision, error){
			func(_ context.Context, _ engine.Step, _ msg.ToolCall, r engine.ToolOutcome) (engine.PostDecision, error) {
				return engine.PostDecision{Content: msg.Some(text(r.Content.Text() + "!")),
					Context: []event.ContextMessage{{Content: text("note"), Source: event.PluginSource("p")}}}, nil
			}}}, nil, []string{`"content":"files!"},{"role":"user","content":"<context source=\"plugin\">note</context>"}`}, `[{"d":1}]`},
		{"block", engine.Seams{PostTool: []func(context.Context, engine.Step, msg.ToolCall, engine.ToolOutcome) (engine.PostDecision, error){
			func(context.Context, engine.Step, msg.ToolCall, engine.ToolOutcome) (engine.PostDecision, error) {
				return engine.PostDecision{Block: true, Content: msg.Some(text("do it otherwise"))}, nil
			}}}, nil, []string{`"content":"do it otherwise"`}, `[{"d":1}]`},
		{"a panicking tool", engine.Seams{}, func(context.Context, msg.ToolCall) engine.ToolOutcome { panic("boom") },
			[]string{`"content":"Error: panic: boom"`}, `[{"d":1}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{"d":1}`})}}
			s := w.create()
			ts := &tools{run: c.run}
			i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) { o.Tools, o.Seams = ts, c.seams })
			if end := send(t, i, "list"); end.Kind != event.EndCompleted {
				t.Errorf("end %+v", end)
			}
			i.Dispose()
			w.scan(s, 2)
			bodyHas(t, m, 1, c.want...)
			if got := fmt.Sprint(ts.ran); got != c.ran {
				t.Errorf("ran %s, want %s", got, c.ran)
			}
		})
	}
}

// Prompt submit: rewrite, context, block.
func TestPromptSubmit(t *testing.T) {
	w := newWorld(t)
	m := &model{}
	s := w.create()
	seams := engine.Seams{
		SessionStart: []func(context.Context, engine.SessionStart) ([]event.ContextMessage, error){
			func(_ context.Context, s engine.SessionStart) ([]event.ContextMessage, error) {
				return []event.ContextMessage{{Content: text(fmt.Sprint("resumed ", s.Resumed)), Source: event.PluginSource("start")}}, nil
			},
			func(context.Context, engine.SessionStart) ([]event.ContextMessage, error) { panic("contained") },
		},
		PromptSubmit: []func(context.Context, engine.Submission) (engine.SubmitDecision, error){
			func(_ context.Context, p engine.Submission) (engine.SubmitDecision, error) {
				if p.Content.Text() == "secret" {
					return engine.SubmitDecision{Block: true, Reason: "no secrets"}, nil
				}
				return engine.SubmitDecision{Content: msg.Some(text(p.Content.Text() + "?")),
					Context: []event.ContextMessage{{Content: text("ctx"), Source: event.PluginSource("p")}}}, nil
			},
		},
	}
	var failures []error
	i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) {
		o.Seams = seams
		o.OnError = func(err error) { failures = append(failures, err) }
	})
	if end := send(t, i, "secret"); end.Kind != event.EndRejected || end.Reason != "no secrets" {
		t.Errorf("blocked: %+v", end)
	}
	if end := send(t, i, "why"); end.Kind != event.EndCompleted {
		t.Errorf("allowed: %+v", end)
	}
	i.Dispose()
	scan := w.scan(s, 1)
	if len(failures) != 1 || failures[0].Error() != "panic: contained" {
		t.Errorf("failures %v", failures)
	}
	if got := types(scan.Events[:3]); got != "turn/start prompt/blocked turn/end" {
		t.Errorf("events %s", got)
	}
	if blocked, _ := scan.Events[1].Data.Get("reason").Text(); blocked != "no secrets" {
		t.Errorf("reason %q", blocked)
	}
	bodyHas(t, m, 0, `{"role":"user","content":"why?"}`, `ctx</context>"}]}`)
}

// L-cases of section 3.2: a change of configuration is logged as a delta, holds for
// that request only, and the log proves every body.
func TestHeaderDeltas(t *testing.T) {
	w := newWorld(t)
	m := &model{}
	s := w.create()
	seams := engine.Seams{Request: []func(context.Context, engine.Step, msg.CallConfig) (msg.CallConfig, error){
		func(_ context.Context, s engine.Step, c msg.CallConfig) (msg.CallConfig, error) {
			if s.Turn == 2 {
				c.Model = "model-2"
			}
			if s.Turn == 5 {
				c.Model = ""
			}
			return c, nil
		}}}
	i := w.start(w.agent(nil, []msg.Contributor{contributor("system.text.s", "sys")}, []msg.Contributor{contributor("text.p", "p")}), s, m, func(o *engine.Options) { o.Seams = seams })
	for n := range 4 {
		send(t, i, fmt.Sprint("turn ", n+1))
	}
	if end := send(t, i, "turn 5"); end.Code != msg.CodeNoModel {
		t.Errorf("no model: %+v", end)
	}
	i.Dispose()
	scan := w.scan(s, 4)
	log := types(scan.Events)
	if strings.Count(log, "request/header ") != 1 || strings.Count(log, "request/header-delta") != 2 {
		t.Errorf("events %s", log)
	}
	for _, e := range scan.Events {
		if e.Type == "request/header-delta" {
			if want := `{"config":{"model":"model-2"}}`; e.Data.Raw() != want && e.Data.Raw() != `{"config":{"model":"model-1"}}` {
				t.Errorf("delta %s", e.Data.Raw())
			}
		}
	}
	bodyHas(t, m, 1, `{"model":"model-2"`, `{"role":"user","content":"p"},{"role":"user","content":"turn 1"}`)
	bodyHas(t, m, 2, `{"model":"model-1"`)
}

// S12, S13, S48, X7: injection is its own turn when idle, joins the open turn
// otherwise, and the current request when it comes before the boundary.
func TestInject(t *testing.T) {
	w := newWorld(t)
	m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{}`})}}
	s := w.create()
	var i *engine.Instance
	note := func(s string) {
		if err := i.Inject(event.ContextMessage{Content: text(s), Source: event.PluginSource("p")}); err != nil {
			t.Error(err)
		}
	}
	ts := &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
		note("in a tool")
		return engine.ToolOutcome{Content: text("files")}
	}}
	composing := func(ctx context.Context, next func(context.Context) (msg.Composition, error)) (msg.Composition, error) {
		note("in composition")
		return next(ctx)
	}
	i = w.start(w.agent(nil, nil, []msg.Contributor{composing}), s, m, func(o *engine.Options) { o.Tools = ts })
	note("idle")
	send(t, i, "x")
	i.Dispose()
	scan := w.scan(s, 2)
	if got, want := types(scan.Events), "turn/start context/message turn/end turn/start user/message context/message step/start request/header request/sent "+
		"assistant/message tool/call tool/result context/message step/end step/start request/sent assistant/message step/end turn/end"; got != want {
		t.Errorf("events\n%s\nwant\n%s", got, want)
	}
	for n, e := range scan.Events {
		if e.Type == "tool/result" && scan.Events[e.Sources[0]].Type != "tool/call" {
			t.Errorf("the result at %d names event %d", n, e.Sources[0])
		}
	}
	if got, _ := scan.Events[0].Data.Get("trigger").Get("kind").Text(); got != "injection" {
		t.Errorf("trigger %s", got)
	}
	bodyHas(t, m, 0, `idle</context>"},{"role":"user","content":"x"},{"role":"user","content":"<context source=\"plugin\">in composition</context>"}]}`)
	if err := i.Inject(event.ContextMessage{Content: text("late"), Source: event.PluginSource("p")}); !errors.Is(err, engine.ErrDisposed) {
		t.Errorf("inject after dispose: %v", err)
	}
}

// S14, S15, S29: continuation forced on, off, and failing.
func TestContinuation(t *testing.T) {
	w := newWorld(t)
	m := &model{}
	s := w.create()
	var decide func(engine.Step, bool) (engine.ContinueDecision, error)
	i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) {
		o.Seams.Continuation = []func(context.Context, engine.Step, bool) (engine.ContinueDecision, error){
			func(_ context.Context, s engine.Step, on bool) (engine.ContinueDecision, error) { return decide(s, on) }}
	})
	decide = func(s engine.Step, on bool) (engine.ContinueDecision, error) {
		return engine.ContinueDecision{Decided: true, Continue: s.Step < 3, Reason: map[bool]msg.Content{true: text("go on")}[s.Step < 3], Source: event.PluginSource("p")}, nil
	}
	if end := send(t, i, "x"); end.Kind != event.EndCompleted || len(m.bodies) != 3 {
		t.Errorf("forced: %+v after %d requests", end, len(m.bodies))
	}
	bodyHas(t, m, 2, `"<steering source=\"plugin\">go on</steering>"`)
	decide = func(engine.Step, bool) (engine.ContinueDecision, error) {
		return engine.ContinueDecision{}, errors.New("no")
	}
	if end := send(t, i, "y"); end.Kind != event.EndError || end.Message != "no" {
		t.Errorf("failing: %+v", end)
	}
	i.Dispose()
	w.scan(s, 4)
}
