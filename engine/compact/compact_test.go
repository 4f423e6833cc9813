package compact_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/compact"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/schema"
)

// surface makes nodes of words: u a user message, t an assistant's text, cX… an
// assistant's calls with these ids, rX the result of a call, x a context message, n a
// node without a message. Each costs ten tokens.
func surface(t testing.TB, words string) []compact.Node {
	var out []compact.Node
	for i, w := range strings.Fields(words) {
		n := compact.Node{Seq: int64(i + 1), Price: 10}
		var m msg.Message
		var err error
		switch w[0] {
		case 'u', 'x':
			m, err = msg.NewMessage(msg.RoleUser, msg.Text{Text: "said"})
		case 't':
			m, err = msg.NewMessage(msg.RoleAssistant, msg.Text{Text: "answer"})
		case 'c':
			blocks := []msg.Block{msg.Text{Text: "calling"}}
			for _, id := range w[1:] {
				blocks = append(blocks, msg.ToolCall{ID: string(id), Name: "bash", Arguments: "{}"})
			}
			m, err = msg.NewMessage(msg.RoleAssistant, blocks...)
		case 'r':
			c, cerr := msg.TextContent("result")
			if cerr != nil {
				t.Fatal(cerr)
			}
			m, err = msg.NewMessage(msg.RoleUser, msg.ToolResult{CallID: w[1:], Content: c})
			n.Result = &event.ToolResult{CallID: w[1:]}
		}
		if err != nil {
			t.Fatal(err)
		}
		if w[0] != 'n' {
			n.Message = msg.Some(m)
		}
		out = append(out, n)
	}
	return out
}

// TestRegionOfRandomHistories holds every region to its promises: it parts no call
// from its result, what stays has what is retained, and the newest unit stays.
func TestRegionOfRandomHistories(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var words []string
		for len(words) < r.IntN(40) {
			switch r.IntN(5) {
			case 0:
				words = append(words, "u")
			case 1:
				words = append(words, "t")
			case 2:
				words = append(words, "x")
			case 3:
				words = append(words, "n")
			default:
				ids := "abcd"[:1+r.IntN(4)]
				words = append(words, "c"+ids)
				order := r.Perm(len(ids))
				for _, i := range order {
					if r.IntN(6) == 0 {
						words = append(words, "x")
					}
					words = append(words, "r"+ids[i:i+1])
				}
			}
		}
		nodes := surface(t, strings.Join(words, " "))
		for i := range nodes {
			nodes[i].Price = meter.Tokens(r.IntN(50))
		}
		cuts, err := compact.Cuts(nodes)
		if err != nil {
			t.Fatalf("%v: %v", words, err)
		}
		retain := meter.Tokens(r.IntN(200))
		n := compact.Region(nodes, cuts, retain)
		if n == 0 {
			continue
		}
		open := map[string]int{}
		for _, w := range words[:n] {
			if w[0] == 'c' {
				for _, id := range w[1:] {
					open[string(id)]++
				}
			}
			if w[0] == 'r' {
				open[w[1:]]--
			}
		}
		for id, k := range open {
			if k != 0 {
				t.Fatalf("%v: a cut behind %d nodes parts call %s from its result", words, n, id)
			}
		}
		if kept := compact.Price(nodes[n:]); kept < retain || n == len(nodes) {
			t.Fatalf("%v: %d nodes leave %d tokens, %d are to be retained", words, n, kept, retain)
		}
		if newest, _ := compact.Newest(nodes); newest > compact.Price(nodes[n:]) {
			t.Fatalf("%v: the newest unit is touched", words)
		}
	}
}

