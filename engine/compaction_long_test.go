package engine_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// weighing answers every request by what it is about and counts tokens as a quarter of
// the bytes, so that its usage and the estimate differ.
type weighing struct {
	answer  func(body string) []msg.Chunk
	silent  bool  // without usage
	besides int64 // tokens that it counts besides those of the body
	asked   int
	most    int64 // tokens of the longest request
}

func (m *weighing) Stream(_ context.Context, body provider.Body) iter.Seq2[msg.Chunk, error] {
	return func(yield func(msg.Chunk, error) bool) {
		m.asked++
		var b strings.Builder
		buf := make([]byte, 32<<10)
		for r := body.Reader(); ; {
			n, err := r.Read(buf)
			b.Write(buf[:n])
			if err != nil {
				break
			}
		}
		input := body.Len()/4 + m.besides
		m.most = max(m.most, input)
		for _, c := range m.answer(b.String()) {
			if f, ok := c.(msg.FinishChunk); ok && !m.silent {
				if !yield(msg.UsageChunk{Usage: msg.Usage{Input: input, Output: 50}}, nil) || !yield(f, nil) {
					return
				}
			} else if !yield(c, nil) {
				return
			}
		}
	}
}

func saying(text string) []msg.Chunk {
	return []msg.Chunk{msg.TextDelta{Text: text}, msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishStop}}}
}

func isSummary(body string) bool { return strings.Contains(body, "## Critical context") }

// TestTwoThousandTurns runs a session far beyond its window. Time and memory of a turn
// do not grow with the turns before it.
func TestTwoThousandTurns(t *testing.T) {
	// Others may use the machine: one of three runs has to be even.
	for range 2 {
		if first, last := twoThousandTurns(t); last <= 2*first {
			return
		}
	}
	if first, last := twoThousandTurns(t); last > 2*first {
		t.Errorf("the last quarter took %v, the second %v", last, first)
	}
}

