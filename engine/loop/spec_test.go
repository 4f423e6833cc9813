package loop_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/loop"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// The numbered cases of spec/loop.md section 9 that are about the order of things
// and about windows which only a synchronous observer could hit: here the driver is
// the observer. The others are in package engine, with the count of all.

// once calls f the first time the driver comes to a word.
func (d *driver) once(at string, f func() loop.Result) {
	before, done := d.at, false
	d.at = func(w string) loop.Result {
		if w == at && !done {
			done = true
			return f()
		}
		if before != nil {
			return before(w)
		}
		return nil
	}
}

// told is what the log says in words, event by event.
func (d *driver) told() string {
	var out []string
	for _, e := range d.events {
		if !event.IsSurfaceType(e.Type) && e.Type != "prompt/blocked" {
			continue
		}
		c, err := msg.ParseContent(e.Data.Get("content"))
		if err != nil {
			d.t.Fatal(err)
		}
		out = append(out, e.Type+":"+c.Text())
	}
	return strings.Join(out, " ")
}

// from is a prompt of a part of the program.
func from(t *testing.T, plugin, text string) loop.Prompt {
	p := prompt(t, text)
	p.Source = event.PluginSource(plugin)
	return p
}

const (
	begun    = "[running] turn/start [submit] user/message [compose] "
	finished = " [flush] [idle] [park]"
)

func check(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSpecWindows(t *testing.T) {
	t.Run("L34 a cancel when step/start is observed closes the step and asks no model", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("logged step/start", func() loop.Result { d.m.Cancel("not now"); return nil })
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+"[prestep] step/start step/end turn/end=aborted:not now"+finished)
	})
	t.Run("L35 a disposal when step/start is observed closes the step and asks no model", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("logged step/start", func() loop.Result { d.m.Dispose(); return nil })
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+"[prestep] step/start step/end turn/end=disposed [flush] [exit]")
	})
	t.Run("L38 A cancelled and B sent while the status changes: B runs, A leaves nothing", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("running", func() loop.Result { d.m.Cancel(""); d.m.Send(prompt(t, "B")); return nil })
		d.m.Send(prompt(t, "A"))
		check(t, d.run(), begun+oneStep+" turn/end=completed"+finished)
		check(t, d.told(), "user/message:B assistant/message:ok")
	})
	// decision: text that streamed before a cancel is kept.
	t.Run("L27 a cancel that cuts step result off keeps the answer's text", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.answers = []loop.Answered{{Content: content(t, msg.Text{Text: "whole"}, msg.ToolCall{ID: "a", Name: "t"}), Finish: msg.Finish{Kind: msg.FinishToolCalls}}}
		d.once("stepresult", func() loop.Result { d.m.Cancel("why"); return loop.Rewritten{Err: errors.New("cut")} })
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+"[prestep] step/start [send] [stepresult] assistant/message(interrupted) step/end turn/end=aborted:why"+finished)
		check(t, d.told(), "user/message:a assistant/message:whole")
	})
	t.Run("S41 a cancel when steering is logged before a step: no step", func(t *testing.T) {
		for _, composed := range []bool{false, true} {
			d := newDriver(t, loop.Limits{})
			if composed {
				d.m.Send(prompt(t, "first"))
				d.run()
			}
			d.once("submit", func() loop.Result { d.m.Steer(prompt(t, "aside")); return nil })
			d.once("logged steering/message", func() loop.Result { d.m.Cancel("why"); return nil })
			d.m.Send(prompt(t, "a"))
			check(t, d.run(), strings.TrimSuffix(begun, "[compose] ")+"[submit] steering/message turn/end=aborted:why"+finished)
		}
	})
	// decision: a cancel counts between prompts, and the rest of the batch is recorded
	// as blocked; what a person says afterwards is not lost.
	t.Run("X8 a cancel in prompt submit of a batch of two, and a late word", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("submit", func() loop.Result { d.m.Cancel("not now"); d.m.Steer(prompt(t, "late")); return nil })
		d.m.Send(prompt(t, "a"))
		d.m.Send(prompt(t, "b"))
		check(t, d.run(), "[running] turn/start [submit] user/message prompt/blocked turn/end=aborted:not now [flush] [running] "+
			"turn/start [submit] user/message [compose] "+oneStep+" turn/end=completed"+finished)
		check(t, d.told(), "user/message:a prompt/blocked:b user/message:late assistant/message:ok")
	})
	// decision: a disposal wins over a cancel in every window.
	t.Run("X10 cancel and disposal together are a disposal, in pre-step and in the continuation", func(t *testing.T) {
		for _, window := range []string{"prestep", "continue"} {
			d := newDriver(t, loop.Limits{})
			d.once(window, func() loop.Result { d.m.Cancel("why"); d.m.Dispose(); return nil })
			d.m.Send(prompt(t, "a"))
			if got := d.run(); !strings.HasSuffix(got, "["+window+"] turn/end=disposed [flush] [exit]") {
				t.Error(got)
			}
		}
	})
	t.Run("X15 what is sent or steered while a turn is made durable is the next turn, without idle between", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("flush", func() loop.Result { d.m.Send(prompt(t, "b")); d.m.Steer(prompt(t, "c")); return nil })
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+oneStep+" turn/end=completed [flush] [running] turn/start [submit] user/message [submit] user/message "+
			oneStep+" turn/end=completed"+finished)
	})
	t.Run("X15 a cancel while a turn is made durable drops what waits, and no more", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("flush", func() loop.Result {
			d.m.Send(prompt(t, "dropped"))
			d.m.Steer(prompt(t, "dropped"))
			d.m.Cancel("why")
			d.m.Send(prompt(t, "b"))
			return nil
		})
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+oneStep+" turn/end=completed [flush] [running] turn/start [submit] user/message "+oneStep+" turn/end=completed"+finished)
		check(t, d.told(), "user/message:a assistant/message:ok user/message:b assistant/message:ok")
	})
}