func result(t testing.TB, blocks ...msg.Block) compact.Node {
	c, err := msg.NewContent(blocks...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := msg.NewMessage(msg.RoleUser, msg.ToolResult{CallID: "a", Content: c})
	if err != nil {
		t.Fatal(err)
	}
	return compact.Node{Seq: 1, Message: msg.Some(m), Result: &event.ToolResult{CallID: "a"}, Price: 1000}
}

func TestPrunedResult(t *testing.T) {
	p := &compact.Prune{Threshold: 100, Head: 10, Tail: 5}
	text := func(s string) msg.Block { return msg.Text{Text: s} }
	image := msg.Unknown{Raw: `{"type":"image","url":"x"}`}
	for _, c := range []struct {
		name string
		in   []msg.Block
		want []msg.Block // nil when nothing changes
	}{
		{"short", []msg.Block{text(strings.Repeat("é", 100))}, nil},
		{"long", []msg.Block{text("0123456789" + strings.Repeat("x", 100) + "abcde")},
			[]msg.Block{text("0123456789\n[100 characters left out to save room]\nabcde")}},
		{"characters, not bytes", []msg.Block{text(strings.Repeat("日", 101))},
			[]msg.Block{text(strings.Repeat("日", 10) + "\n[86 characters left out to save room]\n" + strings.Repeat("日", 5))}},
		{"over blocks", []msg.Block{text("01234"), image, text("56789" + strings.Repeat("x", 50)), text(strings.Repeat("y", 50)), text("abcde")},
			[]msg.Block{text("01234"), image, text("56789\n[100 characters left out to save room]\n"), text("abcde")}},
		{"the cut between blocks", []msg.Block{text("0123456789"), text(strings.Repeat("x", 100)), image, text("abcde")},
			[]msg.Block{text("0123456789"), text("\n[100 characters left out to save room]\n"), image, text("abcde")}},
		{"no text", []msg.Block{image}, nil},
	} {
		n := result(t, c.in...)
		got, changed := p.Result(n)
		if changed != (c.want != nil) {
			t.Errorf("%s: changed is %v", c.name, changed)
			continue
		}
		if !changed {
			continue
		}
		var blocks []msg.Block
		for b := range got.Blocks() {
			blocks = append(blocks, b)
		}
		if !reflect.DeepEqual(blocks, c.want) {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, blocks, c.want)
		}
		if _, again := p.Result(result(t, blocks...)); again {
			t.Errorf("%s: it is shortened twice", c.name)
		}
	}
	if _, changed := p.Result(surface(t, "u")[0]); changed {
		t.Error("a message of the user is shortened")
	}
	if _, changed := (*compact.Prune)(nil).Result(result(t, text(strings.Repeat("x", 200)))); changed {
		t.Error("without a declaration a result is shortened")
	}
	for n := range 3 {
		if marker := fmt.Sprintf("\n[%d characters left out to save room]\n", 1<<(20*n)); len(marker) > compact.MarkerRoom {
			t.Errorf("the marker %q needs %d characters", marker, len(marker))
		}
	}
}