// twoThousandTurns runs the session and returns what its second and its last quarter took.
func twoThousandTurns(t *testing.T) (first, last time.Duration) {
	t.Helper()
	const window = 16384
	turns := 2000
	if testing.Short() {
		turns = 400
	}
	w := newWorld(t)
	w.files = eventlog.Disk{Volatile: true}
	m := &weighing{answer: func(body string) []msg.Chunk {
		if isSummary(body) {
			return saying("## Request and intent\n- they talk on\n\n## Next step\n- go on")
		}
		return saying(strings.Repeat(lorem, 3))
	}}
	s := w.create()
	i := engine.Start(w.agent(compacting(window*8/10, window*16/100), nil, []msg.Contributor{contributor("text.rules", "Be brief.")}), s, engine.Options{
		NewID: func() string { return "id" }, Client: func() (provider.Client, error) { return m, nil },
		OnError: func(err error) { t.Errorf("warning: %v", err) },
	})
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	type measure struct {
		took time.Duration
		heap uint64
	}
	var parts []measure
	for part := range 4 {
		began := time.Now()
		for n := range turns / 4 {
			if end := send(t, i, fmt.Sprintf("turn %d: %s", part*turns/4+n, lorem)); end.Kind != event.EndCompleted {
				t.Fatalf("turn %d ended as %+v", part*turns/4+n, end)
			}
		}
		parts = append(parts, measure{time.Since(began), heap()})
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	if m.most > window {
		t.Errorf("a request has %d tokens in a window of %d", m.most, window)
	}
	scan := w.scan(s, m.asked)
	passes := len(ofType(scan.Events, "compact/summary"))
	if passes < turns/200 || passes > turns/10 {
		t.Errorf("%d summaries in %d turns", passes, turns)
	}
	t.Logf("%d summaries, longest request %d tokens, %v", passes, m.most, parts)
	if first, last := parts[1], parts[3]; last.heap > first.heap+4<<20 {
		t.Errorf("the heap grew from %d to %d bytes", first.heap, last.heap)
	}
	return parts[1].took, parts[3].took
}

// TestCompactionOfRandomHistories runs random sessions with tools, context and earlier
// checkpoints, and holds every one to what a compaction promises: the log verifies,
// pairing is intact, prefix and newest unit stay, and each pass makes the surface smaller.
func TestCompactionOfRandomHistories(t *testing.T) {
	done := map[string]int{} // what was seen at all
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := newWorld(t)
		w.files = eventlog.Disk{Volatile: true}
		calls := 0
		m := &weighing{}
		m.answer = func(body string) []msg.Chunk {
			if isSummary(body) {
				if r.IntN(8) == 0 {
					return saying(strings.Repeat(lorem, 200)) // not smaller
				}
				return saying("They went on.")
			}
			if r.IntN(3) == 0 {
				return saying(strings.Repeat(lorem, 1+r.IntN(8)))
			}
			var out []msg.Chunk
			for n := range 1 + r.IntN(3) {
				calls++
				out = append(out, msg.ToolCallDelta{Index: n, ID: fmt.Sprint("call", calls), Name: "ls", ArgumentsDelta: "{}"})
			}
			return append(out, msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishToolCalls}})
		}
		prune := func(c *config.Compaction) {
			if seed%2 == 0 {
				c.Prune = &config.Prune{Threshold: set(600), Head: set(200), Tail: set(100)}
			}
		}
		s := w.create()
		i := engine.Start(w.agent(compacting(1500, 300, prune), nil, []msg.Contributor{contributor("text.rules", "Be brief, says the prefix.")}), s, engine.Options{
			NewID: func() string { return "id" }, Client: func() (provider.Client, error) { return m, nil },
			Tools: &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
				return engine.ToolOutcome{Content: text(strings.Repeat(lorem, 1+r.IntN(12)))}
			}},
		})
		for n := range 12 {
			if r.IntN(4) == 0 {
				if err := i.Inject(event.ContextMessage{Content: text(lorem), Source: event.PluginSource("test")}); err != nil {
					t.Fatal(err)
				}
			}
			if r.IntN(6) == 0 {
				_ = i.Compact(context.Background()) // there may be nothing to compact
			}
			send(t, i, fmt.Sprintf("prompt %d %s", n, lorem))
		}
		if err := i.Dispose(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(s.Log.Path())
		if err != nil {
			t.Fatal(err)
		}
		report, err := verify.Log(s.Log.Path(), string(b))
		if err != nil || !report.OK() {
			t.Fatalf("seed %d: %v, %v", seed, err, report.Damage)
		}
		scan, err := eventlog.ScanText(s.Log.Path(), string(b))
		if err != nil {
			t.Fatal(err)
		}
		if v := verify.Check(scan.Events, true); v != nil {
			t.Fatalf("seed %d: %v", seed, v)
		}
		for _, e := range ofType(scan.Events, "compact/end") {
			before, after := e["before"].(float64), e["after"].(float64)
			if _, failed := e["error"]; failed {
				done["failed"]++
			} else {
				done["done"]++
			}
			if _, failed := e["error"]; failed && after != before || !failed && after >= before {
				t.Errorf("seed %d: a pass from %v to %v: %v", seed, before, after, e["error"])
			}
		}
		done["pruned"] += len(ofType(scan.Events, "compact/prune"))
		for _, q := range report.Requests {
			if q.Sent.Purpose == event.PurposeSummary && strings.Contains(string(q.Body.Bytes()), "<compacted-summary>\\n") {
				done["merged"]++
			}
			body := string(q.Body.Bytes())
			if !strings.Contains(body, "Be brief, says the prefix.") {
				t.Fatalf("seed %d: request %d is without the prefix", seed, q.Number)
			}
			for id, n := range pairs(body) {
				if n != 0 {
					t.Fatalf("seed %d: request %d: call %s and its result are parted", seed, q.Number, id)
				}
			}
		}
	}
	for _, what := range []string{"done", "failed", "pruned", "merged"} {
		if done[what] < 5 {
			t.Errorf("%s: seen %d times", what, done[what])
		}
	}
	t.Log(done)
}

