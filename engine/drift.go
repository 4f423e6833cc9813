package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// settle decides what an instance is frozen with: what was composed, or, on a
// session whose agent says reuse, what the log last recorded, byte for byte. Either
// way the difference is part of the result, to be logged.
func (i *Instance) settle(f Frozen, err error) (Frozen, error) {
	i.mu.Lock()
	last, any := i.session.State.RequestHeader()
	inherited := i.inherited
	i.mu.Unlock()
	if !any {
		return f, err
	}
	how := i.agent.onResume
	if inherited {
		how = i.agent.onFork
	}
	if how == reuse {
		if err != nil {
			// What cannot be composed now is no reason not to go on with what was.
			i.report(fmt.Errorf("composition failed, the recorded one is used: %w", err))
		}
		out := Frozen{System: last.Header.System(), Prefix: last.Header.Prefix(), Sources: last.Sources, Reused: true}
		if err == nil {
			out.Drift = header.Drift(last.Sources, f.Sources)
		}
		return out, nil
	}
	if err != nil {
		return f, err
	}
	f.Drift = header.Drift(last.Sources, f.Sources)
	return f, nil
}

// notice tells the model of contributors whose source changed since it last read
// them, with one durable message each. What is frozen stays.
func (i *Instance) notice(ctx context.Context) {
	if i.told == nil {
		return // nothing is frozen yet
	}
	for _, n := range i.agent.notices {
		c, err := compose(ctx, n.contributor)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			i.report(fmt.Errorf("%s: its changes cannot be seen: %w", n.address, err))
			continue
		}
		now, frozen := fingerprint(c, n.inSystem), i.frozenPrint(n)
		before, told := i.told[n.address]
		if !told {
			before = frozen
		}
		if now == before {
			continue
		}
		i.told[n.address] = now
		if err := i.Inject(noticeOf(n.address, now, c)); err != nil {
			i.report(err)
		}
	}
}

// fingerprint identifies what a contributor renders to, as sources record it.
func fingerprint(c msg.Composition, inSystem bool) string {
	var sums []string
	for _, p := range c.Pieces {
		text := p.Message.Raw()
		if inSystem {
			text = p.Message.Content.Text()
		}
		sum := sha256.Sum256([]byte(text))
		sums = append(sums, hex.EncodeToString(sum[:]))
	}
	return strings.Join(sums, " ")
}

// frozenPrint is the fingerprint of what is frozen of a contributor.
func (i *Instance) frozenPrint(n noticed) string {
	sources := i.frozen.Sources.Prefix
	if n.inSystem {
		sources = i.frozen.Sources.System
	}
	var sums []string
	for _, s := range sources {
		if s.Address == n.address {
			sums = append(sums, s.SHA256)
		}
	}
	return strings.Join(sums, " ")
}

// noticeOf is the message about a changed contributor, whose fingerprint its source
// keeps for the instances that come after.
func noticeOf(address, fingerprint string, c msg.Composition) event.ContextMessage {
	text := fmt.Sprintf("The content of %s has changed since this session began. It is empty now.", address)
	if len(c.Pieces) > 0 {
		var parts []string
		for _, p := range c.Pieces {
			parts = append(parts, p.Message.Content.Text())
		}
		text = fmt.Sprintf("The content of %s has changed since this session began. It reads now:\n\n%s", address, strings.Join(parts, "\n\n"))
	}
	content, err := msg.TextContent(text)
	if err != nil {
		panic("engine: a message of a composition is not UTF-8")
	}
	return event.ContextMessage{Content: content, Source: event.NoticeSource(address, fingerprint)}
}
