package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/wire"
)

// retry says how often a request is sent and how long the pauses are. The zero retry
// sends it once.
type retry struct {
	attempts int
	min, max time.Duration
}

func compileRetry(p *config.Provider) retry {
	if p.Protocol.V == "replay" {
		return retry{} // what was recorded has been retried, and nothing of it passes
	}
	c := p.Retry
	return retry{attempts: c.Attempts.V, min: c.MinDelay.V, max: c.MaxDelay.V}
}

// backoff is the pause behind an attempt, counted from 1. random is in [0, 1) and
// takes off up to a half, so that those who failed together do not come back together.
func (r retry) backoff(attempt int, random float64) time.Duration {
	d := min(r.min, r.max)
	for n := 1; n < attempt && d < r.max; n++ {
		d += min(d, r.max-d)
	}
	return d - time.Duration(random*float64(d)/2)
}

// pause says how long to wait after an attempt failed, or that there is no other one.
// What a provider asks for is waited for, and up to a half of a backoff longer.
func (r retry) pause(failure error, attempt int, random float64) (time.Duration, bool) {
	var e *provider.Error
	if attempt >= r.attempts || !errors.As(failure, &e) || !e.Passing() || e.RetryAfter > r.max {
		return 0, false
	}
	wait := r.backoff(attempt, random)
	if asked := e.RetryAfter; asked > 0 {
		later := time.Duration(random * float64(r.backoff(attempt, 0)) / 2)
		wait = max(wait, asked+min(later, r.max-asked))
	}
	return wait, true
}

// logError is a failure of the log, which ends the instance.
type logError struct{ err error }

func (e *logError) Error() string { return e.err.Error() }

// deliver sends a body, again where that is safe and may help, and hands the chunks of
// the answer to take. Safe is what no part of an answer came from. An error of take
// ends it. Errors: *logError; context.Cause(ctx) once that is done; that of the last
// attempt.
func (i *Instance) deliver(ctx context.Context, client provider.Client, r retry, s Step, body wire.Body, take func(msg.Chunk) error) error {
	for attempt := 1; ; attempt++ {
		begun, err := i.once(ctx, client, s, body, take)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil || begun:
			return err
		}
		wait, again := r.pause(err, attempt, i.random())
		if !again {
			return spent(err, r, attempt)
		}
		if err := i.failed(s, attempt, err, wait); err != nil {
			return &logError{err}
		}
		i.report(fmt.Errorf("%w; attempt %d of %d follows in %s", err, attempt+1, r.attempts, wait.Round(time.Millisecond)))
		if err := i.sleep(ctx, wait); err != nil || ctx.Err() != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return err
		}
	}
}

// spent adds to the error of the last attempt why there is no other one, where that
// is not plain.
func spent(err error, r retry, attempt int) error {
	var e *provider.Error
	if !errors.As(err, &e) || !e.Passing() {
		return err
	}
	told := *e
	switch {
	case e.RetryAfter > r.max && attempt < r.attempts:
		told.Message += fmt.Sprintf("; it asks to wait %s, longer than max_delay in the provider's retry block (%s)", written(e.RetryAfter), written(r.max))
	case attempt > 1:
		told.Message += fmt.Sprintf("; %d attempts failed", attempt)
	default:
		return err
	}
	return &told
}

// once sends a body once. begun says that a chunk of an answer came.
func (i *Instance) once(ctx context.Context, client provider.Client, s Step, body wire.Body, take func(msg.Chunk) error) (begun bool, err error) {
	defer contain(&err)
	if i.opts.OnRequest != nil {
		i.opts.OnRequest(s.Turn, s.Step, body)
	}
	for c, err := range client.Stream(ctx, body) {
		// A cancel counts before what arrived with it.
		if ctx.Err() != nil {
			return begun, context.Cause(ctx)
		}
		if err != nil {
			return begun, err
		}
		begun = true
		if err := take(c); err != nil {
			return begun, err
		}
	}
	return begun, nil
}

// failed logs and syncs an attempt that another one follows.
func (i *Instance) failed(s Step, attempt int, failure error, wait time.Duration) error {
	e := event.RequestAttempt{Turn: s.Turn, Step: s.Step, Attempt: int64(attempt), Code: msg.CodeOf(failure), Message: failure.Error(), DelayMS: wait.Milliseconds()}
	if p := (*provider.Error)(nil); errors.As(failure, &p) {
		e.Status = int64(p.Status)
	}
	if _, err := i.append(event.Entry{Payload: e}); err != nil {
		return err
	}
	return i.sync()
}

func (i *Instance) random() float64 {
	if i.opts.Random == nil {
		return 0
	}
	return i.opts.Random()
}

func (i *Instance) sleep(ctx context.Context, d time.Duration) error {
	if i.opts.Sleep != nil {
		return i.opts.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