func TestSpecOrder(t *testing.T) {
	t.Run("S22 a prompt sent during a turn is the next turn, without idle between", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("send", func() loop.Result { d.m.Send(prompt(t, "b")); return nil })
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+oneStep+" turn/end=completed [flush] [running] turn/start [submit] user/message "+oneStep+" turn/end=completed"+finished)
	})
	t.Run("S23 a turn is durable before the session is idle, however it ended", func(t *testing.T) {
		for _, r := range []loop.Result{nil, loop.Submitted{Block: true}, loop.Submitted{Err: errors.New("boom")}} {
			d := newDriver(t, loop.Limits{})
			d.once("submit", func() loop.Result { return r })
			d.m.Send(prompt(t, "a"))
			if got := d.run(); !strings.HasSuffix(got, " [flush] [idle] [park]") {
				t.Error(got)
			}
		}
	})
	t.Run("S28 steering when step/end is observed forces a step of the same turn", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("logged step/end", func() loop.Result { d.m.Steer(prompt(t, "aside")); return nil })
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+oneStep+" [submit] steering/message "+oneStep+" turn/end=completed"+finished)
	})
	t.Run("S28 steering when turn/end is observed is the next turn's prompt", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("logged turn/end", func() loop.Result { d.m.Steer(prompt(t, "aside")); return nil })
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+oneStep+" turn/end=completed [flush] [running] turn/start [submit] user/message "+oneStep+" turn/end=completed"+finished)
	})
	t.Run("S28 steering of a step that broke off is delivered as a new turn", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("send", func() loop.Result { d.m.Steer(prompt(t, "aside")); return loop.Answered{Err: errors.New("cut")} })
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+"[prestep] step/start [send] step/end turn/end=error:UNKNOWN@1 [flush] [running] turn/start [submit] user/message "+
			oneStep+" turn/end=completed"+finished)
		check(t, d.told(), "user/message:a user/message:aside assistant/message:ok")
	})
	// decision: a turn's end always has a code; of an error without one it is UNKNOWN.
	t.Run("S35 what a provider's finish makes of a turn", func(t *testing.T) {
		for _, c := range []struct {
			finish msg.Finish
			want   event.EndReason
		}{
			{msg.Finish{Kind: msg.FinishError, Message: "provider 401", Code: "AUTH"}, event.EndReason{Kind: event.EndError, Step: 1, Message: "provider 401", Code: "AUTH"}},
			{msg.Finish{Kind: msg.FinishError, Message: "provider 500"}, event.EndReason{Kind: event.EndError, Step: 1, Message: "provider 500", Code: msg.CodeUnknown}},
			{msg.Finish{Kind: msg.FinishAborted}, event.EndReason{Kind: event.EndError, Step: 1, Message: "the provider aborted the answer", Code: msg.CodeAborted}},
		} {
			d := newDriver(t, loop.Limits{})
			d.answers = []loop.Answered{{Finish: c.finish}}
			d.m.Send(prompt(t, "a"))
			d.run()
			if got := event.ParseEndReason(d.events[len(d.events)-1].Data.Get("reason")); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		}
	})
	t.Run("S36 step/start is in the log when it is observed", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("logged step/start", func() loop.Result {
			if turn, step := d.state.Open(); turn != 1 || step != 1 || d.events[len(d.events)-1].Type != "step/start" {
				t.Errorf("turn %d, step %d", turn, step)
			}
			return nil
		})
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+oneStep+" turn/end=completed"+finished)
	})
	t.Run("S56 prompts one after the other are turns 1 to N; mixed schedules lose nothing", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		for n := range 3 {
			d.m.Send(prompt(t, fmt.Sprint(n)))
			d.run()
		}
		if d.state.LastTurn() != 3 {
			t.Errorf("turn %d", d.state.LastTurn())
		}
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 1))
			d := newDriver(t, loop.Limits{})
			var said []string
			d.at = func(string) loop.Result {
				if len(said) < 20 && r.IntN(3) == 0 {
					s := fmt.Sprintf("p%d.", len(said))
					said = append(said, s)
					if r.IntN(2) == 0 {
						d.m.Send(prompt(t, s))
					} else {
						d.m.Steer(prompt(t, s))
					}
				}
				return nil
			}
			d.m.Send(prompt(t, "first"))
			d.run()
			d.at = nil
			d.run() // what was said when it was parked already
			told := d.told()
			for _, s := range said {
				if strings.Count(told, ":"+s) != 1 {
					t.Fatalf("seed %d: %s stands %d times in the log:\n%s", seed, s, strings.Count(told, ":"+s), told)
				}
			}
		}
	})
	t.Run("S57 prompts keep their order, steering keeps its own, a cancel drops both", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("send", func() loop.Result {
			for _, s := range []string{"1", "2"} {
				d.m.Send(prompt(t, "q"+s))
				d.m.Steer(prompt(t, "s"+s))
			}
			return nil
		})
		d.m.Send(prompt(t, "a"))
		d.run()
		check(t, d.told(), "user/message:a assistant/message:ok steering/message:s1 steering/message:s2 assistant/message:ok user/message:q1 user/message:q2 assistant/message:ok")
		d = newDriver(t, loop.Limits{})
		d.once("send", func() loop.Result {
			d.m.Send(prompt(t, "q"))
			d.m.Steer(prompt(t, "s"))
			d.m.Cancel("")
			return nil
		})
		d.m.Send(prompt(t, "a"))
		d.run()
		// decision: what streamed before a cancel is kept.
		check(t, d.told(), "user/message:a assistant/message:ok")
	})
	t.Run("X18 steering inside the continuation comes before the continuation's own reason", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		d.once("continue", func() loop.Result {
			d.m.Steer(prompt(t, "aside"))
			return loop.Continued{Continue: true, Reason: content(t, msg.Text{Text: "reason"}), Source: event.PluginSource("p")}
		})
		d.m.Send(prompt(t, "a"))
		check(t, d.run(), begun+oneStep+" [submit] steering/message steering/message "+oneStep+" turn/end=completed"+finished)
		check(t, d.told(), "user/message:a assistant/message:ok steering/message:aside steering/message:reason assistant/message:ok")
	})
	t.Run("X27 a turn's trigger is the first prompt's source, and each context follows its prompt", func(t *testing.T) {
		d := newDriver(t, loop.Limits{})
		n := 0
		d.at = func(w string) loop.Result {
			if w != "submit" {
				return nil
			}
			n++
			return loop.Submitted{Context: []event.ContextMessage{{Content: content(t, msg.Text{Text: fmt.Sprint("c", n)}), Source: event.PluginSource("p")}}}
		}
		d.m.Send(from(t, "cron", "m1"))
		d.m.Send(prompt(t, "m2"))
		d.run()
		if got := d.events[0].Data.Get("trigger").Raw(); got != `{"kind":"message","source":{"kind":"plugin","plugin":"cron"}}` {
			t.Errorf("trigger %s", got)
		}
		check(t, d.told(), "user/message:m1 context/message:c1 user/message:m2 context/message:c2 assistant/message:ok")
		if at := slices.IndexFunc(d.events, func(e event.Event) bool { return e.Type == "step/start" }); at != 5 {
			t.Errorf("step/start is event %d", at)
		}
	})
}
