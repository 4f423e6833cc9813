package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/provider"
)

// TestPause: the pause doubles from min to max, chance takes at most half of it, and
// what a provider asks for is kept unless it is more than max.
func TestPause(t *testing.T) {
	r := retry{attempts: 4, min: time.Second, max: 3 * time.Second}
	busy := &provider.Error{Code: provider.CodeUnavailable, Status: 503}
	asked := func(d time.Duration) error {
		return &provider.Error{Code: provider.CodeRateLimited, Status: 429, RetryAfter: d}
	}
	for _, c := range []struct {
		err     error
		attempt int
		random  float64
		want    time.Duration // negative for no other attempt
	}{
		{busy, 1, 0, time.Second},
		{busy, 2, 0, 2 * time.Second},
		{busy, 3, 0, 3 * time.Second},
		{busy, 4, 0, -1},
		{busy, 1, 0.5, 750 * time.Millisecond},
		{busy, 3, 0.999, 3*time.Second - 1498500*time.Microsecond},
		{asked(2 * time.Second), 1, 0, 2 * time.Second},
		{asked(2 * time.Second), 1, 0.5, 2250 * time.Millisecond},
		{asked(10 * time.Millisecond), 1, 0, time.Second}, // never sooner than by itself
		{asked(3 * time.Second), 1, 0.5, 3 * time.Second}, // never longer than max
		{asked(3*time.Second + 1), 1, 0, -1},
		{&provider.Error{Code: provider.CodeAuth, Status: 401}, 1, 0, -1},
		{errors.New("a key that cannot be read"), 1, 0, -1},
	} {
		got, again := r.pause(c.err, c.attempt, c.random)
		if again != (c.want >= 0) || again && got != c.want {
			t.Errorf("%v after attempt %d (%g): %s %v, want %s", c.err, c.attempt, c.random, got, again, c.want)
		}
	}
	if _, again := (retry{}).pause(busy, 1, 0); again {
		t.Error("the zero retry sends a request again")
	}
	wild := retry{attempts: 1000, min: time.Nanosecond, max: 1<<63 - 1}
	for n := 1; n < 1000; n++ {
		if d := wild.backoff(n, 0); d <= 0 {
			t.Fatalf("attempt %d: %s", n, d)
		}
	}
}
