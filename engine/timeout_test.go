package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/hook"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/provider"
)

func limits(turn, tool time.Duration) func(*config.Agent) {
	return func(a *config.Agent) { a.TurnTimeout.V, a.ToolTimeout.V = turn, tool }
}

// await sends a prompt and waits as long as it takes, in fake time.
func await(t *testing.T, i *engine.Instance, s string) event.EndReason {
	t.Helper()
	if err := i.Send(text(s)); err != nil {
		t.Fatal(err)
	}
	end, err := i.Wait(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// stall says half an answer and hangs until it is cancelled.
func stall(ctx context.Context, yield func(msg.Chunk, error) bool) {
	if yield(msg.TextDelta{Text: "half"}, nil) {
		<-ctx.Done()
		yield(nil, context.Cause(ctx))
	}
}

// A turn that takes too long ends with its code: text that streamed is kept, the
// clock of the next turn begins anew, and what was sent meanwhile is not lost.
func TestTurnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		slow := func(ctx context.Context, yield func(msg.Chunk, error) bool) {
			time.Sleep(59 * time.Second)
			say("slow")(ctx, yield)
		}
		m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){slow, stall, slow, slow}}
		s := w.create()
		i := w.start(w.agent(limits(time.Minute, 0), nil, nil), s, m)
		if end := await(t, i, "one"); end.Kind != event.EndCompleted {
			t.Errorf("within the limit: %+v", end)
		}
		time.Sleep(time.Hour) // an idle session is no slow turn
		begin := time.Now()
		end := await(t, i, "two")
		want := event.EndReason{Kind: event.EndError, Step: 1, Code: msg.CodeTurnTimeout, Message: "the turn reached its limit of 1m (turn_timeout in the agent's limits)"}
		if end != want || time.Since(begin) != time.Minute {
			t.Errorf("%+v after %v", end, time.Since(begin))
		}
		if err := i.Send(text("three")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if end := await(t, i, "four"); end.Kind != event.EndCompleted {
			t.Errorf("two turns in a row, each within the limit: %+v", end)
		}
		i.Dispose()
		scan := w.scan(s, 4)
		if !strings.Contains(m.bodies[2], `{"role":"assistant","content":"half"}`) {
			t.Errorf("what streamed is lost: %s", m.bodies[2])
		}
		if got := types(scan.Events); strings.Count(got, "turn/end") != 4 {
			t.Errorf("events %s", got)
		}
	})
}

// Wherever the time runs out, every call has a result and no prompt is lost.
func TestTurnTimeoutWindows(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*engine.Options)
		want   string // events between turn/start and turn/end
	}{
		"prompt submit": {func(o *engine.Options) {
			o.Seams.PromptSubmit = append(o.Seams.PromptSubmit, func(ctx context.Context, _ engine.Submission) (engine.SubmitDecision, error) {
				<-ctx.Done()
				return engine.SubmitDecision{}, context.Cause(ctx)
			})
		}, "prompt/blocked"},
		"pre-step": {func(o *engine.Options) {
			o.Seams.PreStep = append(o.Seams.PreStep, func(ctx context.Context, _ engine.Step) error {
				<-ctx.Done()
				return context.Cause(ctx)
			})
		}, "user/message"},
		"tool": {func(o *engine.Options) {
			o.Tools = &tools{run: func(ctx context.Context, _ msg.ToolCall) engine.ToolOutcome {
				<-ctx.Done()
				return engine.ToolOutcome{Content: text("half a file"), IsError: true}
			}}
		}, "user/message step/start request/header request/sent assistant/message tool/call tool/result tool/result step/end"},
		"continuation": {func(o *engine.Options) {
			o.Seams.Continuation = append(o.Seams.Continuation, func(ctx context.Context, _ engine.Step, _ bool) (engine.ContinueDecision, error) {
				<-ctx.Done()
				return engine.ContinueDecision{}, context.Cause(ctx)
			})
		}, "user/message step/start request/header request/sent assistant/message tool/call tool/result tool/call tool/result step/end"},
		"hook": {func(o *engine.Options) {
			o.Hooks = []engine.Hook{{Name: "slow", Points: []hook.Point{hook.PreToolUse}, Run: func(ctx context.Context, _ []byte) proc.Result {
				<-ctx.Done()
				return proc.Result{ExitCode: -1, Err: context.Cause(ctx)}
			}}}
		}, "user/message step/start request/header request/sent assistant/message tool/call hook/invoked hook/result tool/result tool/result step/end"},
		"client": {func(o *engine.Options) {
			o.Client = func() (provider.Client, error) {
				time.Sleep(2 * time.Minute)
				return nil, errors.New("no connection")
			}
		}, "user/message step/start step/end"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){
					callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: "{}"}, msg.ToolCall{ID: "c2", Name: "ls", Arguments: "{}"}),
				}}
				s := w.create()
				i := w.start(w.agent(limits(time.Minute, 0), nil, nil), s, m, func(o *engine.Options) { o.Tools = &tools{} }, c.change)
				if end := await(t, i, "x"); end.Kind != event.EndError || end.Code != msg.CodeTurnTimeout {
					t.Errorf("%+v", end)
				}
				i.Dispose()
				scan := w.scan(s, len(m.bodies))
				if got := types(scan.Events); got != "turn/start "+c.want+" turn/end" {
					t.Errorf("events %s", got)
				}
			})
		})
	}
}

