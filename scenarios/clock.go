package scenarios

import (
	"context"
	"slices"
	"sync"
	"time"
)

// clock is the clock of a scenario. It stands still but for those who wait on it:
// what sleeps moves it to the end of its sleep. Held, it moves only when the
// scenario says so, and what sleeps waits for that. It is safe for concurrent use.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	held   bool
	alarms []*alarm
	asleep chan struct{} // told when somebody begins to wait on a held clock; has room for one
}

// alarm is what happens when the clock has come to a time.
type alarm struct {
	at     time.Time
	ring   func()
	sleeps bool // somebody waits for it and does nothing else
}

func newClock(now time.Time) *clock { return &clock{now: now, asleep: make(chan struct{}, 1)} }

// Now returns the time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep returns when the clock has moved on by d, or with the cause of ctx when
// that is done before.
func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	woken := make(chan struct{})
	a := &alarm{at: c.now.Add(d), ring: func() { close(woken) }, sleeps: true}
	c.alarms = append(c.alarms, a)
	if c.held {
		c.tell()
	}
	held := c.held
	c.mu.Unlock()
	if !held {
		c.advance(ctx, a.at, nil)
	}
	select {
	case <-woken:
		return context.Cause(ctx)
	case <-ctx.Done():
		c.drop(a)
		return context.Cause(ctx)
	}
}

// tell says that somebody sleeps; the caller holds mu.
func (c *clock) tell() {
	select {
	case c.asleep <- struct{}{}:
	default:
	}
}

// AfterFunc calls f when the clock has moved on by d, or when d has passed on the
// real clock, since processes that are waited for take real time. stop takes it
// back.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func()) {
	var once sync.Once
	ring := func() { once.Do(f) }
	c.mu.Lock()
	a := &alarm{at: c.now.Add(d), ring: ring}
	c.alarms = append(c.alarms, a)
	c.mu.Unlock()
	real := time.AfterFunc(d, ring)
	return func() {
		real.Stop()
		c.drop(a)
	}
}

func (c *clock) drop(a *alarm) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alarms = slices.DeleteFunc(c.alarms, func(b *alarm) bool { return a == b })
}

// advance moves the clock to a time, or until ctx is done, ringing on the way what
// is due, each at its time. After each sleeper that woke it calls settle, when that
// is not nil.
func (c *clock) advance(ctx context.Context, to time.Time, settle func()) {
	for ctx.Err() == nil {
		c.mu.Lock()
		var next *alarm
		for _, a := range c.alarms {
			if !a.at.After(to) && (next == nil || a.at.Before(next.at)) {
				next = a
			}
		}
		if next == nil {
			if to.After(c.now) {
				c.now = to
			}
			c.mu.Unlock()
			return
		}
		if next.at.After(c.now) {
			c.now = next.at
		}
		c.alarms = slices.DeleteFunc(c.alarms, func(b *alarm) bool { return next == b })
		c.mu.Unlock()
		next.ring()
		if next.sleeps && settle != nil {
			settle()
		}
	}
}

// hold makes sleepers wait for the scenario, or lets go of those who do.
func (c *clock) hold(held bool) {
	c.mu.Lock()
	c.held = held
	select {
	case <-c.asleep: // of a sleep that is over
	default:
	}
	c.mu.Unlock()
}

// sleeping reports whether somebody sleeps.
func (c *clock) sleeping() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.alarms, func(a *alarm) bool { return a.sleeps })
}

// release lets the clock go on by itself: those who sleep wake one after the other.
func (c *clock) release() {
	c.hold(false)
	for {
		c.mu.Lock()
		var first time.Time
		for _, a := range c.alarms {
			if a.sleeps && (first.IsZero() || a.at.Before(first)) {
				first = a.at
			}
		}
		c.mu.Unlock()
		if first.IsZero() {
			return
		}
		c.advance(context.Background(), first, nil)
	}
}
