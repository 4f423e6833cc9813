package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"
)

// What sleeps on a clock that nobody holds moves it, and what is due before happens
// before, each at its time.
func TestClockMovesByItself(t *testing.T) {
	c := newClock(epoch)
	var at time.Duration
	stop := c.AfterFunc(time.Minute, func() { at = c.Now().Sub(epoch) })
	defer stop()
	late := false
	c.AfterFunc(time.Hour, func() { late = true })()
	if err := c.Sleep(t.Context(), 2*time.Hour); err != nil || c.Now() != epoch.Add(2*time.Hour) || at != time.Minute || late {
		t.Errorf("slept until %v, %v; the alarm rang at %v; one that was taken back rang: %v", c.Now(), err, at, late)
	}
}

// A timer ends a sleep whose context it cancels, and the clock stays there.
func TestClockStopsWhereASleepIsEnded(t *testing.T) {
	c := newClock(epoch)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("too long")
	defer c.AfterFunc(time.Minute, func() { cancel(why) })()
	if err := c.Sleep(ctx, time.Hour); err != why || c.Now() != epoch.Add(time.Minute) || c.sleeping() {
		t.Errorf("%v at %v, still sleeping: %v", err, c.Now(), c.sleeping())
	}
}

// On a held clock what sleeps waits until the scenario moves the clock, and each
// comes to rest before the next one wakes.
func TestHeldClock(t *testing.T) {
	c := newClock(epoch)
	c.hold(true)
	done := make(chan time.Time, 2)
	go func() {
		for range 2 {
			if err := c.Sleep(t.Context(), time.Minute); err != nil {
				t.Error(err)
			}
			done <- c.Now()
		}
	}()
	<-c.asleep
	c.advance(t.Context(), epoch.Add(30*time.Second), nil)
	select {
	case <-done:
		t.Fatal("it woke early")
	default:
	}
	settled := 0
	c.advance(t.Context(), epoch.Add(5*time.Minute), func() {
		<-done
		if settled++; settled == 1 {
			<-c.asleep
		}
	})
	if settled != 2 || c.Now() != epoch.Add(5*time.Minute) {
		t.Errorf("%d sleeps ended; it is %v", settled, c.Now())
	}
	go func() { done <- epoch; c.Sleep(t.Context(), time.Hour); done <- c.Now() }()
	<-done
	<-c.asleep
	c.release()
	if now := <-done; now != epoch.Add(5*time.Minute+time.Hour) {
		t.Errorf("let go, it sleeps until %v", now)
	}
}
