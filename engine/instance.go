package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dsh-hcl/dsh/engine/compact"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/loop"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/permit"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/session"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/wire"
)

// ErrDisposed is returned to those who talk to an instance that has ended.
var ErrDisposed = errors.New("the instance has ended")

// Options are the effects of an instance and those who watch it. Functions may
// be nil where the comment says so.
type Options struct {
	NewID func() string // ids of messages
	// Client connects to the agent's provider. It is called once, before the
	// first request, so that a secret is resolved only when it is needed.
	Client func() (provider.Client, error)
	// Seams are where the program around the engine decides.
	Seams Seams
	// Hooks are the agent's hooks; they are asked after the seams.
	Hooks []Hook
	// AfterFunc calls f after d and returns what takes that back; it is the clock of
	// a turn's time limit. nil is the real clock.
	AfterFunc func(d time.Duration, f func()) (stop func())
	// Sleep passes the pause before a request is sent again, or returns when ctx is
	// done. nil sleeps on the real clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Random is a number in [0, 1) that spreads those pauses. nil is always 0, the
	// longest pause.
	Random func() float64
	// Tools runs the agent's tools. May be nil.
	Tools Tools
	// Permit decides about a call that seams and hooks allowed, by the arguments it will
	// run with. nil allows every call.
	Permit func(msg.ToolCall) permit.Verdict
	// Ask asks a person about a call that a rule, "" for none, wants to have asked. It
	// returns when ctx is done. nil when there is nobody to ask.
	Ask func(ctx context.Context, call msg.ToolCall, rule string) (allowed bool, err error)
	// ReadSession reads a session that a prompt cites. May be nil.
	ReadSession ref.Read
	// OnError is told failures that end nothing. May be nil.
	OnError func(error)
	// Observers are told each event after it was written, in order, each on a
	// goroutine of its own: what they do, or fail to do, holds up nothing. What is
	// told to them when the instance ends is delivered without anybody waiting.
	Observers []func(event.Event)
	// OnChunk sees the answer as it streams, on the instance's goroutine. May be
	// nil.
	OnChunk func(msg.Chunk)
	// OnFrozen sees the frozen prefix when it was composed. May be nil.
	OnFrozen func(Frozen)
	// SummaryClient connects to the model that writes summaries, when the agent's
	// compaction names another one. It is called once, before the first summary. May be
	// nil for other agents.
	SummaryClient func() (provider.Client, error)
	// OnRequest sees each body right before it is sent, at every attempt; step is 0 for the request of a
	// summary. May be nil.
	OnRequest func(turn, step int64, body wire.Body)
}

// Instance is one loop over one session, from start or resume to disposal. Its
// methods may be called from any goroutine.
type Instance struct {
	agent   *Agent
	session *store.Session
	opts    Options

	mu      sync.Mutex // guards these, the session's log and its state
	machine *loop.Machine
	abort   context.CancelCauseFunc // of the action under way
	wake    chan struct{}           // has room for one
	waiters []chan struct{}
	last    event.EndReason
	err     error // why the driver ended early
	done    chan struct{}

	measuring sync.Mutex   // guards meter; taken before mu
	meter     *meter.Meter // nil before something was measured

	nothing *msg.Error // why the last compaction by hand did nothing, nil when it did; guarded by mu

	cites map[string][]ref.Cite // by prompt, what a host cites beside its text

	inherited bool // everything in the log was copied from the session it was forked from

	observers []*observer

	// Owned by the driver's goroutine.
	frozen     Frozen
	told       map[string]string      // digest of what the model last read of each noticed contributor; nil before composition
	tools      []msg.Tool             // as they were when the prefix was composed
	opening    []event.ContextMessage // of the session start, for the first prompt
	beforeTurn []event.Payload        // what hooks did before a turn was open
	halted     bool                   // a hook ends this turn
	keptGoing  int64                  // turn that a stop hook kept going
	logged     bool                   // this instance has logged its header
	client     provider.Client
	encoder    *wire.Encoder
	encGen     int
	boundary   session.History
	asked      string         // model of the last request
	lastCall   msg.CallConfig // of the last request
	composed   bool
	summaries  provider.Client // of summaries, when another model writes them
	progress   compact.Progress
	weight     meter.Request // of the last request
	framed     meter.Tokens  // see frame; 0 before it is asked for
	untime     func()        // stops the clock of the open turn, nil when it has no limit; guarded by mu
}

// Start begins an instance over an open session, which it owns from now on and
// closes when it ends.
func Start(agent *Agent, s *store.Session, opts Options) *Instance {
	seed := s.Log.Header().SeedLength
	i := &Instance{agent: agent, session: s, opts: opts, machine: loop.New(s.State, agent.limits),
		inherited: s.State.HeaderSeq() < seed,
		wake:      make(chan struct{}, 1), done: make(chan struct{})}
	i.opts.Seams = opts.Seams.plus(i.hooked())
	for _, f := range opts.Observers {
		o := observe(f, i.report)
		i.observers = append(i.observers, o)
		s.Log.Observe(o.tell, nil)
	}
	go i.drive(SessionStart{SessionID: s.Log.Header().ID, Resumed: s.State.LastTurn() > 0})
	return i
}