// pairs counts the calls of a body by id, and takes their results off.
func pairs(body string) map[string]int {
	out := map[string]int{}
	for _, part := range strings.Split(body, `{"id":"`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		out[id]++
	}
	for _, part := range strings.Split(body, `"tool_call_id":"`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		out[id]--
	}
	return out
}

// long makes a session of n messages in turns of two, by its log.
func (w *world) long(n int) *store.Session {
	w.t.Helper()
	s := w.create()
	surface := event.Op{Kind: event.OpAppend}
	h := header.New(header.Parts{Config: msg.CallConfig{Model: "m"}, Wire: header.Wire{Protocol: "openai", Dialect: "openai"}})
	for turn := int64(1); turn <= int64(n/2); turn++ {
		entries := []event.Entry{
			{Payload: event.TurnStart{Turn: turn, Trigger: "message", Source: event.UserSource()}},
			{Payload: event.UserMessage{ID: "id", Content: text(fmt.Sprintf("question %d: %s", turn, lorem)), Source: event.UserSource()}, Op: surface},
			{Payload: event.StepStart{Turn: turn, Step: 1}},
		}
		if turn == 1 {
			entries = append(entries, event.Entry{Payload: event.RequestHeader{Header: h, Reason: event.HeaderInitial, ConfigDigest: "d"}})
		}
		entries = append(entries,
			event.Entry{Payload: event.AssistantMessage{Turn: turn, Step: 1, Content: text(lorem), Finish: msg.FinishStop}, Op: surface},
			event.Entry{Payload: event.StepEnd{Turn: turn, Step: 1}},
			event.Entry{Payload: event.TurnEnd{Turn: turn, Reason: event.EndReason{Kind: event.EndCompleted}}})
		if _, err := s.Append(entries...); err != nil {
			w.t.Fatal(err)
		}
	}
	return s
}

// TestCompactsAHundredThousandMessages takes less than a second without the model.
func TestCompactsAHundredThousandMessages(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 1000
	}
	w := newWorld(t)
	w.files = eventlog.Disk{Volatile: true}
	s := w.long(n)
	m := &model{answers: []answer{quiet("They asked and were told.")}}
	i := w.start(w.agent(compacting(1<<30, 1<<20), nil, nil), s, m)
	i.Pressure() // what a running session knows already
	var took time.Duration
	began := time.Now()
	if err := i.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	took = time.Since(began)
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", took)
	if !racing && took > time.Second {
		t.Errorf("compacting took %v", took)
	}
}

// TestMeasuringCostsWhatIsNew compares the time to measure a request behind a hundred
// and behind a hundred thousand messages.
func TestMeasuringCostsWhatIsNew(t *testing.T) {
	if racing {
		t.Skip("times are measured without the race detector")
	}
	measure := func(n int) func() time.Duration {
		w := newWorld(t)
		w.files = eventlog.Disk{Volatile: true}
		i := w.start(w.agent(compacting(1<<30, 1<<20), nil, nil), w.long(n), &model{})
		t.Cleanup(func() { _ = i.Dispose() })
		i.Pressure()
		return func() time.Duration {
			best := time.Hour
			for range 20 {
				began := time.Now()
				for range 1000 {
					i.Pressure()
				}
				best = min(best, time.Since(began)/1000)
			}
			return best
		}
	}
	few, many := measure(100), measure(100_000)
	ratio := 0.0
	for range 5 {
		a, b := few(), many()
		ratio = float64(b) / float64(a)
		t.Logf("%v behind 100 messages, %v behind 100,000: ratio %.2f", a, b, ratio)
		if ratio <= 1.5 {
			return
		}
	}
	t.Errorf("measuring costs %.2f times as much", ratio)
}

// startWith begins an instance whose provider is any client.
func (w *world) startWith(a *engine.Agent, s *store.Session, client provider.Client) *engine.Instance {
	return engine.Start(a, s, engine.Options{NewID: func() string { return "id" }, Client: func() (provider.Client, error) { return client, nil }})
}