// A disposal ends a session-start hook, and the clock of a turn does not outlive
// its instance.
func TestDisposeWhileStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var reports []error
		i := w.start(w.agent(limits(time.Minute, 0), nil, nil), w.create(), &model{}, func(o *engine.Options) {
			o.OnError = func(err error) { reports = append(reports, err) }
			o.Hooks = []engine.Hook{{Name: "slow", Points: []hook.Point{hook.SessionStart}, Run: func(ctx context.Context, _ []byte) proc.Result {
				<-ctx.Done()
				return proc.Result{ExitCode: -1, Err: context.Cause(ctx)}
			}}}
		})
		if err := i.Send(text("x")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begin := time.Now()
		if err := i.Dispose(); err != nil || time.Since(begin) != 0 || len(reports) > 0 {
			t.Errorf("%v after %v, reports %v", err, time.Since(begin), reports)
		}
	})
}

// A tool that takes too long has the result TIMEOUT, whatever it says afterwards;
// the turn goes on.
func TestToolTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){
			callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: "{}"}, msg.ToolCall{ID: "c2", Name: "ls", Arguments: "{}"}),
		}}
		s := w.create()
		first := true
		var seen []engine.ToolOutcome
		i := w.start(w.agent(limits(0, 30*time.Second), nil, nil), s, m, func(o *engine.Options) {
			o.Tools = &tools{run: func(ctx context.Context, _ msg.ToolCall) engine.ToolOutcome {
				if first {
					first = false
					<-ctx.Done()
					return engine.ToolOutcome{Content: text("half a file"), IsError: true}
				}
				time.Sleep(29 * time.Second)
				return engine.ToolOutcome{Content: text("a whole file")}
			}}
			o.Seams.PostTool = append(o.Seams.PostTool, func(_ context.Context, _ engine.Step, _ msg.ToolCall, r engine.ToolOutcome) (engine.PostDecision, error) {
				seen = append(seen, r)
				return engine.PostDecision{}, nil
			})
		})
		begin := time.Now()
		if end := await(t, i, "x"); end.Kind != event.EndCompleted || time.Since(begin) != 59*time.Second {
			t.Errorf("%+v after %v", end, time.Since(begin))
		}
		i.Dispose()
		w.scan(s, 2)
		bodyHas(t, m, 1, `"tool_call_id":"c1","content":"Error: the tool took longer than 30s (tool_timeout in the agent's limits)"`, `"tool_call_id":"c2","content":"a whole file"`)
		if e, ok := seen[0].Error.Get(); !ok || e.Code != msg.CodeTimeout || seen[1].IsError {
			t.Errorf("%+v", seen)
		}
	})
}
