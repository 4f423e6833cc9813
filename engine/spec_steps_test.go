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
	"github.com/dsh-hcl/dsh/engine/provider"
)

// Steps: order, tools, answers, how a turn goes on.
func TestSpecSteps(t *testing.T) {
	numbered(t, "L18 a continuation that always stops lets the tool run and sends nothing more", func(c *rig) {
		c.answers(ls("c1"))
		c.tools = &tools{}
		c.seams = continuation(func(context.Context, engine.Step, bool) (engine.ContinueDecision, error) {
			return engine.ContinueDecision{Decided: true}, nil
		})
		c.start()
		c.ends("a", "completed")
		c.requests(1)
		if c.count("tool/result") != 1 {
			c.t.Error("the tool did not run")
		}
	})
	numbered(t, "L19 context of tools follows all results, in the order of the calls", func(c *rig) {
		c.answers(ls("c1", "c2"))
		c.tools = &tools{}
		c.seams = postTool(func(_ context.Context, call msg.ToolCall, _ engine.ToolOutcome) (engine.PostDecision, error) {
			return engine.PostDecision{Context: []event.ContextMessage{note("ctx-" + call.ID)}}, nil
		})
		c.start()
		c.say("a")
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message() tool/call(c1) tool/result(c1)
			tool/call(c2) tool/result(c2) context/message(ctx-c1) context/message(ctx-c2) step/end step/start request/sent assistant/message(ok)
			step/end turn/end=completed`)
	})
	numbered(t, "L20 a denied tool does not run and its result says why", func(c *rig) {
		c.answers(ls("c1"))
		ts := &tools{}
		c.tools = ts
		c.seams = preTool(func(context.Context, msg.ToolCall) (engine.ToolDecision, error) {
			return engine.ToolDecision{Permission: engine.Deny, Reason: "danger"}, nil
		})
		c.start()
		c.say("a")
		c.has(2, `"tool_call_id":"c1","content":"Error: danger"`)
		if len(ts.ran) != 0 || !strings.Contains(trace(c.events()), "tool/result(c1,DENIED)") {
			c.t.Error("it ran")
		}
	})
	numbered(t, "S1 the order of a simple turn; usage stands on the answer", func(c *rig) {
		c.start()
		c.say("a")
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message(ok) step/end turn/end=completed`)
		if n, _ := c.events()[5].Data.Get("usage").Get("inputTokens").Int(); n != 3 {
			c.t.Errorf("%d input tokens", n)
		}
	})
	numbered(t, "S2 a tool's result is in the second request", func(c *rig) {
		c.answers(ls("c1"))
		c.tools = &tools{}
		c.start()
		c.say("a")
		c.has(2, `{"role":"tool","tool_call_id":"c1","content":"files"}`)
		for _, e := range c.events() {
			if e.Type == "tool/result" && !strings.Contains(e.Data.Raw(), `"isError":false`) {
				c.t.Error(e.Line())
			}
		}
	})
	numbered(t, "S3 a tool's meta is in the log and not in the request", func(c *rig) {
		c.answers(ls("c1"))
		c.tools = &tools{}
		c.start()
		c.say("a")
		c.lacks(2, `"n":1`)
		for _, e := range c.events() {
			if e.Type == "tool/result" && e.Data.Get("meta").Raw() != `{"n":1}` {
				c.t.Error(e.Line())
			}
		}
	})
	numbered(t, "S10 steering during a tool is logged before step 2 and in request 2", func(c *rig) {
		c.answers(ls("c1"))
		c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
			c.steer("aside")
			return engine.ToolOutcome{Content: text("files")}
		}}
		c.start()
		c.say("a")
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message() tool/call(c1) tool/result(c1)
			steering/message(aside) step/end step/start request/sent assistant/message(ok) step/end turn/end=completed`)
		c.has(2, "aside</steering>")
	})
	numbered(t, "S14 a continuation can force three steps", func(c *rig) {
		c.seams = continuation(func(_ context.Context, s engine.Step, _ bool) (engine.ContinueDecision, error) {
			return engine.ContinueDecision{Decided: true, Continue: s.Step < 3}, nil
		})
		c.start()
		c.ends("a", "completed")
		c.requests(3)
		// Without a reason nothing is added: the request ends with the answer.
		c.has(2, `{"role":"user","content":"a"},{"role":"assistant","content":"ok"}]`)
	})
	numbered(t, "S15 a continuation can stop after tools", func(c *rig) {
		c.answers(ls("c1"))
		c.tools = &tools{}
		c.seams = continuation(func(_ context.Context, _ engine.Step, goesOn bool) (engine.ContinueDecision, error) {
			if !goesOn {
				c.t.Error("after a tool the turn goes on by itself")
			}
			return engine.ContinueDecision{Decided: true}, nil
		})
		c.start()
		c.say("a")
		c.requests(1)
	})
	numbered(t, "S17 pre-step comes once a step", func(c *rig) {
		var steps []engine.Step
		c.answers(ls("c1"))
		c.tools = &tools{}
		c.seams = preStep(func(_ context.Context, s engine.Step) error { steps = append(steps, s); return nil })
		c.start()
		c.say("a")
		c.say("b")
		if fmt.Sprint(steps) != "[{1 1} {1 2} {2 1}]" {
			c.t.Errorf("steps %v", steps)
		}
	})
	numbered(t, "S18 what pre-step appends lands before step/start and in that request", func(c *rig) {
		c.seams = preStep(func(context.Context, engine.Step) error { c.inject("fact"); return nil })
		c.start()
		c.say("a")
		c.log(`turn/start(message) user/message(a) context/message(fact) step/start request/header(initial) request/sent assistant/message(ok)
			step/end turn/end=completed`)
		c.has(1, "fact</context>")
	})
	numbered(t, "S20 max-tokens: tool calls are not dispatched, text is kept, the seam sees what was stripped", func(c *rig) {
		c.answers(chunks(msg.TextDelta{Text: "half"}, msg.ToolCallDelta{Index: 1, ID: "c1", Name: "ls", ArgumentsDelta: "{}"}, finish(msg.FinishMaxTokens)))
		ts := &tools{}
		c.tools = ts
		c.seams = stepResult(func(_ context.Context, _ engine.Step, content msg.Content) (msg.Content, error) {
			if len(content.ToolCalls()) > 0 {
				c.t.Error("the seam sees a call")
			}
			return content, nil
		})
		c.start()
		c.ends("a", "max-tokens")
		c.ends("b", "completed")
		if len(ts.ran) > 0 || c.count("tool/call") > 0 {
			c.t.Error("a tool ran")
		}
		c.has(2, `{"role":"assistant","content":"half"}`)
	})
	numbered(t, "S20 max-tokens: a call that step result adds is not dispatched either", func(c *rig) {
		c.answers(chunks(msg.TextDelta{Text: "half"}, finish(msg.FinishMaxTokens)))
		c.tools = &tools{}
		c.seams = stepResult(func(context.Context, engine.Step, msg.Content) (msg.Content, error) {
			return msg.NewContent(msg.Text{Text: "half"}, msg.ToolCall{ID: "mine", Name: "ls", Arguments: "{}"})
		})
		c.start()
		c.ends("a", "max-tokens")
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message(half) step/end turn/end=max-tokens`)
	})
	numbered(t, "S20 max-tokens holds against a later stop in the turn", func(c *rig) {
		c.answers(chunks(msg.TextDelta{Text: "half"}, finish(msg.FinishMaxTokens)))
		c.seams = continuation(func(_ context.Context, s engine.Step, _ bool) (engine.ContinueDecision, error) {
			return engine.ContinueDecision{Decided: true, Continue: s.Step < 2}, nil
		})
		c.start()
		c.ends("a", "max-tokens")
		c.requests(2)
	})
	numbered(t, "S20 max-tokens: an answer without content is logged for its usage only", func(c *rig) {
		usage := msg.UsageChunk{Usage: msg.Usage{Input: 1}}
		c.answers(chunks(usage, finish(msg.FinishMaxTokens)), chunks(finish(msg.FinishMaxTokens)))
		c.start()
		c.ends("a", "max-tokens")
		c.ends("b", "max-tokens")
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message() step/end turn/end=max-tokens
			turn/start(message) user/message(b) step/start request/sent step/end turn/end=max-tokens`)
	})
	numbered(t, "S26 what step result makes of an answer is what log, history and dispatch use", func(c *rig) {
		ts := &tools{}
		c.tools = ts
		c.seams = stepResult(func(_ context.Context, s engine.Step, content msg.Content) (msg.Content, error) {
			if s.Step > 1 {
				return content, nil
			}
			return msg.NewContent(msg.Text{Text: "rewritten"}, msg.ToolCall{ID: "mine", Name: "ls", Arguments: `{"x":1}`})
		})
		c.start()
		c.say("a")
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message(rewritten) tool/call(mine)
			tool/result(mine) step/end step/start request/sent assistant/message(ok) step/end turn/end=completed`)
		c.has(2, `"content":"rewritten"`, `"tool_call_id":"mine"`)
		if fmt.Sprint(ts.ran) != `[{"x":1}]` {
			c.t.Errorf("ran %v", ts.ran)
		}
	})
	numbered(t, "S28 steering in the continuation overrides its stop", func(c *rig) {
		first := true
		c.seams = continuation(func(context.Context, engine.Step, bool) (engine.ContinueDecision, error) {
			if first {
				first = false
				c.steer("aside")
			}
			return engine.ContinueDecision{Decided: true}, nil
		})
		c.start()
		c.say("a")
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message(ok) step/end
			steering/message(aside) step/start request/sent assistant/message(ok) step/end turn/end=completed`)
	})
	numbered(t, "S39 a replaced result answers the model's call", func(c *rig) {
		c.answers(ls("c1"))
		c.tools = &tools{}
		c.seams = postTool(func(context.Context, msg.ToolCall, engine.ToolOutcome) (engine.PostDecision, error) {
			return engine.PostDecision{Content: msg.Some(text("other"))}, nil
		})
		c.start()
		c.say("a")
		c.has(2, `"tool_call_id":"c1","content":"other"`)
	})
	numbered(t, "S40 content that step result made of nothing has no sources", func(c *rig) {
		c.answers(chunks(finish(msg.FinishStop)))
		c.seams = stepResult(func(context.Context, engine.Step, msg.Content) (msg.Content, error) { return text("made"), nil })
		c.start()
		c.say("a")
		e := c.events()[5]
		if e.Type != "assistant/message" || e.Sources != nil || e.Op.Kind != event.OpAppend {
			c.t.Error(e.Line())
		}
	})
	// decision: a tool gets the model's text as it is, which is JSON or not; an empty
	// one is the empty object.
	numbered(t, "S43 arguments that are no JSON reach the tool as text; none are an empty object", func(c *rig) {
		c.answers(callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{"x":`}, msg.ToolCall{ID: "c2", Name: "ls"}))
		ts := &tools{}
		c.tools = ts
		c.start()
		c.say("a")
		if fmt.Sprintf("%q", ts.ran) != `["{\"x\":" "{}"]` {
			c.t.Errorf("ran %q", ts.ran)
		}
		for _, e := range c.events() {
			if id, _ := e.Data.Get("callId").Text(); e.Type == "tool/call" && id == "c2" && e.Data.Get("arguments").Raw() != `""` {
				c.t.Errorf("the log has %s", e.Line())
			}
		}
	})
	numbered(t, "S46 a tool's failure has name and code in the log", func(c *rig) {
		c.answers(ls("c1"), callTools(msg.ToolCall{ID: "c2", Name: "nope", Arguments: "{}"}))
		c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
			return engine.ToolOutcome{Content: text("Error: no"), IsError: true, Error: msg.Some(event.ResultError{Name: "LsError", Code: "ENOENT"})}
		}}
		c.start()
		c.say("a")
		var got []string
		for _, e := range c.events() {
			if e.Type == "tool/result" {
				got = append(got, e.Data.Get("error").Raw())
			}
		}
		if want := `[{"name":"LsError","code":"ENOENT"} {"name":"ToolError","code":"UNKNOWN_TOOL"}]`; fmt.Sprint(got) != want {
			c.t.Errorf("errors %v", got)
		}
	})
}

