package loop

import (
	"slices"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// Limits bound a turn. Zero means no limit. A limit of time is the driver's, which
// has a clock: see Expire.
type Limits struct {
	MaxSteps int64 // steps a turn may take
	// MaxInputTokens is how many tokens of input, cached ones included, the requests
	// of a turn may take together, as their provider reports them. Once they have,
	// no further request is sent.
	MaxInputTokens int64
	// MaxCost is what the answers of the session may cost, of which none is left
	// when it is reached: no further request is sent.
	MaxCost msg.Cost
	// MaxRecoveries is how many requests in a row may be followed by a compaction and
	// another one because they were longer than the model reads. Zero means none.
	MaxRecoveries int
}

// steering is a message to the running turn. own marks what the turn's own
// continuation added, which is dropped when the turn is cancelled.
type steering struct {
	prompt Prompt
	own    bool
}

// Machine is the loop of one instance over one session. It reads the session's
// state and never changes it. Advance must be called by one goroutine; the other
// methods may be called between two calls of Advance, never during one.
type Machine struct {
	state  *session.State
	limits Limits
	then   func(Result) Action // what the next result goes to

	queued    []Prompt
	steering  []steering
	disposed  bool
	cancelled bool
	reason    string     // of the cancel
	expired   *msg.Error // the limit that ended the turn, nil for none

	compact   bool // the idle session is to be compacted
	recovered int  // requests in a row that were too long

	running  bool
	composed bool // kept for the instance's life
	turn     int64
	open     bool // a turn was begun and not yet ended
	step     int64
	input    int64    // tokens that the turn's requests took
	unpriced bool     // an answer of this turn came without a cost
	batch    []Prompt // drained, not yet submitted
	allowed  bool
	blocked  string // last reason a prompt was blocked with
	end      event.EndReason
	hadCalls bool
	cut      bool // an answer of this turn hit its token limit
	spokenTo bool // something was said to the turn since its last answer
	calls    []msg.ToolCall
	contexts []event.ContextMessage
	injected []event.ContextMessage // while calls wait for their results
	failure  error
	seq      int64 // of the last event that this machine had appended
}

// New returns the machine of an instance. state is the fold of its log, kept up
// to date by the driver with every appended event.
func New(state *session.State, limits Limits) *Machine {
	m := &Machine{state: state, limits: limits}
	m.then = m.park
	return m
}

// Send queues a prompt for the next turn.
func (m *Machine) Send(p Prompt) { m.queued = append(m.queued, p) }

// Steer says something to the running turn, or queues it when none runs.
func (m *Machine) Steer(p Prompt) {
	if !m.running {
		m.Send(p)
		return
	}
	m.steering = append(m.steering, steering{prompt: p})
}

// Cancel ends the running turn and drops what is queued. It reports whether
// there was anything to cancel. The driver also cancels the context of the
// action under way.
func (m *Machine) Cancel(reason string) bool {
	if m.disposed || !m.Busy() && len(m.steering) == 0 {
		return false
	}
	if reason == "" {
		reason = "cancelled"
	}
	m.cancelled, m.reason = true, reason
	m.queued, m.steering, m.compact = nil, nil, false
	return true
}

// Expire ends a turn that is still open because a limit was reached, which the
// reason names: the turn's end is that error. What is queued stays. It reports
// whether there was such a turn; a cancelled or disposed one is left alone. The
// driver also cancels the context of the action under way.
func (m *Machine) Expire(turn int64, reason *msg.Error) bool {
	if !m.open || m.turn != turn || m.interrupted() {
		return false
	}
	m.expired = reason
	return true
}

// Dispose ends the instance for good. What is queued is dropped.
func (m *Machine) Dispose() { m.disposed, m.queued, m.steering, m.compact = true, nil, nil, false }

// Disposed reports whether the instance was ended for good.
func (m *Machine) Disposed() bool { return m.disposed }

// Compact asks for a compaction of the idle session. It reports whether the session
// is idle; a busy one is left alone.
func (m *Machine) Compact() bool {
	if m.disposed || m.Busy() {
		return false
	}
	m.compact = true
	return true
}

// Busy reports whether a turn runs or a prompt waits.
func (m *Machine) Busy() bool { return m.running || m.compact || len(m.queued) > 0 }

// Inject takes context for the turn while calls wait for their results, between which
// nothing may stand: it follows the last of them. It reports whether it did; when not,
// the context can be appended at once.
func (m *Machine) Inject(c event.ContextMessage) bool {
	if len(m.state.Pending()) == 0 {
		return false
	}
	m.injected = append(m.injected, c)
	return true
}

// takeInjected takes what was injected as entries.
func (m *Machine) takeInjected() []event.Entry {
	var entries []event.Entry
	for _, c := range m.injected {
		entries = append(entries, surface(c))
	}
	m.injected = nil
	return entries
}

// Advance takes the result of the last action and returns the next one. The
// first call gets Done{}.
func (m *Machine) Advance(r Result) Action { return m.then(r) }

// do names what the next result goes to and returns the action.
func (m *Machine) do(a Action, then func(Result) Action) Action {
	m.then = then
	return a
}

// log appends entries and goes on. The driver ends when appending fails, so
// there is no failure to handle here.
func (m *Machine) log(then func() Action, entries ...event.Entry) Action {
	if len(entries) == 0 {
		return then()
	}
	return m.do(Append{entries}, func(r Result) Action {
		m.seq = r.(Done).Seq
		return then()
	})
}

// park is the start of an iteration (spec section 4.3).
func (m *Machine) park(Result) Action {
	m.then = m.park
	if m.disposed {
		return Exit{}
	}
	m.cancelled, m.expired = false, nil // window 1: a cancel before wake has dropped the queue
	if m.compact {
		return m.maintain()
	}
	if len(m.queued) == 0 {
		if m.running {
			m.running, m.recovered = false, 0
			return Idle{}
		}
		return Park{}
	}
	m.running = true
	return m.do(Running{}, m.wake)
}

// wake begins a turn, unless the queue was dropped while status changed.
func (m *Machine) wake(Result) Action {
	m.cancelled = false // window 2
	if m.disposed || len(m.queued) == 0 {
		return m.park(nil)
	}
	m.begin()
	m.batch, m.queued = m.queued, nil
	return m.log(m.submit, event.Entry{Payload: event.TurnStart{Turn: m.turn, Trigger: "message", Source: m.batch[0].Source}})
}

// begin makes everything of the last turn new.
func (m *Machine) begin() {
	m.turn, m.step, m.open, m.input, m.unpriced = m.state.LastTurn()+1, 0, true, 0, false
	m.batch, m.allowed, m.blocked = nil, false, ""
	m.end = event.EndReason{Kind: event.EndCompleted}
	m.hadCalls, m.cut, m.failure, m.recovered = false, false, nil, 0
}

// maintain compacts the idle session in a turn of its own, which asks for a summary
// and for nothing else. What is said to it starts the next one.
func (m *Machine) maintain() Action {
	m.compact, m.running = false, true
	m.begin()
	return m.log(func() Action {
		if reached := m.reachedBy(0); reached != nil {
			return m.fail(reached, 0)
		}
		return m.do(Compact{m.turn}, func(r Result) Action {
			if err := r.(Prepared).Err; err != nil {
				return m.fail(err, 0)
			}
			return m.endTurn()
		})
	}, event.Entry{Payload: event.TurnStart{Turn: m.turn, Trigger: "compaction", Source: event.UserSource()}})
}

// submit takes the prompts of the batch one by one.
func (m *Machine) submit() Action {
	if len(m.batch) == 0 {
		if !m.allowed {
			if !m.interrupted() {
				m.end = event.EndReason{Kind: event.EndRejected, Reason: m.blocked}
			}
			return m.endTurn()
		}
		return m.nextStep()
	}
	p := m.batch[0]
	if m.interrupted() {
		m.batch = m.batch[1:]
		return m.log(m.submit, event.Entry{Payload: event.PromptBlocked{Content: p.Content, Source: p.Source, Reason: m.why(), Code: m.code()}})
	}
	return m.do(Submit{p}, func(r Result) Action {
		s := r.(Submitted)
		if s.Err != nil && m.interrupted() {
			return m.submit() // nobody decided about the prompt, and none is lost
		}
		m.batch = m.batch[1:]
		if s.Err != nil {
			return m.refuse(p, s, 0)
		}
		if s.Block {
			m.blocked = s.Reason
			return m.log(m.submit, event.Entry{Payload: event.PromptBlocked{Content: p.Content, Source: p.Source, Reason: s.Reason, Code: s.Code}})
		}
		m.allowed = true
		return m.log(m.submit, append([]event.Entry{surface(event.UserMessage{ID: p.ID, Content: s.Content.Or(p.Content), Source: p.Source})}, s.more()...)...)
	})
}

// more is what follows a prompt that was allowed.
func (s Submitted) more() []event.Entry {
	var entries []event.Entry
	if m, ok := s.Snapshot.Get(); ok {
		entries = append(entries, surface(m))
	}
	for _, c := range s.Context {
		entries = append(entries, surface(c))
	}
	return entries
}

// refuse ends the turn because nobody could decide about a prompt.
func (m *Machine) refuse(p Prompt, s Submitted, step int64) Action {
	if !s.Keep {
		return m.fail(s.Err, step)
	}
	return m.log(func() Action { return m.fail(s.Err, step) },
		event.Entry{Payload: event.PromptBlocked{Content: p.Content, Source: p.Source, Reason: s.Err.Error(), Code: msg.CodeOf(s.Err)}})
}

// fail ends the turn with an error; the first failure counts, and none that an
// interruption brought about.
func (m *Machine) fail(err error, step int64) Action {
	if m.failure == nil && !m.interrupted() {
		m.failure = err
		m.end = event.EndReason{Kind: event.EndError, Step: step, Message: err.Error(), Code: msg.CodeOf(err)}
	}
	m.batch = nil
	return m.endTurn()
}

// endTurn closes what is open, calls included, and flushes.
func (m *Machine) endTurn() Action {
	if m.failure == nil {
		switch {
		case m.disposed:
			m.end = event.EndReason{Kind: event.EndDisposed}
		case m.cancelled:
			m.end = event.EndReason{Kind: event.EndAborted, Reason: m.reason}
		case m.expired != nil:
			m.end = event.EndReason{Kind: event.EndError, Step: m.step, Message: m.expired.Message, Code: m.expired.Code}
		}
	}
	m.open = false
	var entries []event.Entry
	for _, c := range m.state.Pending() {
		entries = append(entries, session.Unanswered(c, "Error: the tool call was not run: "+m.why(), "cancelled"))
	}
	entries = append(entries, m.takeInjected()...)
	if _, step := m.state.Open(); step != 0 {
		entries = append(entries, event.Entry{Payload: event.StepEnd{Turn: m.turn, Step: step}})
	}
	end := m.end
	entries = append(entries, event.Entry{Payload: event.TurnEnd{Turn: m.turn, Reason: end}})
	return m.log(func() Action {
		return m.do(Flush{m.turn, end}, func(Result) Action {
			// What a person said to a turn that is over starts the next one; what the
			// cancelled turn said to itself goes with it.
			kept := slices.DeleteFunc(m.steering, func(s steering) bool { return s.own })
			m.steering = nil
			for _, s := range kept {
				m.queued = append(m.queued, s.prompt)
			}
			return m.park(nil)
		})
	}, entries...)
}

// interrupted reports whether the turn has to end. Of several reasons the
// strongest counts: dispose, cancel, a limit.
func (m *Machine) interrupted() bool { return m.disposed || m.cancelled || m.expired != nil }

// why says in words what interrupted the turn.
func (m *Machine) why() string {
	switch {
	case m.disposed:
		return "disposed"
	case m.cancelled:
		return m.reason
	case m.expired != nil:
		return m.expired.Message
	}
	return "the turn ended"
}

// code is the stable code of what interrupted the turn.
func (m *Machine) code() string {
	if m.disposed || m.cancelled || m.expired == nil {
		return msg.CodeCancelled
	}
	return m.expired.Code
}

// surface makes the entry of a new last node.
func surface(p event.Payload) event.Entry {
	return event.Entry{Payload: p, Op: event.Op{Kind: event.OpAppend}}
}
