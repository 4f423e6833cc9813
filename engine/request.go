package engine

import (
	"context"
	"errors"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/loop"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/wire"
)

// send builds the request of a step, logs it, syncs, sends it and reads the
// answer. The returned error is a failure of the log; everything else becomes
// the answer's error.
func (i *Instance) send(ctx context.Context, a loop.Send) (loop.Result, error) {
	entries, body, err := i.build(ctx, a.Turn, a.Step)
	if err != nil {
		return loop.Answered{Err: err}, nil
	}
	// Connecting comes before logging, so that the log names no request that an
	// unset key kept from leaving.
	if err := i.connect(); err != nil {
		i.encoder = nil // its marks were taken but not logged
		return loop.Answered{Err: err}, nil
	}
	if _, err := i.append(entries...); err != nil {
		return nil, err
	}
	i.logged = true
	if err := i.sync(); err != nil {
		return nil, err
	}
	return i.stream(ctx, a, body)
}

func (i *Instance) connect() (err error) {
	if i.client != nil {
		return nil
	}
	defer contain(&err)
	i.client, err = i.opts.Client()
	return err
}

// build makes the body of the next request and the entries that record it. Its
// cost is that of the messages which no earlier request held.
func (i *Instance) build(ctx context.Context, turn, step int64) ([]event.Entry, wire.Body, error) {
	call, err := i.callConfig(ctx, Step{turn, step})
	if err != nil {
		return nil, wire.Body{}, err
	}
	i.asked, i.lastCall = call.Model, call
	h := i.header(call)
	i.weigh(h)
	entries := i.headerEvents(h)
	// The log says when bodies begin anew, and so the encoder does: with a header
	// event, and with a history that does not extend the one before.
	if i.encoder == nil || len(entries) > 0 || i.encGen != i.boundary.Generation {
		enc, err := wire.NewEncoder(h)
		if err != nil {
			return nil, wire.Body{}, err
		}
		i.encoder, i.encGen = enc, i.boundary.Generation
	}
	if err := i.encoder.Append(i.boundary.Messages[i.encoder.Messages():]...); err != nil {
		i.encoder = nil
		return nil, wire.Body{}, err
	}
	body := i.encoder.Body()
	entries = append(entries, event.Entry{Payload: event.RequestSent{Turn: turn, Step: step,
		Bytes: body.Len(), SHA256: body.SHA256(), Purpose: event.PurposeStep, Marks: body.Marks()}})
	return entries, body, nil
}

// headerEvents are what a header owes the log (spec/loop.md section 3.2): a
// snapshot for the first request of an instance, nothing for the header in force,
// a delta for a change, and a snapshot where a delta would not say it.
func (i *Instance) headerEvents(h header.Header) []event.Entry {
	i.mu.Lock()
	inForce, any := i.session.State.Header()
	i.mu.Unlock()
	snapshot := func(reason string) []event.Entry {
		return []event.Entry{{Payload: event.RequestHeader{Header: h, Reason: reason, ConfigDigest: i.agent.digest, Sources: i.frozen.Sources,
			Drift: i.frozen.Drift, Reused: i.frozen.Reused}}}
	}
	switch {
	case !i.logged && !any:
		return snapshot(event.HeaderInitial)
	case !i.logged:
		return snapshot(event.HeaderResume)
	case inForce.Equal(h):
		return nil
	}
	d := header.Diff(inForce, h)
	if again, err := inForce.Apply(d); err != nil || !again.Equal(h) {
		return snapshot(event.HeaderFallback)
	}
	return []event.Entry{{Payload: event.RequestHeaderDelta{Delta: d}}}
}

// stream sends a body and assembles the answer.
func (i *Instance) stream(ctx context.Context, a loop.Send, body wire.Body) (loop.Result, error) {
	var asm provider.Assembler
	var chunks []int64
	failure := i.deliver(ctx, i.client, i.agent.retry, Step{a.Turn, a.Step}, body, func(c msg.Chunk) error {
		if i.agent.chunks {
			events, err := i.append(event.Entry{Payload: event.AssistantChunk{Turn: a.Turn, Step: a.Step, Chunk: c}})
			if err != nil {
				return &logError{err}
			}
			chunks = append(chunks, events[0].Seq)
		}
		asm.Add(c)
		if i.opts.OnChunk != nil {
			i.opts.OnChunk(c)
		}
		return nil
	})
	var lost *logError
	if errors.As(failure, &lost) {
		return nil, lost.err
	}
	i.weighed(asm.Usage())
	out := loop.Answered{Usage: asm.Usage(), Cost: i.cost(asm.Usage()), Finish: asm.Finish(), Chunks: chunks, Err: failure}
	if failure != nil || out.Finish.Kind == msg.FinishError || out.Finish.Kind == msg.FinishAborted {
		out.Content = asm.Partial()
		return out, nil
	}
	content, err := asm.Content()
	out.Content, out.Err = content, err
	return out, nil
}

// cost is what an answer cost; absent when nobody knows: the agent's model has no
// price, the request went to another one, or the provider reported no usage.
func (i *Instance) cost(usage msg.Opt[msg.Usage]) msg.Opt[msg.Cost] {
	u, reported := usage.Get()
	if !reported || i.agent.price == nil || i.asked != i.agent.call.Model {
		return msg.Opt[msg.Cost]{}
	}
	return msg.Some(i.agent.price.Of(u))
}
