package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/hook"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/wire"
)

// broken is a tool set that cannot be told to a model, until it is mended.
type broken struct{ mended bool }

func (b *broken) Schemas() []msg.Tool {
	if b.mended {
		return nil
	}
	return []msg.Tool{{Name: "ls", Parameters: "{"}}
}

func (b *broken) Run(context.Context, msg.ToolCall) engine.ToolOutcome { panic("nobody calls") }

// What a program around the engine hands in and the log cannot record is an error
// where it was handed in: the turn ends or the call fails, and the next turn works.
func TestNothingUnloggableGetsIn(t *testing.T) {
	bare := []event.ContextMessage{{Content: text("x")}}
	call := func(change func(*msg.CallConfig)) func(c *rig) {
		return func(c *rig) {
			c.seams = request(func(_ context.Context, s engine.Step, call msg.CallConfig) (msg.CallConfig, error) {
				if s.Turn == 1 {
					change(&call)
				}
				return call, nil
			})
		}
	}
	for name, one := range map[string]struct {
		with func(c *rig)
		want string // the end of the first turn
	}{
		"context of prompt submit": {func(c *rig) {
			c.seams = submit(func(_ context.Context, p engine.Submission) (engine.SubmitDecision, error) {
				if p.Turn == 1 {
					return engine.SubmitDecision{Context: bare}, nil
				}
				return engine.SubmitDecision{}, nil
			})
		}, "error@0:UNKNOWN"},
		"context of session start": {func(c *rig) {
			c.seams.SessionStart = append(c.seams.SessionStart, func(context.Context, engine.SessionStart) ([]event.ContextMessage, error) {
				return bare, nil
			})
		}, "completed"},
		"context of a tool": {func(c *rig) {
			c.answers(ls("c1"))
			c.tools = &tools{}
			c.seams = postTool(func(context.Context, msg.ToolCall, engine.ToolOutcome) (engine.PostDecision, error) {
				return engine.PostDecision{Context: bare}, nil
			})
		}, "completed"},
		"meta of a tool": {func(c *rig) {
			c.answers(ls("c1"))
			c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome { return engine.ToolOutcome{Meta: "{"} }}
		}, "completed"},
		"name of a tool's failure": {func(c *rig) {
			c.answers(ls("c1"))
			c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
				return engine.ToolOutcome{IsError: true, Error: msg.Some(event.ResultError{Name: "\xff"})}
			}}
		}, "completed"},
		"schema of a tool": {func(c *rig) {
			b := &broken{}
			c.tools = b
			c.seams = submit(func(_ context.Context, p engine.Submission) (engine.SubmitDecision, error) {
				b.mended = p.Turn > 1
				return engine.SubmitDecision{}, nil
			})
		}, "error@1:UNKNOWN"},
		"reason to go on": {func(c *rig) {
			c.seams = continuation(func(_ context.Context, s engine.Step, _ bool) (engine.ContinueDecision, error) {
				return engine.ContinueDecision{Decided: s.Turn == 1, Continue: true, Reason: text("x")}, nil
			})
			c.seams.Continuation = append([]func(context.Context, engine.Step, bool) (engine.ContinueDecision, error){
				func(_ context.Context, s engine.Step, _ bool) (engine.ContinueDecision, error) {
					return engine.ContinueDecision{Decided: s.Turn > 1}, nil
				}}, c.seams.Continuation...)
		}, "error@1:UNKNOWN"},
		"temperature":       {call(func(c *msg.CallConfig) { c.Temperature = msg.Some("hot") }), "error@1:UNKNOWN"},
		"name of the model": {call(func(c *msg.CallConfig) { c.Model = "\xff" }), "error@1:UNKNOWN"},
		"stop":              {call(func(c *msg.CallConfig) { c.Stop = []string{"\xff"} }), "error@1:UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &rig{t: t, w: newWorld(t), m: &model{}}
				one.with(c)
				c.start()
				c.ends("a", one.want)
				c.ends("b", "completed")
				c.events()
				if name == "context of session start" && (len(c.reports) != 1 || !strings.Contains(c.reports[0], "no source")) {
					t.Errorf("reports %q", c.reports)
				}
			})
		})
	}
}

// Those who watch an instance on its own goroutine cannot bring it down.
func TestWatchersThatPanic(t *testing.T) {
	for name, change := range map[string]func(*engine.Options, func(string)){
		"OnFrozen": func(o *engine.Options, boom func(string)) { o.OnFrozen = func(engine.Frozen) { boom("OnFrozen") } },
		"OnRequest": func(o *engine.Options, boom func(string)) {
			o.OnRequest = func(int64, int64, wire.Body) { boom("OnRequest") }
		},
		"OnChunk": func(o *engine.Options, boom func(string)) { o.OnChunk = func(msg.Chunk) { boom("OnChunk") } },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			m := &model{}
			s := w.create()
			first := true
			i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) {
				change(o, func(what string) {
					if first {
						first = false
						panic(what)
					}
				})
			})
			if end := send(t, i, "a"); end.Kind != event.EndError || end.Message != "panic: "+name {
				t.Errorf("%+v", end)
			}
			if end := send(t, i, "b"); end.Kind != event.EndCompleted {
				t.Errorf("%+v", end)
			}
			if err := i.Dispose(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What is decided for one turn does not reach the next one, and a change of a source
// is told, also when the next turn begins at once.
func TestTurnsBackToBack(t *testing.T) {
	t.Run("halt", func(t *testing.T) {
		w := newWorld(t)
		m := &model{}
		s := w.create()
		var i *engine.Instance
		first := true
		m.answers = []answer{ls("c1"), ls("c2")}
		var in []string
		i = w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) {
			o.Tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
				if first {
					if err := i.Send(text("b")); err != nil {
						t.Error(err)
					}
				}
				return engine.ToolOutcome{Content: text("files")}
			}}
			h := scriptedHook("halt", []hook.Point{hook.PostToolUse}, "", &in, says(`{"continue":false}`))
			run := h.Run
			h.Run = func(ctx context.Context, input []byte) (r proc.Result) {
				if first {
					first = false
					return run(ctx, input)
				}
				return r
			}
			o.Hooks = []engine.Hook{h}
		})
		send(t, i, "a")
		i.Dispose()
		w.scan(s, 3) // one of turn a, which was halted, two of turn b
	})
	t.Run("notice", func(t *testing.T) {
		w := newWorld(t)
		m := &model{}
		src := &source{content: "old"}
		s := w.create()
		var i *engine.Instance
		m.answers = []answer{func(ctx context.Context, yield func(msg.Chunk, error) bool) {
			src.content = "new"
			if err := i.Send(text("b")); err != nil {
				t.Error(err)
			}
			say("ok")(ctx, yield)
		}}
		i = w.start(w.watched("recompose", "notice", src), s, m)
		send(t, i, "a")
		i.Dispose()
		w.scan(s, 2)
		bodyHas(t, m, 1, "file.rules has changed")
	})
}
