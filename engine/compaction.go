package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/compact"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// compaction is what the compaction block of an agent compiles to.
type compaction struct {
	policy    compact.Policy
	maxTokens msg.Opt[int64] // of a summary
	window    meter.Tokens   // of the model that writes summaries, 0 when it is not known
	output    meter.Tokens   // that its answer may have
	other     *target        // that model, nil when it is the agent's own
}

// target is a model that is asked for summaries only.
type target struct {
	provider string
	call     msg.CallConfig
	wire     header.Wire
	price    *msg.Price
	retry    retry
}

// CodeStillAbove is the code of passes that left a request at its threshold.
const CodeStillAbove = "COMPACTION_STILL_ABOVE"

// CodeNothingToCompact is the code of a compaction that a person asked for where
// nothing can be freed.
const CodeNothingToCompact = "NOTHING_TO_COMPACT"

// CodeBusy is the code of a compaction of a session that is not idle.
const CodeBusy = "SESSION_BUSY"

// ErrNoCompaction is returned to those who ask an agent for a compaction that
// declares none.
var ErrNoCompaction = errors.New("the agent has no compaction block, so it compacts nothing")

// compileCompaction compiles the agent's compaction block, if it has one.
func (a *Agent) compileCompaction(c *config.Config, agent *config.Agent, model *config.Model) error {
	b := agent.Compaction
	if b == nil {
		return nil
	}
	gain, err := strconv.ParseFloat(b.MinGain.V, 64)
	if err != nil {
		return fmt.Errorf("compaction: min_gain: %w", err)
	}
	out := &compaction{
		policy: compact.Policy{
			Window: meter.Tokens(model.ContextWindow.V), Threshold: meter.Tokens(b.Threshold.V), Retain: meter.Tokens(b.Retain.V),
			Auto: b.Auto.V, Retries: b.Retries.V, Overflow: b.MaxOverflowRetries.V, MinGain: gain,
			Summary: compact.Summary{Instruction: b.Summary.Prompt.V, Retries: b.Summary.Retries.V},
		},
		window: meter.Tokens(model.ContextWindow.V), output: meter.Tokens(model.MaxOutputTokens.V),
	}
	if out.policy.Summary.Instruction == "" {
		out.policy.Summary.Instruction = compact.Instruction
	}
	if p := b.Prune; p != nil {
		out.policy.Prune = &compact.Prune{Threshold: p.Threshold.V, Head: p.Head.V, Tail: p.Tail.V}
	}
	if name := b.Summary.Model.V; name != "" && name != model.Name {
		m, ok := c.Model(name)
		if !ok {
			return fmt.Errorf("compaction: no model %q", name)
		}
		p, ok := c.Provider(m.Provider)
		if !ok {
			return fmt.Errorf("model %q: no provider %q", m.Name, m.Provider)
		}
		out.other = &target{provider: p.Name, call: callOf(m), wire: wireOf(m, p), price: priceOf(m), retry: compileRetry(p)}
		out.window, out.output = meter.Tokens(m.ContextWindow.V), meter.Tokens(m.MaxOutputTokens.V)
	}
	if n := b.Summary.MaxTokens.V; n > 0 {
		out.maxTokens, out.output = msg.Some(int64(n)), meter.Tokens(n)
	}
	a.compaction = out
	a.limits.MaxRecoveries = out.policy.Overflow
	return nil
}

// Compacts reports whether the agent has a compaction block.
func (a *Agent) Compacts() bool { return a.compaction != nil }

// Budget is what the frozen part of an agent's requests has, in tokens. Least is
// Frozen less what the estimate may be off by, and Off that share in percent.
type Budget struct {
	System, Prefix, Frozen, Least int64
	Off                           int
	// Instruction is what the instruction for a summary has, and Room what the window of
	// the model that writes summaries leaves for messages beside it, the frozen part and
	// the answer. Room is there when Window, that window, is known.
	Instruction, Window, Room int64
	Frame                     int64 // of a checkpoint, besides its summary
}

// Budget measures a composed system text and prefix.
func (a *Agent) Budget(f Frozen) Budget {
	parts := a.estimator.Header(header.New(header.Parts{System: f.System, Prefix: f.Prefix}))
	_, off := a.estimator.Error()
	total := int64(parts.Total())
	b := Budget{System: int64(parts.System), Prefix: int64(parts.Prefix), Frozen: total, Least: total * int64(100-off) / 100, Off: off}
	if c := a.compaction; c != nil {
		b.Frame = int64(compact.Frame(a.estimator))
		b.Instruction, b.Window = int64(a.estimator.Text(c.policy.Summary.Instruction)), int64(c.window)
		b.Room = b.Window - int64(c.output) - (b.Frozen+b.Instruction)*int64(100-off)/100
	}
	return b
}

// SummaryProvider is the name of the provider that is asked for summaries, "" when it
// is that of the agent's model.
func (a *Agent) SummaryProvider() string {
	if a.compaction == nil || a.compaction.other == nil {
		return ""
	}
	return a.compaction.other.provider
}

