package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// waiting waits for quiet on a goroutine of its own; the result reports whether it
// is over.
func (c *rig) waiting() (over func() bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := c.i.Wait(context.Background()); err != nil {
			c.t.Error(err)
		}
	}()
	synctest.Wait()
	return func() bool {
		synctest.Wait()
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
}

// quiet waits for the end of everything and returns the last turn's.
func (c *rig) quiet() event.EndReason {
	c.t.Helper()
	end, err := c.i.Wait(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	return end
}

// Cancel, disposal and waiting.
func TestSpecWindows(t *testing.T) {
	numbered(t, "L26 send, wait and cancel in one tick: the wait is over and nothing ran", func(c *rig) {
		c.hold()
		c.send("a")
		over := c.waiting()
		c.i.Cancel("")
		c.release()
		if !over() {
			c.t.Error("still waiting")
		}
		c.log("")
	})
	numbered(t, "L27 a cancel of a hanging step has the caller's reason", func(c *rig) {
		c.answers(stall)
		c.start()
		c.send("a")
		synctest.Wait()
		c.i.Cancel("mid-step")
		if end := c.quiet(); reason(end) != "aborted:mid-step" {
			c.t.Errorf("%+v", end)
		}
		// decision: text that streamed before a cancel is kept.
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message(half,interrupted)
			step/end turn/end=aborted:mid-step`)
	})
	numbered(t, "L28 a cancel without a reason is called cancelled, everywhere", func(c *rig) {
		c.answers(ls("c1"))
		var cause error
		c.tools = &tools{run: func(ctx context.Context, _ msg.ToolCall) engine.ToolOutcome {
			c.i.Cancel("")
			cause = context.Cause(ctx)
			return engine.ToolOutcome{Content: text("files")}
		}}
		c.start()
		c.ends("a", "aborted:cancelled")
		if cause == nil || cause.Error() != "cancelled" {
			c.t.Errorf("the tool was told %v", cause)
		}
	})
	numbered(t, "L36 a cancel in the continuation wins over its vote to go on", func(c *rig) {
		c.seams = continuation(func(context.Context, engine.Step, bool) (engine.ContinueDecision, error) {
			c.i.Cancel("enough")
			return engine.ContinueDecision{Decided: true, Continue: true, Reason: text("go on"), Source: event.PluginSource("p")}, nil
		})
		c.start()
		c.ends("a", "aborted:enough")
		c.requests(1)
	})
	numbered(t, "L39 send A, wait, cancel, send B in one tick: the wait is over after B", func(c *rig) {
		c.hold()
		c.answers(stall)
		c.send("A")
		over := c.waiting()
		c.i.Cancel("")
		c.send("B")
		c.release()
		if over() {
			c.t.Error("the wait was over before B had run")
		}
		c.i.Cancel("enough")
		if !over() {
			c.t.Error("still waiting")
		}
		c.log(`turn/start(message) user/message(B) step/start request/header(initial) request/sent assistant/message(half,interrupted)
			step/end turn/end=aborted:enough`)
	})
	numbered(t, "L40 a cancel drops the steering that waits", func(c *rig) {
		c.answers(stall)
		c.start()
		c.send("a")
		synctest.Wait()
		c.steer("aside")
		c.i.Cancel("")
		c.quiet()
		if log := trace(c.events()); strings.Contains(log, "aside") || c.count("turn/start") != 1 {
			c.t.Error(log)
		}
	})
	numbered(t, "X11 a cancel inside a request seam: the header is logged, nothing is read", func(c *rig) {
		c.seams = request(func(_ context.Context, _ engine.Step, call msg.CallConfig) (msg.CallConfig, error) {
			c.i.Cancel("not now")
			return call, nil
		})
		c.start()
		c.ends("a", "aborted:not now")
		c.log("turn/start(message) user/message(a) step/start request/header(initial) request/sent step/end turn/end=aborted:not now")
	})
	// decision: every call of a step gets a result.
	numbered(t, "X12 a cancel inside tool 1 of 2 leaves no call unanswered", func(c *rig) {
		c.answers(ls("c1", "c2"))
		c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
			c.i.Cancel("enough")
			return engine.ToolOutcome{Content: text("files")}
		}}
		c.start()
		c.ends("a", "aborted:enough")
		c.say("b")
		c.has(2, `"tool_call_id":"c1","content":"files"`, `"tool_call_id":"c2","content":"Error: the tool call was not run: enough"`)
	})
	numbered(t, "X14 a disposal right after send leaves nothing", func(c *rig) {
		c.hold()
		c.send("a")
		go c.i.Dispose()
		synctest.Wait()
		c.release()
		c.requests(0)
		c.log("")
	})
	numbered(t, "X26 what is said after a cancel to the turn that still runs starts the next one", func(c *rig) {
		c.answers(func(ctx context.Context, yield func(msg.Chunk, error) bool) {
			<-ctx.Done()
			c.steer("and now")
			yield(nil, context.Cause(ctx))
		})
		c.start()
		c.send("a")
		synctest.Wait()
		c.i.Cancel("enough")
		c.quiet()
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent step/end turn/end=aborted:enough
			turn/start(message) user/message(and now) step/start request/sent assistant/message(ok) step/end turn/end=completed`)
	})
	numbered(t, "S27 abort inside tool 1 of 2: only tool 1 ran, one request", func(c *rig) {
		c.answers(ls("c1", "c2"))
		ts := &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
			c.i.Cancel("")
			return engine.ToolOutcome{Content: text("files")}
		}}
		c.tools = ts
		c.start()
		c.ends("a", "aborted:cancelled")
		c.requests(1)
		if len(ts.ran) != 1 {
			c.t.Errorf("%d tools ran", len(ts.ran))
		}
		// decision: the call that was skipped has an error result.
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message() tool/call(c1)
			tool/result(c1) tool/result(c2,cancelled) step/end turn/end=aborted:cancelled`)
	})
	numbered(t, "S31 a disposal ends the running turn as disposed", func(c *rig) {
		c.answers(stall)
		c.start()
		c.send("a")
		synctest.Wait()
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message(half,interrupted)
			step/end turn/end=disposed`)
	})
	numbered(t, "S38 a failure that a disposal brought about is a disposal", func(c *rig) {
		c.seams = preStep(func(ctx context.Context, _ engine.Step) error {
			c.disposing(ctx)
			return errors.New("boom")
		})
		c.start()
		c.say("a")
		c.log("turn/start(message) user/message(a) turn/end=disposed")
		if len(c.reports) > 0 {
			c.t.Errorf("reports %q", c.reports)
		}
	})
	for where, place := range map[string]func(c *rig, f func(context.Context)){
		"in assembly": func(c *rig, f func(context.Context)) {
			c.system = []msg.Contributor{func(ctx context.Context, next func(context.Context) (msg.Composition, error)) (msg.Composition, error) {
				f(ctx)
				return next(ctx)
			}}
		},
		"in pre-step": func(c *rig, f func(context.Context)) {
			c.seams = preStep(func(ctx context.Context, _ engine.Step) error { f(ctx); return nil })
		},
	} {
		numbered(t, "S41 a cancel "+where+": no step", func(c *rig) {
			place(c, func(context.Context) { c.i.Cancel("why") })
			c.start()
			c.ends("a", "aborted:why")
			c.log("turn/start(message) user/message(a) turn/end=aborted:why")
		})
		numbered(t, "S41 a disposal "+where+": no step", func(c *rig) {
			place(c, c.disposing)
			c.start()
			c.say("a")
			c.log("turn/start(message) user/message(a) turn/end=disposed")
		})
	}
	numbered(t, "S52 a second disposal is harmless, also while the first one runs", func(c *rig) {
		c.answers(stall)
		c.start()
		c.send("a")
		synctest.Wait()
		go c.i.Dispose()
		for range 2 {
			if err := c.i.Dispose(); err != nil {
				c.t.Error(err)
			}
		}
	})
	numbered(t, "S53 waiting for what is idle, queued, running and ended", func(c *rig) {
		c.hold()
		idle := c.waiting()
		if !idle() {
			c.t.Error("an idle instance is waited for")
		}
		c.send("a")
		queued := c.waiting()
		if queued() {
			c.t.Error("a queued prompt is not waited for")
		}
		c.answers(stall)
		c.release()
		running := c.waiting()
		if queued() || running() {
			c.t.Error("a running turn is not waited for")
		}
		if err := c.i.Dispose(); err != nil {
			c.t.Error(err)
		}
		if !queued() || !running() {
			c.t.Error("the disposal does not end the waiting")
		}
		if end := c.quiet(); end.Kind != event.EndDisposed {
			c.t.Errorf("after the end: %+v", end)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("tired"))
		if _, err := c.i.Wait(ctx); err != nil {
			c.t.Errorf("what has ended needs no waiting: %v", err)
		}
	})
	numbered(t, "X15 an injection while a turn is made durable is a turn of its own", func(c *rig) {
		f := &syncing{at: func(n int) {
			if n == 2 { // the one of turn/end; the first is before the request
				go c.inject("late")
			}
		}}
		c.w.files = f
		c.start()
		c.say("a")
		synctest.Wait()
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message(ok) step/end turn/end=completed
			turn/start(injection) context/message(late) turn/end=completed`)
	})
}
