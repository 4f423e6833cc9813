package loop_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/loop"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// driver carries out a machine's actions in memory and writes a transcript: one
// word an event, and in brackets what else was asked for.
type driver struct {
	t       *testing.T
	m       *loop.Machine
	state   *session.State
	events  []event.Event
	words   []string
	answers []loop.Answered
	// at is called before an action is carried out, with its word; what it returns
	// replaces the result.
	at func(word string) loop.Result
}

func newDriver(t *testing.T, limits loop.Limits) *driver {
	d := &driver{t: t, state: &session.State{}}
	d.m = loop.New(d.state, limits)
	return d
}

func prompt(t *testing.T, text string) loop.Prompt {
	return loop.Prompt{ID: "m", Content: content(t, msg.Text{Text: text}), Source: event.UserSource()}
}

func content(t *testing.T, blocks ...msg.Block) msg.Content {
	t.Helper()
	c, err := msg.NewContent(blocks...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func word(a loop.Action) string {
	switch a := a.(type) {
	case loop.Append:
		return "append"
	case loop.RunTool:
		return "run " + a.Call.ID
	default:
		return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", a), "loop."))
	}
}

// run goes on until the machine parks or exits, and returns the transcript since
// the last call.
func (d *driver) run() string {
	d.t.Helper()
	d.words = nil
	var r loop.Result = loop.Done{}
	for range 1000 {
		a := d.m.Advance(r)
		w := word(a)
		if w != "append" {
			d.words = append(d.words, "["+w+"]")
		}
		if w == "park" || w == "exit" {
			return strings.Join(d.words, " ")
		}
		var instead loop.Result
		if d.at != nil {
			instead = d.at(w)
		}
		if r = d.perform(a); instead != nil {
			r = instead
		}
	}
	d.t.Fatal("the machine does not come to rest")
	return ""
}

func (d *driver) perform(a loop.Action) loop.Result {
	switch a := a.(type) {
	case loop.Append:
		for _, entry := range a.Entries {
			e := event.New(d.state.Next(), 0, entry)
			if err := d.state.Apply(e); err != nil {
				d.t.Fatal(err)
			}
			d.events = append(d.events, e)
			d.words = append(d.words, describe(e))
			if d.at != nil {
				d.at("logged " + e.Type)
			}
		}
		return loop.Done{Seq: d.state.Next() - 1}
	case loop.Submit:
		return loop.Submitted{}
	case loop.Compose:
		return loop.Composed{}
	case loop.Send:
		if len(d.answers) == 0 {
			return loop.Answered{Content: content(d.t, msg.Text{Text: "ok"}), Finish: msg.Finish{Kind: msg.FinishStop}}
		}
		out := d.answers[0]
		d.answers = d.answers[1:]
		return out
	case loop.StepResult:
		return loop.Rewritten{Content: a.Content}
	case loop.RunTool:
		return loop.ToolDone{Content: content(d.t, msg.Text{Text: "result"})}
	case loop.Continue:
		return loop.Continued{Continue: a.Default}
	case loop.PreStep, loop.Compact:
		return loop.Prepared{}
	case loop.Recover:
		return loop.Recovered{Retry: true}
	}
	return loop.Done{}
}

func describe(e event.Event) string {
	switch e.Type {
	case "turn/end":
		r := event.ParseEndReason(e.Data.Get("reason"))
		w := "turn/end=" + string(r.Kind)
		if r.Code != "" {
			w += fmt.Sprintf(":%s@%d", r.Code, r.Step)
		}
		if r.Reason != "" {
			w += ":" + r.Reason
		}
		return w
	case "tool/result":
		id, _ := e.Data.Get("callId").Text()
		if code, ok := e.Data.Get("error").Get("code").Text(); ok {
			return "tool/result(" + id + "," + code + ")"
		}
		return "tool/result(" + id + ")"
	case "assistant/message":
		if e.Data.Get("interrupted").IsTrue() {
			return "assistant/message(interrupted)"
		}
	}
	return e.Type
}

func calls(t *testing.T, ids ...string) loop.Answered {
	var blocks []msg.Block
	for _, id := range ids {
		blocks = append(blocks, msg.ToolCall{ID: id, Name: "t", Arguments: "{}"})
	}
	return loop.Answered{Content: content(t, blocks...), Finish: msg.Finish{Kind: msg.FinishToolCalls}}
}

const oneStep = "[prestep] step/start [send] [stepresult] assistant/message step/end [continue]"

func TestTurns(t *testing.T) {
	d := newDriver(t, loop.Limits{})
	if got := d.run(); got != "[park]" {
		t.Errorf("nothing to do: %s", got)
	}
	d.m.Send(prompt(t, "one"))
	want := "[running] turn/start [submit] user/message [compose] " + oneStep + " turn/end=completed [flush] [idle] [park]"
	if got := d.run(); got != want {
		t.Errorf("first turn:\n%s\nwant\n%s", got, want)
	}
	// The prefix is composed once; a burst is one turn.
	d.m.Send(prompt(t, "two"))
	d.m.Send(prompt(t, "three"))
	want = "[running] turn/start [submit] user/message [submit] user/message " + oneStep + " turn/end=completed [flush] [idle] [park]"
	if got := d.run(); got != want {
		t.Errorf("second turn:\n%s\nwant\n%s", got, want)
	}
	d.m.Dispose()
	if got := d.run(); got != "[exit]" {
		t.Errorf("disposed: %s", got)
	}
}

func TestTools(t *testing.T) {
	d := newDriver(t, loop.Limits{})
	d.answers = []loop.Answered{calls(t, "a", "b")}
	d.m.Send(prompt(t, "go"))
	want := "[running] turn/start [submit] user/message [compose] [prestep] step/start [send] [stepresult] assistant/message " +
		"tool/call [run a] tool/result(a) tool/call [run b] tool/result(b) step/end [continue] " + oneStep + " turn/end=completed [flush] [idle] [park]"
	if got := d.run(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	last := d.events[len(d.events)-1]
	if n, _ := last.Data.Get("turn").Int(); n != 1 {
		t.Errorf("turn %d", n)
	}
}

func TestLimitOfSteps(t *testing.T) {
	d := newDriver(t, loop.Limits{MaxSteps: 2})
	d.answers = []loop.Answered{calls(t, "a"), calls(t, "b"), calls(t, "c")}
	d.m.Send(prompt(t, "go"))
	got := d.run()
	if !strings.HasSuffix(got, "tool/result(b) step/end [continue] turn/end=error:MAX_STEPS@2 [flush] [idle] [park]") {
		t.Errorf("got %s", got)
	}
}

// The tokens of a turn's requests count, cached ones too; a turn that ends by itself
// beyond the limit has not failed, and the next one begins at nothing.
func TestLimitOfInputTokens(t *testing.T) {
	step := func(a loop.Answered, input, cached int64) loop.Answered {
		a.Usage = msg.Some(msg.Usage{Input: input, CacheRead: msg.Some(cached)})
		return a
	}
	done := loop.Answered{Content: content(t, msg.Text{Text: "done"}), Finish: msg.Finish{Kind: msg.FinishStop}}
	for _, c := range []struct {
		limit int64
		want  string
	}{
		{0, "turn/end=completed"},
		{251, "turn/end=completed"}, // the third request takes it beyond
		{250, "tool/result(b) step/end [continue] turn/end=error:MAX_INPUT_TOKENS@2"},
		{100, "tool/result(a) step/end [continue] turn/end=error:MAX_INPUT_TOKENS@1"},
	} {
		d := newDriver(t, loop.Limits{MaxInputTokens: c.limit})
		d.answers = []loop.Answered{step(calls(t, "a"), 60, 40), step(calls(t, "b"), 10, 140), step(done, 1000, 0)}
		d.m.Send(prompt(t, "go"))
		if got := d.run(); !strings.HasSuffix(got, c.want+" [flush] [idle] [park]") {
			t.Errorf("limit %d: %s", c.limit, got)
		}
		d.answers = nil
		d.m.Send(prompt(t, "again"))
		if got := d.run(); !strings.Contains(got, "turn/end=completed") {
			t.Errorf("limit %d, the next turn: %s", c.limit, got)
		}
	}
}

// The answers of a session may cost so much, whatever turn they belong to, in the
// currency of the limit; an answer without a cost cannot be counted.
func TestLimitOfCost(t *testing.T) {
	step := func(a loop.Answered, amount msg.Amount, currency string) loop.Answered {
		a.Cost = msg.Some(msg.Cost{Amount: amount, Currency: currency})
		return a
	}
	done := loop.Answered{Content: content(t, msg.Text{Text: "done"}), Finish: msg.Finish{Kind: msg.FinishStop}}
	failed := loop.Answered{Err: &msg.Error{Code: "BOOM"}}
	const over, fine = "turn/end=error:MAX_COST@0", "turn/end=completed"
	for _, c := range []struct {
		limit       msg.Amount
		answers     []loop.Answered
		want, again string
	}{
		{0, []loop.Answered{step(calls(t, "a"), 9, "USD"), done}, fine, fine},
		{101, []loop.Answered{step(calls(t, "a"), 100, "USD"), step(done, 100, "USD")}, fine, over},
		{100, []loop.Answered{step(calls(t, "a"), 100, "USD")}, "tool/result(a) step/end [continue] turn/end=error:MAX_COST@1", over},
		{100, []loop.Answered{step(calls(t, "a"), 100, "CNY"), step(done, 100, "CNY")}, fine, fine},
		{100, []loop.Answered{calls(t, "a")}, "tool/result(a) step/end [continue] turn/end=error:MAX_COST@1", fine},
		{100, []loop.Answered{done}, fine, fine},
		{100, []loop.Answered{failed}, "turn/end=error:BOOM@1", fine},
		// What was paid counts, also when nothing came of it.
		{100, []loop.Answered{step(failed, 100, "USD")}, "assistant/message(interrupted) step/end turn/end=error:BOOM@1", over},
	} {
		d := newDriver(t, loop.Limits{MaxCost: msg.Cost{Amount: c.limit, Currency: "USD"}})
		d.answers = c.answers
		d.m.Send(prompt(t, "go"))
		if got := d.run(); !strings.HasSuffix(got, c.want+" [flush] [idle] [park]") {
			t.Errorf("limit %d: %s", c.limit, got)
		}
		d.answers = nil
		d.m.Send(prompt(t, "again"))
		if got := d.run(); !strings.Contains(got, c.again) {
			t.Errorf("limit %d, the next turn: %s", c.limit, got)
		}
	}
}

// A failure in each place: how the turn ends, and that the next turn works.
func TestFailures(t *testing.T) {
	boom := &msg.Error{Code: "BOOM", Message: "boom"}
	begin := "[running] turn/start [submit] user/message [compose] "
	end := " [flush] [idle] [park]"
	for _, c := range []struct {
		at     string
		result loop.Result
		want   string
		again  string // what the next turn does before its step
	}{
		{"submit", loop.Submitted{Err: boom}, "[running] turn/start [submit] turn/end=error:BOOM@0" + end, "[compose] "},
		{"submit", loop.Submitted{Block: true, Reason: "no"}, "[running] turn/start [submit] prompt/blocked turn/end=rejected:no" + end, "[compose] "},
		{"compose", loop.Composed{Err: boom}, begin + "turn/end=error:BOOM@1" + end, "[compose] "},
		{"prestep", loop.Prepared{Err: boom}, begin + "[prestep] turn/end=error:BOOM@1" + end, ""},
		{"send", loop.Answered{Err: boom}, begin + "[prestep] step/start [send] step/end turn/end=error:BOOM@1" + end, ""},
		{"send", loop.Answered{Err: boom, Content: content(t, msg.Text{Text: "half"}, msg.ToolCall{ID: "x", Name: "t"})},
			begin + "[prestep] step/start [send] assistant/message(interrupted) step/end turn/end=error:BOOM@1" + end, ""},
		{"send", loop.Answered{Finish: msg.Finish{Kind: msg.FinishError, Message: "bad", Code: "AUTH"}},
			begin + "[prestep] step/start [send] step/end turn/end=error:AUTH@1" + end, ""},
		{"send", loop.Answered{Finish: msg.Finish{Kind: msg.FinishAborted}}, begin + "[prestep] step/start [send] step/end turn/end=error:ABORTED@1" + end, ""},
		{"send", loop.Answered{Finish: msg.Finish{Kind: msg.FinishStop}},
			begin + "[prestep] step/start [send] [stepresult] step/end [continue] turn/end=completed" + end, ""},
		{"send", loop.Answered{Finish: msg.Finish{Kind: msg.FinishStop}, Usage: msg.Some(msg.Usage{Input: 1})},
			begin + "[prestep] step/start [send] [stepresult] assistant/message step/end [continue] turn/end=completed" + end, ""},
		{"send", loop.Answered{Finish: msg.Finish{Kind: msg.FinishMaxTokens}, Content: content(t, msg.Text{Text: "cut"}, msg.ToolCall{ID: "x", Name: "t"})},
			begin + "[prestep] step/start [send] [stepresult] assistant/message step/end [continue] turn/end=max-tokens" + end, ""},
		{"stepresult", loop.Rewritten{Err: boom}, begin + "[prestep] step/start [send] [stepresult] step/end turn/end=error:BOOM@1" + end, ""},
		{"continue", loop.Continued{Err: errors.New("plain")},
			begin + "[prestep] step/start [send] [stepresult] assistant/message step/end [continue] turn/end=error:UNKNOWN@1" + end, ""},
	} {
		d := newDriver(t, loop.Limits{})
		first := true
		d.at = func(w string) loop.Result {
			if w == c.at && first {
				first = false
				return c.result
			}
			return nil
		}
		d.m.Send(prompt(t, "x"))
		if got := d.run(); got != c.want {
			t.Errorf("%s %+v:\n%s\nwant\n%s", c.at, c.result, got, c.want)
		}
		d.m.Send(prompt(t, "again"))
		want := "[running] turn/start [submit] user/message " + c.again + oneStep + " turn/end=completed [flush] [idle] [park]"
		if got := d.run(); got != want {
			t.Errorf("after %s:\n%s\nwant\n%s", c.at, got, want)
		}
	}
}

// A cancel, a disposal, a limit of time and their combinations in every window.
// Dispose wins over cancel and cancel over the limit; every call gets a result;
// nothing that streamed is lost, and no prompt.
func TestWindows(t *testing.T) {
	expire := func(m *loop.Machine) { m.Expire(1, &msg.Error{Code: msg.CodeTurnTimeout, Message: "too long"}) }
	begin := "[running] turn/start [submit] user/message [compose] "
	answered := begin + "[prestep] step/start [send] [stepresult] assistant/message "
	partial := loop.Answered{Err: errors.New("cut"), Content: content(t, msg.Text{Text: "half"})}
	for _, c := range []struct {
		at     string
		result loop.Result
		want   string // END stands for the end of the turn
	}{
		{"running", nil, "[running]"},
		{"logged turn/start", nil, "[running] turn/start prompt/blocked END"},
		{"submit", nil, "[running] turn/start [submit] user/message END"},
		{"submit", loop.Submitted{Err: errors.New("cut")}, "[running] turn/start [submit] prompt/blocked END"},
		{"compose", nil, begin + "END"},
		{"prestep", nil, begin + "[prestep] END"},
		{"logged step/start", nil, begin + "[prestep] step/start step/end END"},
		{"send", loop.Answered{Err: errors.New("cut")}, begin + "[prestep] step/start [send] step/end END"},
		{"send", partial, begin + "[prestep] step/start [send] assistant/message(interrupted) step/end END"},
		{"stepresult", nil, answered + "tool/result(a,cancelled) tool/result(b,cancelled) step/end END"},
		{"run a", nil, answered + "tool/call [run a] tool/result(a) tool/result(b,cancelled) step/end END"},
		{"run b", nil, answered + "tool/call [run a] tool/result(a) tool/call [run b] tool/result(b) step/end END"},
		{"continue", nil, answered + "tool/call [run a] tool/result(a) tool/call [run b] tool/result(b) step/end [continue] END"},
	} {
		for _, how := range []struct {
			name, end string
			do        func(*loop.Machine)
		}{
			{"cancel", "turn/end=aborted:why [flush] [idle] [park]", func(m *loop.Machine) { m.Cancel("why") }},
			{"dispose", "turn/end=disposed [flush] [exit]", func(m *loop.Machine) { m.Dispose() }},
			{"cancel and dispose", "turn/end=disposed [flush] [exit]", func(m *loop.Machine) { m.Cancel("why"); m.Dispose() }},
			{"expire", "turn/end=error:TURN_TIMEOUT@STEP [flush] [idle] [park]", expire},
			{"expire and cancel", "turn/end=aborted:why [flush] [idle] [park]", func(m *loop.Machine) { expire(m); m.Cancel("why") }},
			{"cancel and expire", "turn/end=aborted:why [flush] [idle] [park]", func(m *loop.Machine) { m.Cancel("why"); expire(m) }},
			{"expire and dispose", "turn/end=disposed [flush] [exit]", func(m *loop.Machine) { expire(m); m.Dispose() }},
			{"dispose and expire", "turn/end=disposed [flush] [exit]", func(m *loop.Machine) { m.Dispose(); expire(m) }},
		} {
			d := newDriver(t, loop.Limits{})
			d.answers = []loop.Answered{calls(t, "a", "b")}
			d.at = func(w string) loop.Result {
				if w != c.at {
					return nil
				}
				how.do(d.m)
				return c.result
			}
			d.m.Send(prompt(t, "x"))
			got := d.run()
			step := "1"
			if strings.Contains(c.want, "prompt/blocked") {
				step = "0" // none was begun
			}
			want := strings.Replace(c.want, "END", strings.Replace(how.end, "STEP", step, 1), 1)
			if c.at == "running" {
				switch {
				case how.name == "expire":
					continue // no turn is open that could have taken too long
				case strings.Contains(how.name, "dispose"):
					want = "[running] [exit]"
				default:
					want = "[running] [idle] [park]"
				}
			}
			if got != want {
				t.Errorf("%s at %s:\n%s\nwant\n%s", how.name, c.at, got, want)
			}
			if n := len(d.state.Pending()); n > 0 {
				t.Errorf("%s at %s: %d calls stay unanswered", how.name, c.at, n)
			}
			if !strings.Contains(how.name, "dispose") {
				before := strings.Contains(got, "[prestep]")
				d.at = nil
				d.answers = nil
				d.m.Send(prompt(t, "again"))
				if got := d.run(); !strings.HasSuffix(got, oneStep+" turn/end=completed [flush] [idle] [park]") {
					t.Errorf("after %s at %s: %s", how.name, c.at, got)
				} else if composes := strings.Contains(got, "[compose]"); composes == before {
					t.Errorf("after %s at %s, composed again: %v", how.name, c.at, composes)
				}
			}
		}
	}
}

func TestSteering(t *testing.T) {
	d := newDriver(t, loop.Limits{})
	once := false
	d.at = func(w string) loop.Result {
		if w == "send" && !once {
			once = true
			d.m.Steer(prompt(t, "left"))
		}
		return nil
	}
	d.m.Steer(prompt(t, "idle steering is a prompt"))
	got := d.run()
	want := "[running] turn/start [submit] user/message [compose] [prestep] step/start [send] [stepresult] assistant/message [submit] steering/message step/end [continue] " +
		oneStep + " turn/end=completed [flush] [idle] [park]"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What a person says to a running turn is submitted like a prompt: it may be blocked,
// and rewritten, and what was added to it follows it. Blocked, it keeps no turn going.
func TestSteeringIsSubmitted(t *testing.T) {
	run := func(decide func(n int) loop.Result) (transcript string, told []string) {
		d := newDriver(t, loop.Limits{})
		submits, sent := 0, false
		d.at = func(w string) loop.Result {
			switch w {
			case "send":
				if !sent {
					sent = true
					d.m.Steer(prompt(t, "left"))
					d.m.Steer(prompt(t, "right"))
				}
			case "submit":
				submits++
				return decide(submits)
			}
			return nil
		}
		d.m.Send(prompt(t, "go"))
		transcript = d.run()
		for _, e := range d.events {
			if m, ok := e.Message(); ok && (e.Type == "steering/message" || e.Type == "context/message") {
				told = append(told, m.Content.Text())
			}
		}
		return transcript, told
	}
	got, told := run(func(n int) loop.Result {
		switch n {
		case 2:
			return loop.Submitted{Block: true, Reason: "not left"}
		case 3:
			return loop.Submitted{Content: msg.Some(content(t, msg.Text{Text: "straight"})),
				Context: []event.ContextMessage{{Content: content(t, msg.Text{Text: "a map"}), Source: event.PluginSource("p")}}}
		}
		return nil
	})
	if !strings.Contains(got, "assistant/message [submit] prompt/blocked [submit] steering/message context/message step/end [continue] "+oneStep+" turn/end=completed") {
		t.Errorf("got %s", got)
	}
	if len(told) != 2 || !strings.Contains(told[0], "straight") || !strings.Contains(told[1], "a map") {
		t.Errorf("the model reads %q", told)
	}
	blocked := func(n int) loop.Result {
		if n == 1 {
			return nil
		}
		return loop.Submitted{Block: true, Reason: "no"}
	}
	if got, told := run(blocked); !strings.Contains(got, "[submit] prompt/blocked [submit] prompt/blocked step/end [continue] turn/end=completed [flush] [idle]") || told != nil {
		t.Errorf("blocked: %s, %q", got, told)
	}
	failing := func(n int) loop.Result {
		if n == 1 {
			return nil
		}
		return loop.Submitted{Err: &msg.Error{Code: "BOOM"}}
	}
	if got, _ := run(failing); !strings.Contains(got, "[submit] step/end turn/end=error:BOOM@1") {
		t.Errorf("failing: %s", got)
	}
}

// A turn that is interrupted while somebody decides about what was said to it loses
// none of it, besides to a cancel, which drops what waits.
func TestInterruptedSteering(t *testing.T) {
	for _, c := range []struct {
		how  string
		end  func(*loop.Machine)
		want string
	}{
		{"expired", func(m *loop.Machine) { m.Expire(1, &msg.Error{Code: "LATE", Message: "late"}) },
			"turn/end=error:LATE@1 [flush] [running] turn/start [submit] user/message [submit] user/message [prestep]"},
		{"cancelled", func(m *loop.Machine) { m.Cancel("why") }, "turn/end=aborted:why [flush] [idle] [park]"},
		{"disposed", func(m *loop.Machine) { m.Dispose() }, "turn/end=disposed [flush] [exit]"},
	} {
		d := newDriver(t, loop.Limits{})
		submits, sent := 0, false
		d.at = func(w string) loop.Result {
			switch w {
			case "send":
				if !sent {
					sent = true
					d.m.Steer(prompt(t, "left"))
					d.m.Steer(prompt(t, "right"))
				}
			case "submit":
				if submits++; submits == 2 {
					c.end(d.m)
					return loop.Submitted{Err: errors.New("interrupted")}
				}
			}
			return nil
		}
		d.m.Send(prompt(t, "go"))
		if got := d.run(); !strings.Contains(got, c.want) || strings.Contains(got, "steering/message") {
			t.Errorf("%s: %s", c.how, got)
		}
	}
}

// What a person says to a turn that was cancelled starts the next one; what the
// turn's own continuation added goes with it.
func TestSteeringAfterCancel(t *testing.T) {
	d := newDriver(t, loop.Limits{})
	once := false
	d.at = func(w string) loop.Result {
		if w != "continue" || once {
			return nil
		}
		once = true
		d.m.Cancel("why")
		d.m.Steer(prompt(t, "from a person"))
		return loop.Continued{Continue: true, Reason: content(t, msg.Text{Text: "own"}), Source: event.PluginSource("p")}
	}
	d.m.Send(prompt(t, "x"))
	got := d.run()
	if !strings.Contains(got, "turn/end=aborted:why [flush] [running] turn/start [submit] user/message "+oneStep+" turn/end=completed") || strings.Contains(got, "steering/message") {
		t.Errorf("got %s", got)
	}
	var users []string
	for _, e := range d.events {
		if m, ok := e.Message(); ok && e.Type == "user/message" {
			users = append(users, m.Content.Text())
		}
	}
	if fmt.Sprint(users) != "[x from a person]" {
		t.Errorf("user messages %v", users)
	}
}

// A limit is about one turn: it does not reach the next one, not even when that
// begins at once, and it leaves alone what a person said meanwhile.
func TestExpireLeavesOtherTurns(t *testing.T) {
	d := newDriver(t, loop.Limits{})
	d.m.Send(prompt(t, "one"))
	late := &msg.Error{Code: msg.CodeTurnTimeout, Message: "too long"}
	at := map[string]int{}
	d.at = func(w string) loop.Result {
		at[w]++
		switch {
		case w == "send" && at[w] == 1:
			d.m.Send(prompt(t, "two"))
			d.m.Steer(prompt(t, "aside"))
			if !d.m.Expire(1, late) || d.m.Expire(1, late) {
				t.Error("a turn expires once")
			}
			return loop.Answered{Err: errors.New("cut")}
		case w == "flush" && d.m.Expire(1, late), w == "send" && d.m.Expire(1, late):
			t.Errorf("turn 1 expired at %s %d", w, at[w])
		}
		return nil
	}
	want := "turn/end=error:TURN_TIMEOUT@1 [flush] [running] turn/start [submit] user/message [submit] user/message " + oneStep + " turn/end=completed [flush] [idle] [park]"
	if got := d.run(); !strings.HasSuffix(got, want) {
		t.Errorf("got %s", got)
	}
	if d.m.Expire(2, late) {
		t.Error("a turn that is over expired")
	}
}

func TestCancelWithNothingToDo(t *testing.T) {
	d := newDriver(t, loop.Limits{})
	d.run()
	if d.m.Cancel("x") {
		t.Error("an idle machine was cancelled")
	}
	d.m.Send(prompt(t, "dropped"))
	if !d.m.Cancel("x") {
		t.Error("a queued prompt was not cancelled")
	}
	if got := d.run(); got != "[park]" {
		t.Errorf("a dropped prompt ran: %s", got)
	}
}