// Pressure is what the next request is taken to have: with the prefix of this
// instance once it is composed, and with the one in force before.
func (i *Instance) Pressure() meter.Pressure {
	i.measuring.Lock()
	defer i.measuring.Unlock()
	return i.measure()
}

// Compact compacts the idle session in a turn of its own and returns when that is
// done. Errors: ErrNoCompaction; ErrDisposed, or what ended the instance; *msg.Error
// with CodeBusy, CodeNothingToCompact, or the code of what failed; that of ctx, after
// which the compaction goes on until the instance is cancelled.
func (i *Instance) Compact(ctx context.Context) error {
	if i.agent.compaction == nil {
		return ErrNoCompaction
	}
	i.mu.Lock()
	if err := i.ended(); err != nil {
		i.mu.Unlock()
		return err
	}
	i.nothing = nil
	if !i.machine.Compact() {
		i.mu.Unlock()
		return &msg.Error{Code: CodeBusy, Message: "the session is busy, and only an idle one can be compacted by hand"}
	}
	i.signal()
	i.mu.Unlock()
	end, err := i.Wait(ctx)
	if err != nil {
		return err
	}
	i.mu.Lock()
	nothing := i.nothing
	i.mu.Unlock()
	switch end.Kind {
	case event.EndCompleted:
		if nothing != nil {
			return nothing
		}
	case event.EndError:
		return &msg.Error{Code: end.Code, Message: end.Message}
	case event.EndAborted, event.EndDisposed:
		return &msg.Error{Code: msg.CodeCancelled, Message: "the compaction was cancelled: " + end.Reason}
	}
	return nil
}

// measure follows the history and says what the next request has. The caller holds
// measuring.
func (i *Instance) measure() meter.Pressure {
	i.mu.Lock()
	s := i.session.State
	history, reported, headers := s.History(), s.Reported(), s.Headers()
	inForce, any := s.Header()
	i.mu.Unlock()
	if i.meter == nil {
		i.meter = meter.New(i.agent.estimator)
		// What an earlier instance was told counts on, as long as its header does.
		if any && reported.Input > 0 && reported.Headers == headers && reported.History.Generation == history.Generation {
			i.meter.SetHeader(inForce)
			i.meter.Follow(reported.History)
			i.meter.Reported(i.meter.Sent(), reported.Input)
		}
	}
	if i.composed {
		i.meter.SetHeader(i.header(i.config()))
	} else if any {
		i.meter.SetHeader(inForce)
	}
	i.meter.Follow(history)
	return i.meter.Pressure()
}

// weigh keeps what the meter takes the request about to be sent for, and weighed
// what the provider then counted.
func (i *Instance) weigh(h header.Header) {
	if i.agent.compaction == nil {
		return // whoever measures now and then reads it from the log
	}
	i.measuring.Lock()
	defer i.measuring.Unlock()
	i.measure()
	i.meter.SetHeader(h)
	i.meter.Follow(i.boundary)
	i.weight = i.meter.Sent()
}

func (i *Instance) weighed(usage msg.Opt[msg.Usage]) {
	u, ok := usage.Get()
	if !ok || i.agent.compaction == nil {
		return
	}
	i.measuring.Lock()
	defer i.measuring.Unlock()
	i.meter.Reported(i.weight, u.TotalInput())
	i.progress.Reported(i.agent.compaction.policy, meter.Tokens(u.TotalInput()))
}

// config is the call configuration of the last request, of the agent before the first.
func (i *Instance) config() msg.CallConfig {
	if i.logged {
		return i.lastCall
	}
	return i.agent.call
}

// header is the header of a request of this instance.
func (i *Instance) header(call msg.CallConfig) header.Header {
	return header.New(header.Parts{Config: call, System: i.frozen.System, Tools: i.tools, Prefix: i.frozen.Prefix, Wire: i.agent.wire})
}

// warnOfBudget tells at once that a compaction cannot help: what it does not touch
// reaches the threshold.
func (i *Instance) warnOfBudget() {
	c := i.agent.compaction
	if c == nil || !c.policy.Auto {
		return
	}
	parts := i.agent.estimator.Header(i.header(i.agent.call))
	if parts.Total()+c.policy.Retain >= c.policy.Threshold {
		i.report(fmt.Errorf("every request begins with about %d tokens (system %d, tools %d, prefix %d); with the %d that are retained that reaches the threshold of %d, so no compaction can bring a request below it",
			parts.Total(), parts.System, parts.Tools, parts.Prefix, c.policy.Retain, c.policy.Threshold))
	}
}

// nodes is the surface with its prices, as of the last measure.
func (i *Instance) nodes() []compact.Node {
	i.mu.Lock()
	surface := i.session.State.Nodes()
	i.mu.Unlock()
	out := make([]compact.Node, len(surface))
	at := 0
	for j, n := range surface {
		out[j] = compact.Node{Seq: n.Seq, Message: n.Message, Result: n.Result, Checkpoint: n.Checkpoint}
		if _, has := n.Message.Get(); has && at < i.meter.Len() {
			out[j].Price = i.meter.Price(at)
			at++
		}
	}
	return out
}
