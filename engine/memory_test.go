package engine_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// TestHugeHistoryLiesInMemoryOnce goes on with a session of fifty megabytes: after a
// request, what is alive is the history and hardly more; the body is no second copy.
func TestHugeHistoryLiesInMemoryOnce(t *testing.T) {
	size := 50 << 20
	if testing.Short() {
		size = 10 << 20
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	w := newWorld(t)
	w.files = eventlog.Disk{Volatile: true}
	before := heap()
	s := w.create()
	surface := event.Op{Kind: event.OpAppend}
	const each = 50 << 10
	history := 0
	for turn := int64(1); history < size; turn++ {
		said := fmt.Sprintf("question %d: %s", turn, strings.Repeat("a \"quoted\" line\n", each/16))
		history += 2 * len(said)
		_, err := s.Append(
			event.Entry{Payload: event.TurnStart{Turn: turn, Trigger: "message", Source: event.UserSource()}},
			event.Entry{Payload: event.UserMessage{ID: "id", Content: text(said), Source: event.UserSource()}, Op: surface},
			event.Entry{Payload: event.StepStart{Turn: turn, Step: 1}},
			event.Entry{Payload: event.AssistantMessage{Turn: turn, Step: 1, Content: text(said), Finish: msg.FinishStop}, Op: surface},
			event.Entry{Payload: event.StepEnd{Turn: turn, Step: 1}},
			event.Entry{Payload: event.TurnEnd{Turn: turn, Reason: event.EndReason{Kind: event.EndCompleted}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = w.resume(s)
	m := &weighing{answer: func(string) []msg.Chunk { return saying("ok") }}
	i := w.startWith(w.agent(nil, nil, nil), s, m)
	send(t, i, "go on")
	send(t, i, "and on")
	alive := heap() - before
	t.Logf("a history of %d bytes, %d alive: %.2f times", history, alive, float64(alive)/float64(history))
	// As JSON, line breaks and quotes take two bytes: that is what is sent.
	if sent := float64(history) * 19 / 16; float64(alive) > 1.2*sent {
		t.Errorf("%d bytes of history as it is sent take %d bytes", int64(sent), alive)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
}
