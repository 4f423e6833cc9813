package engine

import (
	"context"
	"errors"

	"github.com/dsh-hcl/dsh/engine/compact"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/wire"
)

// passed is what one pass came to.
type passed struct {
	changed  bool
	after    meter.Pressure
	input    int64
	unpriced bool
	cost     msg.Opt[msg.Cost]
	err      error
}

// pass carries out one decision between compact/start and compact/end, which is
// written whatever happens in between. The returned error is one of the log.
func (i *Instance) pass(ctx context.Context, turn int64, d compact.Decision, nodes []compact.Node, before meter.Pressure) (passed, error) {
	if d.Kind == event.GatePrune {
		return i.prune(turn, nodes[:d.N], before)
	}
	return i.summarize(ctx, turn, nodes[:d.N], before)
}

// end writes the end of a pass. rewritten is from which node on the next request is
// another one.
func (i *Instance) end(out *passed, turn int64, before meter.Pressure, rewritten int, usage msg.Opt[msg.Usage]) error {
	out.after = i.measure()
	e := event.CompactEnd{Turn: turn, Before: int64(before.Total), After: int64(out.after.Total)}
	if out.changed {
		e.Rewritten = int64(compact.Price(i.nodes()[rewritten:]))
		if p := i.agent.price; p != nil {
			anew := p.Of(msg.Usage{Input: e.Rewritten})
			if cached := p.Of(msg.Usage{CacheRead: msg.Some(e.Rewritten)}); anew.Amount > cached.Amount {
				e.RewriteCost = msg.Some(msg.Cost{Amount: anew.Amount - cached.Amount, Currency: anew.Currency})
			}
		}
	}
	if out.err != nil {
		e.Failure = &event.Failure{Message: out.err.Error(), Code: msg.CodeOf(out.err)}
		e.Usage, e.Cost = usage, out.cost
	}
	if _, err := i.append(event.Entry{Payload: e}); err != nil {
		return err
	}
	return i.sync()
}

// prune shortens the results of tools among nodes.
func (i *Instance) prune(turn int64, nodes []compact.Node, before meter.Pressure) (out passed, err error) {
	if _, err := i.append(event.Entry{Payload: event.CompactStart{Turn: turn, Kind: event.GatePrune, Start: nodes[0].Seq, End: nodes[len(nodes)-1].Seq}}); err != nil {
		return out, err
	}
	first := -1
	for at, n := range nodes {
		content, ok := i.agent.compaction.policy.Prune.Result(n)
		if !ok || n.Result == nil {
			continue
		}
		if first < 0 {
			first = at
		}
		short := *n.Result
		short.Content = content
		m, err := msg.NewMessage(msg.RoleUser, msg.ToolResult{CallID: short.CallID, Content: content, IsError: short.IsError})
		if err != nil {
			return out, err
		}
		_, err = i.append(
			event.Entry{Payload: event.CompactPrune{Turn: turn, Seq: n.Seq, Before: int64(n.Price), After: int64(i.agent.estimator.Message(m))}},
			event.Entry{Payload: short, Sources: []int64{n.Seq}, Op: event.Op{Kind: event.OpReplace, Start: n.Seq, End: n.Seq}},
		)
		if err != nil {
			return out, err
		}
		out.changed = true
	}
	return out, i.end(&out, turn, before, max(first, 0), msg.Opt[msg.Usage]{})
}

// summarize puts a summary in the place of nodes. Its request has the header in
// force, the messages of the nodes, and the instruction behind them, so that the
// provider reads the most of it from its cache.
func (i *Instance) summarize(ctx context.Context, turn int64, nodes []compact.Node, before meter.Pressure) (out passed, err error) {
	c := i.agent.compaction
	client, err := i.summaryClient()
	if err != nil {
		return passed{err: err, after: before}, nil
	}
	i.mu.Lock()
	inForce, any := i.session.State.Header()
	generation := i.session.State.History().Generation
	messages, ok := i.session.State.Range(nodes[0].Seq, nodes[len(nodes)-1].Seq)
	i.mu.Unlock()
	if !ok {
		return passed{err: errors.New("the history changed while it was looked at"), after: before}, nil
	}
	var entries []event.Entry
	if !any {
		inForce = i.header(i.config())
		entries = i.headerEvents(inForce)
	}
	call, shape := i.config(), i.agent.wire
	if c.other != nil {
		call, shape = c.other.call, c.other.wire
	}
	if n, ok := c.maxTokens.Get(); ok {
		call.MaxTokens = msg.Some(n)
	}
	instruction, err := msg.TextContent(c.policy.Summary.Instruction)
	if err != nil {
		return passed{err: err, after: before}, nil
	}
	body, err := wire.Encode(inForce.With(call, shape), messages, msg.Message{Role: msg.RoleUser, Content: instruction})
	if err != nil {
		return passed{err: err, after: before}, nil
	}
	start := event.CompactStart{Turn: turn, Kind: event.GateSummarize, Start: nodes[0].Seq, End: nodes[len(nodes)-1].Seq,
		Config: call, Wire: shape, Instruction: instruction}
	entries = append(entries, event.Entry{Payload: start}, event.Entry{Payload: event.RequestSent{Turn: turn, Bytes: body.Len(), SHA256: body.SHA256(),
		Purpose: event.PurposeSummary, Marks: body.Marks()}})
	written, err := i.append(entries...)
	if err != nil {
		return out, err
	}
	startSeq := written[len(written)-2].Seq
	if len(entries) > 2 {
		i.logged, i.lastCall = true, i.config()
	}
	if err := i.sync(); err != nil {
		return out, err
	}
	content, usage, failure := i.askSummary(ctx, client, turn, body)
	var lost *logError
	if errors.As(failure, &lost) {
		return out, lost.err
	}
	if u, ok := usage.Get(); ok {
		out.input = u.TotalInput()
	}
	out.cost = i.summaryCost(call.Model, usage)
	if _, priced := out.cost.Get(); !priced && failure == nil {
		out.unpriced = true
	}
	if failure == nil {
		failure = i.replace(turn, startSeq, generation, nodes, content, call.Model, usage, &out)
		if errors.As(failure, &lost) {
			return out, lost.err
		}
	}
	out.err = failure
	return out, i.end(&out, turn, before, 0, usage)
}