func TestGate(t *testing.T) {
	long := result(t, msg.Text{Text: strings.Repeat("word ", 1000)})
	long.Price = 2000
	call := surface(t, "ca")[0]
	call.Seq = 0
	tail := surface(t, "u t u t")
	for i := range tail {
		tail[i].Seq += 10
	}
	withResult := append([]compact.Node{call, long}, tail...)
	prune := &compact.Prune{Threshold: 1000, Head: 100, Tail: 100}
	p := compact.Policy{Window: 4000, Threshold: 2050, Retain: 20, MinGain: 0.1}
	pruning := p
	pruning.Prune = prune
	for _, c := range []struct {
		name     string
		policy   compact.Policy
		trigger  string
		pressure meter.Tokens
		nodes    []compact.Node
		room     meter.Tokens
		want     compact.Decision
	}{
		{"one below", p, event.TriggerThreshold, 2049, withResult, 0, compact.Decision{Kind: event.GateBelow}},
		{"at the threshold", p, event.TriggerThreshold, 2050, withResult, 0, compact.Decision{Kind: event.GateSummarize, N: 4}},
		{"shortening is enough", pruning, event.TriggerThreshold, 2050, withResult, 0, compact.Decision{Kind: event.GatePrune, N: 4}},
		{"shortening is not enough", pruning, event.TriggerThreshold, 5000, withResult, 0, compact.Decision{Kind: event.GateSummarize, N: 4}},
		{"by hand nothing is retained and nothing shortened", pruning, event.TriggerManual, 10, withResult, 0, compact.Decision{Kind: event.GateSummarize, N: 5}},
		{"after an overflow", pruning, event.TriggerOverflow, 5000, withResult, 0, compact.Decision{Kind: event.GateSummarize, N: 5}},
		{"a summary that would not fit is of less", p, event.TriggerThreshold, 3000, tail, 10, compact.Decision{Kind: event.GateSummarize, N: 1}},
		{"and shortens first", pruning, event.TriggerOverflow, 5000, withResult, 500, compact.Decision{Kind: event.GatePrune, N: 5, More: true}},
		{"an overflow that the meter sees", pruning, event.TriggerOverflow, 4000, withResult, 0, compact.Decision{Kind: event.GateSummarize, N: 5}},
		{"and that shortening ends", pruning, event.TriggerOverflow, 4000, append(withResult[:2:2], withResult...), 0, compact.Decision{Kind: event.GatePrune, N: 7}},
	} {
		got, err := c.policy.Gate(c.trigger, c.pressure, c.nodes, c.room)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
	for name, nodes := range map[string][]compact.Node{"no messages": nil, "all retained": tail[:2]} {
		got, err := p.Gate(event.TriggerThreshold, 3000, nodes, 0)
		if err != nil || got.Kind != event.GateNone || got.Reason == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, _ := p.Gate(event.TriggerThreshold, 3000, withResult, 5); got.Kind != event.GateNone || !strings.Contains(got.Reason, "room for 5 tokens") {
		t.Errorf("no room for anything: %+v", got)
	}
}

func TestNoProgress(t *testing.T) {
	p := compact.Policy{Threshold: 800, MinGain: 0.1}
	var g compact.Progress
	for i, step := range []struct {
		before, after meter.Tokens
		stuck         bool
	}{{1000, 950, false}, {1000, 500, false}, {1000, 901, false}, {901, 900, true}} {
		if got := g.Passed(p, step.before, step.after); got != step.stuck {
			t.Errorf("pass %d: stuck is %v", i+1, got)
		}
	}
	// What the provider counts behind a pass is what it freed.
	var r compact.Progress
	for i, step := range []struct {
		before, predicted, reported meter.Tokens
		hopeless                    bool
	}{{1000, 500, 990, false}, {1000, 500, 600, false}, {1000, 950, 500, false}, {1000, 500, 990, false}, {1000, 500, 1000, true}, {1000, 500, 400, true}} {
		r.Passed(p, step.before, step.predicted)
		r.Reported(p, step.reported)
		r.Reported(p, 1) // of a request that is not the first one behind it
		if i < 5 && r.Hopeless() != step.hopeless {
			t.Errorf("report %d: hopeless is %v", i+1, r.Hopeless())
		}
	}
	err := g.Stuck(p, meter.Pressure{Total: 900, Header: meter.HeaderTokens{System: 100, Tools: 50, Prefix: 600}, History: 150}, 40)
	for _, want := range []string{"10 %", "900 tokens", "1000 and 901", "Too big is the prefix with 600", "System text 100, tools 50, prefix 600, history 150", "newest message 40", "and 0 that the provider counts besides"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if msg.CodeOf(err) != "COMPACTION_NO_PROGRESS" {
		t.Errorf("code %s", msg.CodeOf(err))
	}
}

func TestCheckpoint(t *testing.T) {
	answer, err := msg.NewContent(msg.Reasoning{Text: "hm"}, msg.Text{Text: "SUMMARY"}, msg.ToolCall{ID: "a", Name: "bash", Arguments: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	summary, err := compact.Text(answer)
	if err != nil || summary.Raw() != `[{"type":"text","text":"SUMMARY"}]` {
		t.Fatalf("the text of an answer: %s, %v", summary.Raw(), err)
	}
	nodes := surface(t, "u t u t u t u t u t u t u t u t")
	c, err := compact.Checkpoint(meter.Estimator{}, summary, nodes)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for b := range c.Blocks() {
		blocks = append(blocks, b.(msg.Text).Text)
	}
	// L183
	if len(blocks) != 3 || !strings.Contains(blocks[0], "checkpoint") || !strings.HasSuffix(blocks[0], "<compacted-summary>\n") || blocks[1] != "SUMMARY" || blocks[2] != "\n</compacted-summary>" {
		t.Errorf("checkpoint %q", blocks)
	}
	if again, err := compact.Text(mustContent(t, msg.Text{Text: "<compacted-summary>\nOLD\n</compacted-summary>"})); err != nil || again.Text() != "\nOLD\n" {
		t.Errorf("the tags of an earlier checkpoint: %q, %v", again.Text(), err)
	}
	// L222, L223
	var big *compact.NotSmallerError
	if _, err := compact.Checkpoint(meter.Estimator{}, summary, nodes[:2]); !errors.As(err, &big) || big.Shadowed != 20 || big.Summary <= 20 {
		t.Errorf("two tiny nodes: %v", err)
	}
	// L214
	for name, blocks := range map[string][]msg.Block{
		"reasoning only": {msg.Reasoning{Text: "hm"}}, "blank": {msg.Text{Text: " \n"}}, "nothing": nil,
		"calls only": {msg.ToolCall{ID: "a", Name: "bash", Arguments: "{}"}},
	} {
		answer, err := msg.NewContent(blocks...)
		if err != nil {
			t.Fatal(err)
		}
		var empty *compact.EmptySummaryError
		if _, err := compact.Text(answer); !errors.As(err, &empty) || empty.Calls != (name == "calls only") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, section := range []string{"Request and intent", "Key technical concepts", "Files and code", "Errors and fixes", "Pending tasks", "Current work", "Next step", "Critical context"} {
		if strings.Count(compact.Instruction, "\n## "+section+"\n") != 1 {
			t.Errorf("the instruction has no section %q", section)
		}
	}
}

// BenchmarkGate decides about a hundred thousand nodes.
func BenchmarkGate(b *testing.B) {
	nodes := surface(b, strings.Repeat("u ca ra t ", 25000))
	p := compact.Policy{Window: 1 << 20, Threshold: 1000, Retain: 200, MinGain: 0.1, Prune: &compact.Prune{Threshold: 8192, Head: 4096, Tail: 1024}}
	b.ResetTimer()
	for range b.N {
		if d, err := p.Gate(event.TriggerThreshold, 1<<20, nodes, 0); err != nil || d.Kind != event.GateSummarize {
			b.Fatal(d, err)
		}
	}
}

// The configuration leaves room for the same marker.
func TestMarkerRoom(t *testing.T) {
	if schema.MarkerRoom != compact.MarkerRoom {
		t.Errorf("the configuration leaves room for %d characters, the marker has up to %d", schema.MarkerRoom, compact.MarkerRoom)
	}
}

// What no model has answered yet stays, whatever is retained: the prompt, what stands
// behind it, and the results of the last calls.
func TestTheUnansweredStays(t *testing.T) {
	for words, want := range map[string]int{
		"u t u t u x":       4, // a prompt with context behind it
		"u t u x x x":       2,
		"u t x x u":         2, // steering that waits
		"u t u ca ra":       3, // the results are to be answered, the prompt was
		"u t u cab ra rb x": 3,
		"u x":               0,
	} {
		nodes := surface(t, words)
		cuts, err := compact.Cuts(nodes)
		if err != nil {
			t.Fatal(err)
		}
		if got := compact.Region(nodes, cuts, 0); got != want {
			t.Errorf("%s: %d nodes go, want %d", words, got, want)
		}
	}
	nodes := surface(t, "u u x")
	nodes[0].Checkpoint = true
	cuts, _ := compact.Cuts(nodes)
	if got := compact.Region(nodes, cuts, 0); got != 1 {
		t.Errorf("a checkpoint in front of what is new: %d nodes go", got)
	}
}

func mustContent(t *testing.T, blocks ...msg.Block) msg.Content {
	t.Helper()
	c, err := msg.NewContent(blocks...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
