package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// watch starts the clock of a turn that begins and stops that of one that ends;
// the caller holds mu.
func (i *Instance) watch(entries []event.Entry) {
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case event.TurnStart:
			i.unwatch()
			if d := i.agent.turnTimeout; d > 0 {
				i.untime = i.afterFunc(d, func() { i.expire(p.Turn) })
			}
		case event.TurnEnd:
			i.unwatch()
		}
	}
}

func (i *Instance) unwatch() {
	if i.untime != nil {
		i.untime()
		i.untime = nil
	}
}

func (i *Instance) afterFunc(d time.Duration, f func()) (stop func()) {
	if i.opts.AfterFunc != nil {
		return i.opts.AfterFunc(d, f)
	}
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// expire ends a turn that took too long. The machine knows whether it still runs.
func (i *Instance) expire(turn int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	reason := &msg.Error{Code: msg.CodeTurnTimeout, Message: fmt.Sprintf("the turn reached its limit of %s (turn_timeout in the agent's limits)", written(i.agent.turnTimeout))}
	if i.ended() == nil && i.machine.Expire(turn, reason) && i.abort != nil {
		i.abort(reason)
	}
}

// written is a duration as a person writes it: 2m, not 2m0s.
func written(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// bounded runs one call of a tool for as long as it may take. What a tool says
// when its time was over already is not its result.
func (i *Instance) bounded(ctx context.Context, call msg.ToolCall) ToolOutcome {
	limit := i.agent.toolTimeout
	if limit <= 0 {
		return i.opts.Tools.Run(ctx, call)
	}
	late := &msg.Error{Code: msg.CodeTimeout, Message: fmt.Sprintf("the tool took longer than %s (tool_timeout in the agent's limits)", written(limit))}
	run, stop := context.WithTimeoutCause(ctx, limit, late)
	defer stop()
	out := i.opts.Tools.Run(run, call)
	if errors.Is(context.Cause(run), late) {
		return failed(late)
	}
	return out
}
