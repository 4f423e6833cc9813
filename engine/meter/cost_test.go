package meter_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// grow returns a function that follows a history with one more message each time and
// asks for the pressure, from n messages on.
func grow(t testing.TB, n int) func() meter.Pressure {
	t.Helper()
	h := session.History{Messages: make([]msg.Message, 0, n+1<<20)}
	add := func() {
		h.Messages = append(h.Messages, user(t, fmt.Sprintf("Message %06d says where the ferry of the morning is now.", len(h.Messages))))
	}
	for range n {
		add()
	}
	m := meter.New(estimator(t, "o200k"))
	head := header.New(header.Parts{System: "You are terse."})
	m.SetHeader(head)
	m.Follow(h)
	return func() meter.Pressure {
		add()
		m.SetHeader(head)
		m.Follow(h)
		m.Reported(m.Sent(), 1000)
		return m.Pressure()
	}
}

// Asking for the pressure of the next request costs as much after 100,000 messages
// as after 100.
func TestPressureIsFlat(t *testing.T) {
	few, many := grow(t, 100), grow(t, 100_000)
	const rounds, steps = 60, 2000
	run := func(step func() meter.Pressure) time.Duration {
		begin := time.Now()
		for range steps {
			step()
		}
		return time.Since(begin)
	}
	best := [2]time.Duration{time.Hour, time.Hour}
	for range rounds { // one after the other, so that a busy machine slows both
		if float64(best[1]) <= 1.5*float64(best[0]) && best[0] < time.Hour {
			break
		}
		best[0] = min(best[0], run(few))
		best[1] = min(best[1], run(many))
	}
	ratio := float64(best[1]) / float64(best[0])
	t.Logf("a message more costs %v after 100 messages and %v after 100,000, %.2f times", best[0]/steps, best[1]/steps, ratio)
	if ratio > 1.5 {
		t.Errorf("after 100,000 messages the next one costs %.2f times what it costs after 100", ratio)
	}
}

func BenchmarkPressure(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			step := grow(b, n)
			for b.Loop() {
				step()
			}
		})
	}
}