// Send queues a prompt. Errors: ErrDisposed, or what ended the instance.
func (i *Instance) Send(content msg.Content) error {
	return i.enqueue(content, (*loop.Machine).Send)
}

// Steer says something to the running turn, or queues it when none runs. Errors
// as for Send.
func (i *Instance) Steer(content msg.Content) error {
	return i.enqueue(content, (*loop.Machine).Steer)
}

func (i *Instance) enqueue(content msg.Content, add func(*loop.Machine, loop.Prompt)) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.ended(); err != nil {
		return err
	}
	add(i.machine, loop.Prompt{ID: i.opts.NewID(), Content: content, Source: event.UserSource()})
	i.signal()
	return nil
}

// ended says why nothing can be sent any more; the caller holds mu.
func (i *Instance) ended() error {
	if i.err != nil {
		return i.err
	}
	if i.machine == nil {
		return ErrDisposed
	}
	return nil
}

func (i *Instance) signal() {
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// Cancel ends the running turn and drops what is queued. It reports whether there
// was anything to cancel. Without a reason the turn was "cancelled".
func (i *Instance) Cancel(reason string) bool {
	if reason == "" {
		reason = "cancelled" // also for those who are told through their context
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended() != nil || !i.machine.Cancel(reason) {
		return false
	}
	if i.abort != nil {
		i.abort(&msg.Error{Code: msg.CodeCancelled, Message: reason})
	}
	i.signal()
	return true
}

// Wait returns when nothing runs and nothing is queued, with the reason the last
// turn ended. Errors: that of ctx; what ended the instance.
func (i *Instance) Wait(ctx context.Context) (event.EndReason, error) {
	i.mu.Lock()
	if i.ended() != nil || !i.machine.Busy() {
		defer i.mu.Unlock()
		return i.last, i.err
	}
	idle := make(chan struct{})
	i.waiters = append(i.waiters, idle)
	i.mu.Unlock()
	select {
	case <-idle:
	case <-i.done:
	case <-ctx.Done():
		return event.EndReason{}, context.Cause(ctx)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.last, i.err
}

// Dispose ends the instance: a running turn ends as disposed, the log is synced
// and closed. It returns when that is done and may be called twice.
func (i *Instance) Dispose() error {
	i.Retire()
	<-i.done
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.err
}

// Done is closed when the instance has ended.
func (i *Instance) Done() <-chan struct{} { return i.done }

// Err is what ended the instance, nil while it runs and when it was disposed.
func (i *Instance) Err() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.err
}

// Retire is Dispose that does not wait, so that a seam or an observer may call it.
func (i *Instance) Retire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.machine == nil {
		return
	}
	i.machine.Dispose()
	if i.abort != nil {
		i.abort(ErrDisposed)
	}
	i.signal()
}

// drive carries out the machine's actions until it says Exit or the log fails.
func (i *Instance) drive(start SessionStart) {
	i.begin(start)
	var r loop.Result = loop.Done{}
	var err error
	for err == nil {
		i.mu.Lock()
		a := i.machine.Advance(r)
		if entries, ok := a.(loop.Append); ok {
			// Deciding and writing are one: an injection cannot come in between.
			var events []event.Event
			if events, err = i.write(entries.Entries); err == nil {
				r = loop.Done{Seq: events[len(events)-1].Seq}
			}
			i.watch(entries.Entries)
			i.mu.Unlock()
			continue
		}
		ctx, abort := context.WithCancelCause(context.Background())
		i.abort = abort
		i.mu.Unlock()
		if _, exit := a.(loop.Exit); exit {
			abort(nil)
			break
		}
		r, err = i.perform(ctx, a)
		abort(nil)
	}
	err = errors.Join(err, i.session.Close())
	for _, o := range i.observers {
		o.close()
	}
	i.mu.Lock()
	i.unwatch()
	i.err, i.machine = err, nil
	i.mu.Unlock()
	close(i.done)
}

// begin calls the session-start seams. Their failure is reported and no more. A
// cancel or a disposal ends what they wait for.
func (i *Instance) begin(start SessionStart) {
	if len(i.opts.Seams.SessionStart) == 0 {
		return
	}
	ctx, abort := context.WithCancelCause(context.Background())
	defer abort(nil)
	i.mu.Lock()
	if i.machine.Disposed() {
		abort(ErrDisposed)
	}
	i.abort = abort
	i.mu.Unlock()
	for _, f := range i.opts.Seams.SessionStart {
		var err error
		func() {
			defer contain(&err)
			var more []event.ContextMessage
			if more, err = f(ctx, start); sourced(more...) != nil {
				err = errors.Join(err, sourced(more...))
				return
			}
			i.opening = append(i.opening, more...)
		}()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			i.report(err)
		}
	}
}

