package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// patience is how long a turn of a scenario may take on the real clock before
// the scenario fails instead of hanging.
const patience = 60 * time.Second

// outcome is how a turn ended, or why nobody knows.
type outcome struct {
	end event.EndReason
	err error
}

// begun starts to wait for the end of what was just sent.
func (w *world) begun() {
	if w.pending != nil {
		return
	}
	inst, pending := w.instance, make(chan outcome, 1)
	w.pending, w.ended = pending, nil
	go func() {
		ctx, cancel := context.WithTimeoutCause(w.opts.context(), patience, errors.New("the turn did not end"))
		defer cancel()
		end, err := inst.Wait(ctx)
		pending <- outcome{end, err}
	}()
}

// background reports whether a turn runs, or has ended, that no line waited for.
func (w *world) background() bool { return w.pending != nil || w.ended != nil }

// rest waits until the turn has ended or waits for the clock.
func (w *world) rest() {
	for w.pending != nil && !w.clock.sleeping() {
		select {
		case o := <-w.pending:
			w.pending, w.ended = nil, &o
		case <-w.clock.asleep:
		}
	}
}

// finish lets the clock go on by itself, waits for the end of the turn and reports
// it: the answer goes to stdout, warnings and failures to stderr.
func (w *world) finish(ts *testscript.TestScript) error {
	w.clock.release()
	if w.pending != nil {
		o := <-w.pending
		w.pending, w.ended = nil, &o
	}
	o := *w.ended
	w.ended = nil
	w.showWarnings(ts.Stderr())
	if o.err != nil {
		w.code = msg.CodeOf(o.err)
		return o.err
	}
	switch w.code = o.end.Code; o.end.Kind {
	case event.EndRejected:
		w.code = msg.CodePromptBlocked
	case event.EndMaxTokens:
		w.code = msg.CodeMaxTokens
	case event.EndAborted:
		w.code = msg.CodeCancelled
	}
	if c, err := w.current(ts); err == nil {
		fmt.Fprint(ts.Stdout(), lastAnswer(c.events))
	}
	if err := w.guard(ts); err != nil {
		return err
	}
	if err := w.unmet(); err != nil {
		return err
	}
	if err := w.unreached(); err != nil {
		return err
	}
	if o.end.Kind == event.EndDisposed {
		if err := w.dispose(); err != nil {
			return err
		}
	}
	if o.end.Kind != event.EndCompleted {
		err := fmt.Errorf("the turn ended as %s", endOf(o.end))
		fmt.Fprintln(ts.Stderr(), err)
		return err
	}
	return nil
}

// moveClock moves the clock on. A turn in the background comes to rest after
// everything that happens on the way.
func (w *world) moveClock(d time.Duration) error {
	w.clock.advance(context.Background(), w.clock.Now().Add(d), w.rest)
	w.rest()
	return nil
}

// lastAnswer is the text of the last assistant message of the last turn, ending in
// a line feed, or "".
func lastAnswer(events []event.Event) string {
	for i := len(events) - 1; i >= 0 && events[i].Type != "turn/start"; i-- {
		if events[i].Type != "assistant/message" {
			continue
		}
		m, ok := events[i].Message()
		if !ok {
			continue
		}
		return m.Content.Text() + "\n"
	}
	return ""
}

// unmet is the mistake of a request that was not what a reply of the scripted model
// expected; each is told once, and no ! turns it into success.
func (w *world) unmet() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, m := range append(slices.Clone(w.before), w.model) {
		if m != nil {
			all = append(all, m.Unmet()...)
		}
	}
	if len(all) <= w.told {
		return nil
	}
	first := all[w.told]
	w.told = len(all)
	return wrongf("%s", first)
}

// leftover is what a scenario began and did not finish: a turn whose end no line waited
// for, whatever it was, and points that no turn came to.
func (w *world) leftover() error {
	if err := w.unreached(); err != nil {
		return err
	}
	if len(w.cites) > 0 {
		return wrongf("ref cites a session in the next prompt, and none follows")
	}
	if w.background() {
		return wrongf("the turn that send began in the background has an end that no line looks at: write settle, or ! settle when it fails")
	}
	return nil
}

// unasked is a promise about a request that was never sent: a reply of the scenario's
// own scripted model with an expectation.
func (w *world) unasked() error {
	if !w.ownModel {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range append(slices.Clone(w.before), w.model) {
		if m == nil {
			continue
		}
		if replies := m.Unasked(); len(replies) > 0 {
			return wrongf("%s expects something of a request, and no request came to it: send more, or take the expectation out", replies[0])
		}
	}
	return nil
}
