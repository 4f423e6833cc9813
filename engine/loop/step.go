package loop

import (
	"fmt"
	"slices"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// nextStep begins a step: steering, composition, pre-step (spec 4.5 a to i).
func (m *Machine) nextStep() Action {
	if reached := m.reached(); reached != nil {
		return m.fail(reached, m.step)
	}
	m.step++
	if m.interrupted() {
		return m.endTurn() // what a person says after a cancel waits for the next turn
	}
	return m.hear(func() Action {
		if m.interrupted() { // window 3
			return m.endTurn()
		}
		if m.composed {
			return m.preStep()
		}
		return m.do(Compose{m.turn, m.step}, func(r Result) Action {
			c := r.(Composed)
			if m.interrupted() { // window 4: the composition is discarded
				return m.endTurn()
			}
			if c.Err != nil {
				return m.fail(c.Err, m.step)
			}
			m.composed = true
			var entries []event.Entry
			for _, s := range c.Skipped {
				entries = append(entries, event.Entry{Payload: s})
			}
			return m.log(m.preStep, entries...)
		})
	})
}

// reached is the limit that allows no further request, nil when none does.
func (m *Machine) reached() *msg.Error { return m.reachedBy(m.step) }

// reachedBy is reached for a turn that has taken so many steps.
func (m *Machine) reachedBy(steps int64) *msg.Error {
	l := m.limits
	limit := func(code, format string, args ...any) *msg.Error {
		return &msg.Error{Code: code, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case l.MaxSteps > 0 && steps >= l.MaxSteps:
		return limit(msg.CodeMaxSteps, "the turn reached its limit of %d steps (max_steps in the agent's limits)", l.MaxSteps)
	case l.MaxInputTokens > 0 && m.input >= l.MaxInputTokens:
		return limit(msg.CodeMaxInputTokens, "the requests of the turn took %d tokens of input, and its limit is %d (max_input_tokens in the agent's limits)", m.input, l.MaxInputTokens)
	case l.MaxCost.Amount == 0:
		return nil
	case m.unpriced:
		return limit(msg.CodeMaxCost, "the provider did not report what an answer took, so the session cannot be held to its limit of %s (max_cost in the agent's limits)", l.MaxCost)
	}
	spent := msg.Cost{Amount: m.state.SpentIn(l.MaxCost.Currency), Currency: l.MaxCost.Currency}
	if spent.Amount >= l.MaxCost.Amount {
		return limit(msg.CodeMaxCost, "the session has cost %s, and its limit is %s (max_cost in the agent's limits)", spent, l.MaxCost)
	}
	return nil
}

// hear takes what was said to the turn, in order. What a person said is submitted
// like a prompt: it may be rewritten, and blocked. What is left when the turn is
// interrupted waits for the next one.
func (m *Machine) hear(then func() Action) Action {
	if len(m.steering) == 0 {
		return then()
	}
	s := m.steering[0]
	person := !s.own && s.prompt.Source.Kind() == "user"
	if person && m.interrupted() {
		return then()
	}
	m.steering = m.steering[1:]
	if !person {
		return m.heard(then, surface(event.SteeringMessage{Turn: m.turn, Content: s.prompt.Content, Source: s.prompt.Source}))
	}
	return m.do(Submit{s.prompt}, func(r Result) Action {
		d := r.(Submitted)
		if d.Err != nil && m.interrupted() {
			if !m.cancelled { // nobody decided about it, and only a cancel drops it
				m.steering = slices.Insert(m.steering, 0, s)
			}
			return then()
		}
		if d.Err != nil {
			return m.refuse(s.prompt, d, m.step)
		}
		if d.Block {
			return m.log(func() Action { return m.hear(then) },
				event.Entry{Payload: event.PromptBlocked{Content: s.prompt.Content, Source: s.prompt.Source, Reason: d.Reason, Code: d.Code}})
		}
		return m.heard(then, append([]event.Entry{surface(event.SteeringMessage{Turn: m.turn, Content: d.Content.Or(s.prompt.Content), Source: s.prompt.Source})}, d.more()...)...)
	})
}

// heard logs what reaches the model, for which the turn goes on, and hears the rest.
func (m *Machine) heard(then func() Action, entries ...event.Entry) Action {
	m.spokenTo = true
	return m.log(func() Action { return m.hear(then) }, entries...)
}

func (m *Machine) preStep() Action {
	return m.do(PreStep{m.turn, m.step}, func(r Result) Action {
		if m.interrupted() { // window 5
			return m.endTurn()
		}
		p := r.(Prepared)
		m.took(p)
		if p.Err != nil {
			return m.fail(p.Err, m.step)
		}
		if reached := m.reachedBy(m.step - 1); p.Input > 0 && reached != nil {
			return m.fail(reached, m.step-1)
		}
		return m.log(m.send, event.Entry{Payload: event.StepStart{Turn: m.turn, Step: m.step}})
	})
}

// took counts what requests for summaries took.
func (m *Machine) took(p Prepared) {
	m.input += p.Input
	m.unpriced = m.unpriced || p.Unpriced
}

// recover makes room after a request that was too long, and goes on with another step.
func (m *Machine) recover(failure error) Action {
	m.recovered++
	return m.log(func() Action {
		return m.do(Recover{m.turn, m.step}, func(r Result) Action {
			d := r.(Recovered)
			m.took(d.Prepared)
			switch {
			case m.interrupted():
				return m.endTurn()
			case d.Err != nil:
				return m.fail(d.Err, m.step)
			case d.Retry:
				return m.nextStep()
			}
			return m.fail(failure, m.step)
		})
	}, event.Entry{Payload: event.StepEnd{Turn: m.turn, Step: m.step}})
}

// send asks the model (spec 4.5 l to t).
func (m *Machine) send() Action {
	if m.interrupted() { // window 6
		return m.endTurn()
	}
	return m.do(Send{m.turn, m.step}, func(r Result) Action {
		a := r.(Answered)
		if u, ok := a.Usage.Get(); ok {
			m.input += u.TotalInput()
		}
		if _, ok := a.Cost.Get(); !ok && a.Err == nil {
			m.unpriced = true
		}
		if a.Err == nil && a.Finish.Kind == msg.FinishError {
			code := a.Finish.Code
			if code == "" {
				code = msg.CodeUnknown
			}
			a.Err = &msg.Error{Code: code, Message: a.Finish.Message}
		}
		if a.Err == nil && a.Finish.Kind == msg.FinishAborted {
			a.Err = &msg.Error{Code: msg.CodeAborted, Message: "the provider aborted the answer"}
		}
		if m.interrupted() || a.Err != nil {
			return m.brokenOff(a)
		}
		if a.Finish.Kind == msg.FinishMaxTokens {
			a.Content = a.Content.WithoutToolCalls()
		}
		return m.do(StepResult{m.turn, m.step, a.Content}, func(r Result) Action {
			w := r.(Rewritten)
			if w.Err != nil && m.interrupted() {
				return m.brokenOff(a) // nobody decided about the text, and none is lost
			}
			if w.Err != nil {
				return m.fail(w.Err, m.step)
			}
			return m.answered(a, w.Content)
		})
	})
}

// brokenOff keeps the text of an answer that an interruption or a failure cut, and
// what it cost, without its tool calls, which would stay unanswered.
func (m *Machine) brokenOff(a Answered) Action {
	finish := msg.FinishError
	if m.interrupted() {
		finish = msg.FinishAborted
	}
	end := func() Action {
		if m.interrupted() {
			return m.endTurn()
		}
		return m.fail(a.Err, m.step)
	}
	content := a.Content.WithoutToolCalls()
	if _, paid := a.Cost.Get(); content.IsEmpty() && !paid {
		if !m.interrupted() && msg.CodeOf(a.Err) == msg.CodeContextWindow && m.recovered < m.limits.MaxRecoveries {
			return m.recover(a.Err)
		}
		return end()
	}
	e := surface(event.AssistantMessage{Turn: m.turn, Step: m.step, Content: content, Usage: a.Usage, Cost: a.Cost, Finish: finish, Interrupted: true})
	e.Sources = a.Chunks
	return m.log(end, e)
}

// answered logs a whole answer and begins with its tools.
func (m *Machine) answered(a Answered, content msg.Content) Action {
	if a.Finish.Kind == msg.FinishMaxTokens {
		content = content.WithoutToolCalls()
		m.cut = true
	}
	m.recovered = 0
	m.calls = content.ToolCalls()
	m.hadCalls = len(m.calls) > 0
	m.contexts = nil
	_, used := a.Usage.Get()
	if content.IsEmpty() && !used {
		return m.nextTool()
	}
	e := surface(event.AssistantMessage{Turn: m.turn, Step: m.step, Content: content, Usage: a.Usage, Cost: a.Cost, Finish: a.Finish.Kind})
	e.Sources = a.Chunks
	return m.log(m.nextTool, e)
}

// nextTool runs the step's calls one after the other (spec 4.5 u and v). After an
// interruption the rest gets error results, so that no call stays unanswered.
func (m *Machine) nextTool() Action {
	if len(m.calls) == 0 {
		if m.interrupted() {
			return m.endTurn()
		}
		entries := m.takeInjected()
		for _, c := range m.contexts {
			entries = append(entries, surface(c))
		}
		m.contexts = nil
		return m.log(m.endStep, entries...)
	}
	if m.interrupted() {
		var entries []event.Entry
		for _, c := range m.state.Pending() {
			entries = append(entries, session.Unanswered(c, "Error: the tool call was not run: "+m.why(), "cancelled"))
		}
		m.calls = nil
		return m.log(m.nextTool, entries...)
	}
	call := m.calls[0]
	m.calls = m.calls[1:]
	return m.log(func() Action {
		seq := m.seq
		return m.do(RunTool{m.turn, m.step, call}, func(r Result) Action {
			d := r.(ToolDone)
			m.contexts = append(m.contexts, d.Context...)
			e := surface(event.ToolResult{Turn: m.turn, Step: m.step, CallID: call.ID, Content: d.Content, IsError: d.IsError, Error: d.Error, Meta: d.Meta})
			e.Sources = []int64{seq}
			return m.log(m.nextTool, e)
		})
	}, event.Entry{Payload: event.ToolCall{Turn: m.turn, Step: m.step, CallID: call.ID, Name: call.Name, Arguments: call.Arguments}})
}

// endStep closes a step that succeeded and decides how the turn goes on (spec
// 4.5 w to z).
func (m *Machine) endStep() Action {
	m.spokenTo = false
	return m.hear(func() Action {
		return m.log(m.goOn, event.Entry{Payload: event.StepEnd{Turn: m.turn, Step: m.step}})
	})
}

// goOn asks whether another step follows: by itself one does after tool calls, and
// when somebody spoke to the turn.
func (m *Machine) goOn() Action {
	return m.do(Continue{m.turn, m.step, m.hadCalls || m.spokenTo}, func(r Result) Action {
		c := r.(Continued)
		if c.Err != nil && !m.interrupted() {
			return m.fail(c.Err, m.step)
		}
		if !c.Reason.IsEmpty() {
			m.steering = append(m.steering, steering{Prompt{Content: c.Reason, Source: c.Source}, true})
		}
		if m.interrupted() { // window 7
			return m.endTurn()
		}
		if c.Continue || len(m.steering) > 0 {
			return m.nextStep()
		}
		if m.cut {
			m.end = event.EndReason{Kind: event.EndMaxTokens}
		}
		return m.endTurn()
	})
}
