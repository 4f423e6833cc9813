package verify

import (
	"fmt"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// pruned is a log of one turn with n results, of which a pass shortens every one.
func pruned(t *testing.T, n int) []event.Event {
	t.Helper()
	var out []event.Event
	add := func(e event.Entry) int64 {
		out = append(out, event.New(int64(len(out)), 1, e))
		return int64(len(out)) - 1
	}
	surface := event.Op{Kind: event.OpAppend}
	content, err := msg.TextContent("result")
	if err != nil {
		t.Fatal(err)
	}
	add(event.Entry{Payload: event.TurnStart{Turn: 1, Trigger: "message", Source: event.UserSource()}})
	add(event.Entry{Payload: event.UserMessage{ID: "u", Content: content, Source: event.UserSource()}, Op: surface})
	var results []int64
	for i := range n {
		step := int64(i + 1)
		id := fmt.Sprint("c", i)
		call, err := msg.NewContent(msg.ToolCall{ID: id, Name: "ls", Arguments: "{}"})
		if err != nil {
			t.Fatal(err)
		}
		add(event.Entry{Payload: event.StepStart{Turn: 1, Step: step}})
		add(event.Entry{Payload: event.AssistantMessage{Turn: 1, Step: step, Content: call, Finish: msg.FinishToolCalls}, Op: surface})
		from := add(event.Entry{Payload: event.ToolCall{Turn: 1, Step: step, CallID: id, Name: "ls", Arguments: "{}"}})
		results = append(results, add(event.Entry{Payload: event.ToolResult{Turn: 1, Step: step, CallID: id, Content: content}, Op: surface, Sources: []int64{from}}))
		add(event.Entry{Payload: event.StepEnd{Turn: 1, Step: step}})
	}
	add(event.Entry{Payload: event.CompactStart{Turn: 1, Kind: event.GatePrune, Start: 1, End: results[n-1]}})
	for i, seq := range results {
		add(event.Entry{Payload: event.CompactPrune{Turn: 1, Seq: seq, Before: 9, After: 3}})
		add(event.Entry{Payload: event.ToolResult{Turn: 1, Step: int64(i + 1), CallID: fmt.Sprint("c", i), Content: content},
			Sources: []int64{seq}, Op: event.Op{Kind: event.OpReplace, Start: seq, End: seq}})
	}
	add(event.Entry{Payload: event.CompactEnd{Turn: 1, Before: 9, After: 3}})
	return out
}

// A pass over many results costs what each of them costs, for who folds the log and for
// who checks it.
func TestPruningIsLinear(t *testing.T) {
	took := func(n int) time.Duration {
		events := pruned(t, n)
		best := time.Hour
		for range 3 {
			begin := time.Now()
			s, err := session.Fold(events)
			if err != nil {
				t.Fatal(err)
			}
			if v := Check(events, true); v != nil {
				t.Fatal(v)
			}
			if got := len(s.History().Messages); got != 2*n+1 {
				t.Fatalf("%d messages", got)
			}
			best = min(best, time.Since(begin))
		}
		return best
	}
	few, many := took(1000), took(16_000)
	for range 10 { // others may use the machine
		if many <= 48*few {
			break
		}
		few, many = min(few, took(1000)), min(many, took(16_000))
	}
	t.Logf("1,000 results take %v, 16,000 %v", few, many)
	if many > 48*few {
		t.Errorf("1,000 results take %v, and 16,000 %v", few, many)
	}
}
