package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Session start, prompts and context: what enters a session and how.
func TestSpecPrompts(t *testing.T) {
	rewrite := func(context.Context, engine.Submission) (engine.SubmitDecision, error) {
		return engine.SubmitDecision{Content: msg.Some(text("REWRITTEN"))}, nil
	}
	numbered(t, "L2 a rewritten prompt is all that log and request hold", func(c *rig) {
		c.seams = submit(rewrite)
		c.start()
		c.say("original")
		for _, e := range c.events() {
			if m, ok := e.Message(); ok && m.Content.Text() == "original" {
				c.t.Errorf("the log has it: %s", e.Line())
			}
		}
		c.has(1, `"content":"REWRITTEN"`)
		c.lacks(1, "original")
	})
	numbered(t, "L3 context of prompt submit is a message of its own in the first request", func(c *rig) {
		c.seams = submit(func(context.Context, engine.Submission) (engine.SubmitDecision, error) {
			return engine.SubmitDecision{Context: []event.ContextMessage{note("extra")}}, nil
		})
		c.start()
		c.say("hi")
		c.log(`turn/start(message) user/message(hi) context/message(extra) step/start request/header(initial) request/sent
			assistant/message(ok) step/end turn/end=completed`)
		if got := c.events()[2].Data.Get("source").Raw(); got != `{"kind":"plugin","plugin":"test"}` {
			c.t.Errorf("source %s", got)
		}
		c.has(1, `extra</context>`)
	})
	numbered(t, "L4 pre-step of step 1 comes after rewrite and context", func(c *rig) {
		c.seams = submit(func(context.Context, engine.Submission) (engine.SubmitDecision, error) {
			return engine.SubmitDecision{Content: msg.Some(text("REWRITTEN")), Context: []event.ContextMessage{note("extra")}}, nil
		})
		c.seams.PreStep = preStep(func(context.Context, engine.Step) error {
			if n := len(c.s.State.History().Messages); n != 2 {
				c.t.Errorf("history of %d messages", n)
			}
			return nil
		}).PreStep
		c.start()
		c.say("original")
		c.has(1, "REWRITTEN", "extra")
		c.lacks(1, "original")
	})
	numbered(t, "L6 one of two prompts blocked", func(c *rig) {
		c.seams = submit(func(_ context.Context, p engine.Submission) (engine.SubmitDecision, error) {
			return engine.SubmitDecision{Block: p.Content.Text() == "secret", Reason: "policy"}, nil
		})
		c.hold()
		c.send("secret")
		c.send("safe")
		c.release()
		c.log(`turn/start(message) prompt/blocked(policy) user/message(safe) step/start request/header(initial) request/sent
			assistant/message(ok) step/end turn/end=completed`)
		c.lacks(1, "secret")
	})
	numbered(t, "L7 a prompt-submit seam that fails once ends that turn only", func(c *rig) {
		first := true
		c.seams = submit(func(context.Context, engine.Submission) (engine.SubmitDecision, error) {
			if first {
				first = false
				return engine.SubmitDecision{}, errors.New("prompt hook broke")
			}
			return engine.SubmitDecision{}, nil
		})
		c.start()
		if end := c.say("a"); reason(end) != "error@0:UNKNOWN" || end.Message != "prompt hook broke" {
			c.t.Errorf("%+v", end)
		}
		c.ends("b", "completed")
		c.log(`turn/start(message) turn/end=error@0:UNKNOWN turn/start(message) user/message(b) step/start request/header(initial)
			request/sent assistant/message(ok) step/end turn/end=completed`)
	})
	// decision: session start runs on the instance's goroutine before the first turn,
	// not inside the call that creates the instance.
	numbered(t, "L8 session start comes once, before any turn", func(c *rig) {
		var order []string
		c.seams = submit(func(_ context.Context, p engine.Submission) (engine.SubmitDecision, error) {
			order = append(order, p.Content.Text())
			return engine.SubmitDecision{}, nil
		})
		c.seams.SessionStart = append(c.seams.SessionStart, func(_ context.Context, s engine.SessionStart) ([]event.ContextMessage, error) {
			order = append(order, fmt.Sprintf("start of %s resumed=%v", s.SessionID, s.Resumed))
			return nil, nil
		})
		c.start()
		c.say("a")
		c.say("b")
		if got := fmt.Sprint(order); got != "[start of s1 resumed=false a b]" {
			c.t.Errorf("order %s", got)
		}
	})
	numbered(t, "L10 a session start that fails ends nothing", func(c *rig) {
		c.seams.SessionStart = append(c.seams.SessionStart, func(context.Context, engine.SessionStart) ([]event.ContextMessage, error) {
			return nil, errors.New("start broke")
		})
		c.start()
		c.ends("a", "completed")
		c.requests(1)
		if fmt.Sprint(c.reports) != "[start broke]" {
			c.t.Errorf("reports %q", c.reports)
		}
	})
	numbered(t, "L8 what session start says waits for the first prompt that gets in", func(c *rig) {
		broken := true
		c.seams = submit(func(_ context.Context, p engine.Submission) (engine.SubmitDecision, error) {
			if p.Content.Text() == "fails" && broken {
				return engine.SubmitDecision{}, errors.New("boom")
			}
			return engine.SubmitDecision{Block: p.Content.Text() == "blocked", Context: []event.ContextMessage{note("extra")}}, nil
		})
		c.seams.SessionStart = append(c.seams.SessionStart, func(context.Context, engine.SessionStart) ([]event.ContextMessage, error) {
			return []event.ContextMessage{note("welcome")}, nil
		})
		c.start()
		c.say("blocked")
		c.say("fails")
		c.say("a")
		c.say("b")
		c.log(`turn/start(message) prompt/blocked() turn/end=rejected turn/start(message) turn/end=error@0:UNKNOWN
			turn/start(message) user/message(a) context/message(welcome) context/message(extra) step/start request/header(initial) request/sent
			assistant/message(ok) step/end turn/end=completed
			turn/start(message) user/message(b) context/message(extra) step/start request/sent assistant/message(ok) step/end turn/end=completed`)
	})
	// decision: an injection without a source is an error of the call; sources and
	// content are encoded when they are made.
	numbered(t, "S42 what has no source that can be logged leaves nothing", func(c *rig) {
		c.start()
		for _, source := range []event.Source{{}, event.PluginSource("\xff")} {
			if err := c.i.Inject(event.ContextMessage{Content: text("x"), Source: source}); err == nil {
				c.t.Error("it was logged")
			}
		}
		c.ends("a", "completed")
		if c.count("turn/start") != 1 {
			c.t.Error(trace(c.events()))
		}
	})
	policy := submit(func(_ context.Context, p engine.Submission) (engine.SubmitDecision, error) {
		return engine.SubmitDecision{Block: p.Content.Text() == "rm", Reason: "destructive prompt blocked"}, nil
	})
	numbered(t, "L22 a forbidden prompt alone is a rejected turn", func(c *rig) {
		composed := 0
		c.seams, c.prefix = policy, []msg.Contributor{counting(&composed, "opener")}
		c.start()
		c.ends("rm", "rejected:destructive prompt blocked")
		c.requests(0)
		if c.log("turn/start(message) prompt/blocked(destructive prompt blocked) turn/end=rejected:destructive prompt blocked"); composed != 0 {
			c.t.Error("a rejected turn composed")
		}
	})
	numbered(t, "L23 without the policy the same prompt runs", func(c *rig) {
		c.start()
		c.ends("rm", "completed")
		c.requests(1)
	})
	numbered(t, "L24 a cancel with nothing to do has no effect on what comes", func(c *rig) {
		c.start()
		if c.i.Cancel("early") {
			c.t.Error("there was something to cancel")
		}
		c.ends("a", "completed")
	})
	numbered(t, "S11 steering while idle is a prompt", func(c *rig) {
		c.start()
		c.steer("hi")
		if _, err := c.i.Wait(context.Background()); err != nil {
			c.t.Fatal(err)
		}
		c.log(`turn/start(message) user/message(hi) step/start request/header(initial) request/sent assistant/message(ok) step/end turn/end=completed`)
	})
	numbered(t, "S12 an injection while idle is a turn without a model call", func(c *rig) {
		c.start()
		c.inject("fact")
		c.requests(0)
		c.say("hi")
		c.log(`turn/start(injection) context/message(fact) turn/end=completed turn/start(message) user/message(hi) step/start
			request/header(initial) request/sent assistant/message(ok) step/end turn/end=completed`)
		c.has(1, `<context source=\"plugin\">fact</context>`)
	})
	numbered(t, "S13 an injection inside a tool joins the open turn", func(c *rig) {
		c.answers(ls("c1"))
		c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
			c.inject("fact")
			return engine.ToolOutcome{Content: text("files")}
		}}
		c.start()
		c.say("hi")
		if n := c.count("turn/start"); n != 1 {
			c.t.Errorf("%d turns", n)
		}
		c.has(2, "fact</context>")
	})
	numbered(t, "S47 nothing can be said to an instance that has ended", func(c *rig) {
		c.start()
		c.say("hi")
		c.events()
		for name, err := range map[string]error{"send": c.i.Send(text("x")), "steer": c.i.Steer(text("x")), "inject": c.i.Inject(note("x"))} {
			if !errors.Is(err, engine.ErrDisposed) {
				c.t.Errorf("%s: %v", name, err)
			}
		}
	})
	numbered(t, "S48 whether an injection joins a turn is read from the log", func(c *rig) {
		// The instance runs, and no turn is open: between the status and turn/start.
		c.hold()
		c.send("hi") // queued, so the instance is busy
		c.inject("before")
		c.release()
		c.answers(func(ctx context.Context, yield func(msg.Chunk, error) bool) {
			c.inject("inside")
			say("ok")(ctx, yield)
		})
		c.say("next")
		c.log(`turn/start(injection) context/message(before) turn/end=completed
			turn/start(message) user/message(hi) step/start request/header(initial) request/sent assistant/message(ok) step/end turn/end=completed
			turn/start(message) user/message(next) step/start request/sent context/message(inside) assistant/message(ok) step/end turn/end=completed`)
		c.lacks(2, "inside")
	})
	numbered(t, "S56 a burst is one turn, prompts one after the other are turns 1 to N", func(c *rig) {
		c.hold()
		for _, s := range []string{"a", "b", "c"} {
			c.send(s)
		}
		c.release()
		c.say("d")
		c.say("e")
		if got := c.count("turn/start"); got != 3 {
			c.t.Errorf("%d turns", got)
		}
		c.has(1, `{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"user","content":"c"}`)
	})
}

// counting is a contributor that counts how often it is asked.
func counting(n *int, content string) msg.Contributor {
	return func(ctx context.Context, next func(context.Context) (msg.Composition, error)) (msg.Composition, error) {
		*n++
		return contributor("text.counting", content)(ctx, next)
	}
}