// replace writes summary and checkpoint.
func (i *Instance) replace(turn, start int64, generation int, nodes []compact.Node, answer msg.Content, model string, usage msg.Opt[msg.Usage], out *passed) error {
	summary, err := compact.Text(answer)
	if err != nil {
		return err
	}
	checkpoint, err := compact.Checkpoint(i.agent.estimator, summary, nodes)
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.session.State.History().Generation != generation {
		return errors.New("the history changed while the summary was written")
	}
	// Log and surface have one writer, and it holds mu: the seq is known beforehand.
	sources := make([]int64, 0, len(nodes)+2)
	sources = append(sources, start, i.session.State.Next())
	for _, n := range nodes {
		sources = append(sources, n.Seq)
	}
	_, err = i.write([]event.Entry{
		{Payload: event.CompactSummary{Turn: turn, Content: summary, Model: model, Tokens: int64(compact.Price(nodes)), Usage: usage, Cost: out.cost}},
		{Payload: event.UserMessage{ID: i.opts.NewID(), Content: checkpoint, Source: compact.Source()}, Sources: sources,
			Op: event.Op{Kind: event.OpReplace, Start: nodes[0].Seq, End: nodes[len(nodes)-1].Seq}},
	})
	if err != nil {
		return &logError{err}
	}
	out.changed = true
	return nil
}

// askSummary sends a request for a summary and reads the answer.
func (i *Instance) askSummary(ctx context.Context, client provider.Client, turn int64, body wire.Body) (content msg.Content, usage msg.Opt[msg.Usage], err error) {
	var asm provider.Assembler
	r := i.agent.retry
	if o := i.agent.compaction.other; o != nil {
		r = o.retry
	}
	err = i.deliver(ctx, client, r, Step{Turn: turn}, body, func(c msg.Chunk) error { asm.Add(c); return nil })
	usage = asm.Usage()
	if err != nil {
		return content, usage, err
	}
	switch f := asm.Finish(); f.Kind {
	case msg.FinishError:
		code := f.Code
		if code == "" {
			code = msg.CodeUnknown
		}
		return content, usage, &msg.Error{Code: code, Message: f.Message}
	case msg.FinishAborted:
		return content, usage, &msg.Error{Code: msg.CodeAborted, Message: "the provider aborted the summary"}
	case msg.FinishMaxTokens:
		return content, usage, &msg.Error{Code: msg.CodeMaxTokens, Message: "the summary was cut at its token limit (truncation): let it be longer by max_tokens in the compaction's summary block"}
	}
	content, err = asm.Content()
	return content, usage, err
}

// summaryClient is what summaries are asked of.
func (i *Instance) summaryClient() (client provider.Client, err error) {
	if i.agent.compaction.other == nil {
		err = i.connect()
		return i.client, err
	}
	if i.summaries == nil {
		defer contain(&err)
		if i.opts.SummaryClient == nil {
			return nil, &msg.Error{Code: msg.CodeNoModel, Message: "there is no connection to the model that writes summaries"}
		}
		i.summaries, err = i.opts.SummaryClient()
	}
	return i.summaries, err
}

// summaryCost is cost for a summary.
func (i *Instance) summaryCost(model string, usage msg.Opt[msg.Usage]) msg.Opt[msg.Cost] {
	price, own := i.agent.price, i.agent.call.Model
	if o := i.agent.compaction.other; o != nil {
		price, own = o.price, o.call.Model
	}
	u, reported := usage.Get()
	if !reported || price == nil || model != own {
		return msg.Opt[msg.Cost]{}
	}
	return msg.Some(price.Of(u))
}