// Failures: what they end, and that the next turn works.
func TestSpecFailures(t *testing.T) {
	boom := errors.New("boom")
	numbered(t, "S19 a failing pre-step is an error of a step that never began", func(c *rig) {
		first := true
		c.seams = preStep(func(context.Context, engine.Step) error {
			if first {
				first = false
				return boom
			}
			return nil
		})
		c.start()
		c.ends("a", "error@1:UNKNOWN")
		c.requests(0)
		c.ends("b", "completed")
		c.log(`turn/start(message) user/message(a) turn/end=error@1:UNKNOWN turn/start(message) user/message(b) step/start
			request/header(initial) request/sent assistant/message(ok) step/end turn/end=completed`)
	})
	// decision: observers are told on goroutines of their own and decide nothing, so
	// one that panics at any event harms no turn.
	for number, kind := range map[string]string{"S21": "step/end", "S37": "turn/start step/start step/end turn/end"} {
		numbered(t, number+" an observer that panics at "+kind, func(c *rig) {
			var seen []string
			c.observers = []func(event.Event){
				func(e event.Event) {
					if strings.Contains(kind, e.Type) {
						panic("observer")
					}
				},
				func(e event.Event) { seen = append(seen, e.Type) },
			}
			c.start()
			c.ends("a", "completed")
			c.ends("b", "completed")
			if got := types(c.events()); got != strings.Join(seen, " ") {
				c.t.Errorf("the second observer saw %v", seen)
			}
		})
	}
	numbered(t, "S24 a model that fails is an error of its step", func(c *rig) {
		c.answers(fails(errors.New("script exhausted")))
		c.start()
		if end := c.say("a"); reason(end) != "error@1:UNKNOWN" || end.Message != "script exhausted" {
			c.t.Errorf("%+v", end)
		}
		c.ends("b", "completed")
	})
	numbered(t, "S25 the log alone derives the history of the session", func(c *rig) {
		c.answers(ls("c1"))
		c.tools = &tools{}
		c.start()
		c.say("a")
		c.inject("fact")
		c.say("b")
		c.events() // holds every case to it
		if n := len(c.s.State.History().Messages); n != 7 {
			c.t.Errorf("history of %d messages", n)
		}
	})
	numbered(t, "S29 a failing continuation is an error and the next turn works", func(c *rig) {
		first := true
		c.seams = continuation(func(context.Context, engine.Step, bool) (engine.ContinueDecision, error) {
			if first {
				first = false
				return engine.ContinueDecision{}, boom
			}
			return engine.ContinueDecision{}, nil
		})
		c.start()
		c.ends("a", "error@1:UNKNOWN")
		c.ends("b", "completed")
	})
	// decision: what cannot be made durable must not go on: the instance ends with the
	// error, which everybody is told who talks to it.
	numbered(t, "S30 a log that cannot be made durable ends the instance", func(c *rig) {
		c.w.files = &syncing{fail: 2}
		c.start()
		c.send("a")
		_, err := c.i.Wait(context.Background())
		if err == nil || !strings.Contains(err.Error(), "the disk is gone") || msg.CodeOf(err) != msg.CodeLogWrite {
			c.t.Errorf("wait: %v", err)
		}
		if again := c.i.Send(text("b")); again == nil || msg.CodeOf(again) != msg.CodeLogWrite {
			c.t.Errorf("send: %v", again)
		}
		if again := c.i.Dispose(); again == nil || msg.CodeOf(again) != msg.CodeLogWrite {
			c.t.Errorf("dispose: %v", again)
		}
		c.ended = true
	})
	numbered(t, "S44 a panic has the code UNKNOWN and its value as message", func(c *rig) {
		c.seams = preStep(func(context.Context, engine.Step) error { panic("a string") })
		c.start()
		if end := c.say("a"); reason(end) != "error@1:UNKNOWN" || end.Message != "panic: a string" {
			c.t.Errorf("%+v", end)
		}
	})
	numbered(t, "S45 the code of a provider's error is that of the turn", func(c *rig) {
		c.answers(fails(&msg.Error{Code: "RATE_LIMITED", Message: "slow down"}))
		c.start()
		c.ends("a", "error@1:RATE_LIMITED")
	})
	// decision: the caller of Inject is told.
	numbered(t, "S49 an injection that cannot be made durable is an error of the call", func(c *rig) {
		c.w.files = &syncing{fail: 3}
		c.start()
		c.say("a")
		if err := c.i.Inject(note("fact")); err == nil || msg.CodeOf(err) != msg.CodeLogWrite {
			c.t.Errorf("inject: %v", err)
		}
		c.send("b")
		if _, err := c.i.Wait(context.Background()); err == nil {
			c.t.Error("the instance goes on with a log that is broken")
		}
		c.ended = true
		if err := c.i.Dispose(); err == nil {
			c.t.Error("the disposal says nothing")
		}
	})
	// decision: an observer that panics is isolated.
	numbered(t, "S51 an observer that panics at the end of an injection", func(c *rig) {
		c.observers = []func(event.Event){func(e event.Event) { panic("observer") }}
		f := &syncing{}
		c.w.files = f
		c.start()
		c.inject("fact")
		c.log("turn/start(injection) context/message(fact) turn/end=completed")
		if f.n != 0 {
			c.t.Errorf("%d syncs of a log that was made durable when it appeared", f.n)
		}
	})
	// decision: connecting comes before logging, so the log names no request that
	// could not leave.
	numbered(t, "X16 a provider that cannot be reached: no header is logged", func(c *rig) {
		c.client = func() (provider.Client, error) { return nil, &msg.Error{Code: "NO_ADAPTER", Message: "no adapter"} }
		c.start()
		c.ends("a", "error@1:NO_ADAPTER")
		c.log("turn/start(message) user/message(a) step/start step/end turn/end=error@1:NO_ADAPTER")
	})
	// decision: an observer cannot keep an event from the log or from another observer.
	numbered(t, "X23 a panicking observer makes no gap in the log", func(c *rig) {
		c.observers = []func(event.Event){func(e event.Event) { panic("observer") }}
		c.start()
		c.ends("a", "completed")
		c.ends("b", "completed")
		for n, e := range c.events() {
			if e.Seq != int64(n) {
				c.t.Errorf("event %d has seq %d", n, e.Seq)
			}
		}
	})
}
