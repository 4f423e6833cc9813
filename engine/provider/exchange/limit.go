package exchange

import (
	"context"
	"io"
	"time"
)

// overdue is the cause of a context that a time limit cancelled.
type overdue struct {
	what  string
	limit time.Duration
}

func (o *overdue) Error() string { return o.what + " " + o.limit.String() }

// limit cancels with an *overdue after d unless the function it returns is called
// before. A d of 0 is no limit.
func limit(d time.Duration, what string, cancel context.CancelCauseFunc) (stop func()) {
	if d <= 0 {
		return func() {}
	}
	t := time.AfterFunc(d, func() { cancel(&overdue{what, d}) })
	return func() { t.Stop() }
}

// watched is a reader whose reads may not take longer than idle. The timer runs
// during reads only, so a slow consumer is no silence of the provider.
type watched struct {
	r     io.Reader
	idle  time.Duration
	timer *time.Timer // nil without a limit
}

func watch(r io.Reader, idle time.Duration, cancel context.CancelCauseFunc) *watched {
	w := &watched{r: r, idle: idle}
	if idle > 0 {
		w.timer = time.AfterFunc(idle, func() { cancel(&overdue{"silent for", idle}) })
		w.timer.Stop()
	}
	return w
}

func (w *watched) Read(p []byte) (int, error) {
	if w.timer == nil {
		return w.r.Read(p)
	}
	w.timer.Reset(w.idle)
	n, err := w.r.Read(p)
	w.timer.Stop()
	return n, err
}