func (i *Instance) report(err error) {
	if i.opts.OnError != nil {
		i.opts.OnError(err)
	}
}

// perform carries out one action. An error ends the instance: what cannot be
// logged must not happen.
func (i *Instance) perform(ctx context.Context, a loop.Action) (loop.Result, error) {
	switch a := a.(type) {
	case loop.Park:
		i.release()
		<-i.wake
		return loop.Done{}, nil
	case loop.Running:
		i.halted = false
		i.notice(ctx)
		return loop.Done{}, nil
	case loop.Idle:
		i.release()
		return loop.Done{}, nil
	case loop.Submit:
		return i.submit(ctx, a.Prompt), nil
	case loop.Compose:
		return i.compose(ctx), nil
	case loop.PreStep:
		return i.prepare(ctx, Step{a.Turn, a.Step})
	case loop.Recover:
		return i.recover(ctx, Step{a.Turn, a.Step})
	case loop.Compact:
		return i.maintain(ctx, a.Turn)
	case loop.Send:
		return i.send(ctx, a)
	case loop.StepResult:
		return i.stepResult(ctx, a), nil
	case loop.RunTool:
		if err := i.sync(); err != nil {
			return nil, err
		}
		return i.runTool(ctx, a), nil
	case loop.Continue:
		return i.goOn(ctx, a), nil
	case loop.Flush:
		if err := i.entitle(); err != nil {
			return nil, err
		}
		err := i.sync()
		i.mu.Lock()
		i.last = a.Reason
		i.mu.Unlock()
		return loop.Done{}, err
	}
	panic("engine: the loop asked for an unknown action")
}

// release wakes those who wait for quiet.
func (i *Instance) release() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.machine.Busy() {
		return
	}
	for _, w := range i.waiters {
		close(w)
	}
	i.waiters = nil
}

// append writes entries for the driver's own actions.
func (i *Instance) append(entries ...event.Entry) ([]event.Event, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.write(entries)
}

// sync makes durable what was appended, before anything acts on it.
func (i *Instance) sync() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.session.Log.Sync()
}

// write appends to log and state; the caller holds mu.
func (i *Instance) write(entries []event.Entry) (events []event.Event, err error) {
	defer contain(&err)
	for _, e := range entries {
		if _, ok := e.Payload.(event.StepStart); ok {
			i.boundary = i.session.State.History()
		}
	}
	return i.session.Append(entries...)
}

// Inject adds context without a prompt: into the open turn, which the log tells, and
// there behind the results of tools that run; or as a turn of its own, which asks no
// model and changes no status. Errors:
// ErrDisposed; context without a source; those of the log.
func (i *Instance) Inject(c event.ContextMessage) error {
	if err := sourced(c); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.ended(); err != nil {
		return err
	}
	message := event.Entry{Payload: c, Op: event.Op{Kind: event.OpAppend}}
	if turn, _ := i.session.State.Open(); turn != 0 {
		if i.machine.Inject(c) {
			return nil
		}
		_, err := i.write([]event.Entry{message})
		return err
	}
	n := i.session.State.LastTurn() + 1
	_, err := i.write([]event.Entry{
		{Payload: event.TurnStart{Turn: n, Trigger: "injection", Source: c.Source}},
		message,
		{Payload: event.TurnEnd{Turn: n, Reason: event.EndReason{Kind: event.EndCompleted}}},
	})
	if err != nil {
		return err
	}
	return i.session.Log.Sync()
}

// Title is the title of the session, "" when it has none.
func (i *Instance) Title() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.session.State.Title()
}

// SetTitle gives the session a title. Errors: ErrDisposed, or what ended the
// instance; those of the log.
func (i *Instance) SetTitle(title string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.ended(); err != nil {
		return err
	}
	if _, err := i.write([]event.Entry{{Payload: event.SessionTitle{Title: title}}}); err != nil {
		return err
	}
	return i.session.Log.Sync()
}

// compose freezes system and prefix. It runs once; only a composition that was
// interrupted or failed is done again, by the next turn.
func (i *Instance) compose(ctx context.Context) (out loop.Composed) {
	defer contain(&out.Err)
	f, err := i.agent.Freeze(ctx)
	if ctx.Err() != nil {
		return loop.Composed{Err: err}
	}
	if f, err = i.settle(f, err); err != nil {
		return loop.Composed{Err: err}
	}
	if i.opts.Tools != nil {
		i.tools = i.opts.Tools.Schemas()
		if err := checkTools(i.tools); err != nil {
			return loop.Composed{Err: err}
		}
	}
	i.frozen, i.composed = f, true
	i.mu.Lock()
	i.told = i.session.State.Told()
	i.mu.Unlock()
	if f.Reused || len(i.told) > 0 {
		// What the model reads last stands in the history, or in a prefix of old.
		i.notice(ctx)
	}
	if i.opts.OnFrozen != nil {
		i.opts.OnFrozen(f)
	}
	i.warnOfBudget()
	return loop.Composed{Skipped: f.Skipped}
}
