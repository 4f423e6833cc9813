package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

func set[T any](v T) config.Attr[T] { return config.Attr[T]{V: v, Set: true} }

// compacting declares a compaction with these limits in tokens.
func compacting(threshold, retain int, change ...func(*config.Compaction)) func(*config.Agent) {
	return func(a *config.Agent) {
		a.Compaction = &config.Compaction{Threshold: set(threshold), Retain: set(retain), Auto: set(true), Retries: set(1),
			MaxOverflowRetries: set(1), MinGain: set("0.1"), Summary: config.Summary{Retries: set(0)}}
		for _, f := range change {
			f(a.Compaction)
		}
	}
}

// quiet answers without usage, so that the meter estimates.
func quiet(text string) answer {
	return func(_ context.Context, yield func(msg.Chunk, error) bool) {
		_ = yield(msg.TextDelta{Text: text}, nil) && yield(msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishStop}}, nil)
	}
}

func refuses(code string) answer {
	return fails(&provider.Error{Code: code, Message: "the provider says " + code})
}

const lorem = "The quick brown fox jumps over the lazy dog while seven wizards watch from the old tower. "

// ofType is the events of a type, by their data.
func ofType(events []event.Event, kind string) []map[string]any {
	var out []map[string]any
	for _, e := range events {
		if e.Type == kind {
			var m map[string]any
			if err := json.Unmarshal([]byte(e.Data.Raw()), &m); err != nil {
				panic(err)
			}
			out = append(out, m)
		}
	}
	return out
}

func TestCompactsBeforeARequest(t *testing.T) {
	w := newWorld(t)
	a := w.agent(compacting(300, 60), nil, []msg.Contributor{contributor("text.rules", "Be brief.")})
	s := w.create()
	m := &model{}
	for range 5 {
		m.answers = append(m.answers, quiet(strings.Repeat(lorem, 2)))
	}
	i := w.start(a, s, m)
	for n := range 3 {
		send(t, i, fmt.Sprintf("question %d: %s", n+1, strings.Repeat(lorem, 2)))
	}
	m.answers = []answer{quiet("They talked about foxes."), quiet("done")}
	if end := send(t, i, "question 4: "+strings.Repeat(lorem, 4)); end.Kind != event.EndCompleted {
		t.Fatalf("the turn ended as %+v", end)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	scan := w.scan(s, 5)
	starts, summaries, ends := ofType(scan.Events, "compact/start"), ofType(scan.Events, "compact/summary"), ofType(scan.Events, "compact/end")
	if len(starts) != 1 || len(summaries) != 1 || len(ends) != 1 {
		t.Fatalf("passes: %d starts, %d summaries, %d ends: %s", len(starts), len(summaries), len(ends), types(scan.Events))
	}
	// The request for the summary begins as the one before it did, up to its last kept message.
	before, summary, after := m.bodies[2], m.bodies[3], m.bodies[4]
	if !strings.HasPrefix(summary, strings.TrimSuffix(before, "]}")) {
		t.Errorf("the request for the summary does not extend the last one:\n%s\n%s", before, summary)
	}
	if !strings.Contains(after, "They talked about foxes.") || strings.Contains(after, "question 1") || !strings.Contains(after, "question 4") || !strings.Contains(after, "Be brief.") {
		t.Errorf("the request behind it: %s", after)
	}
	if g := ofType(scan.Events, "compact/gate"); len(g) != 4 || g[2]["decision"] != "below" || g[3]["decision"] != "summarize" {
		t.Errorf("decisions: %v", g)
	}
	if e := ends[0]; e["after"].(float64) >= 300 || e["before"].(float64) < 300 || e["rewritten"] == nil {
		t.Errorf("end: %v", e)
	}
}

func TestOverflowIsRecovered(t *testing.T) {
	for name, c := range map[string]struct {
		answers []answer
		sent    int
		end     event.EndKind
		code    string
	}{
		"once": {answers: []answer{refuses(provider.CodeContextWindow), quiet("Short."), quiet("done")}, sent: 4, end: event.EndCompleted},
		"twice in a row": {answers: []answer{refuses(provider.CodeContextWindow), quiet("Short."), refuses(provider.CodeContextWindow)},
			sent: 4, end: event.EndError, code: "CONTEXT_WINDOW_EXCEEDED"},
		"the summary too": {answers: []answer{refuses(provider.CodeContextWindow), refuses(provider.CodeContextWindow), quiet("Short."), quiet("done")},
			sent: 5, end: event.EndCompleted},
		"no summary": {answers: []answer{refuses(provider.CodeContextWindow), refuses(provider.CodeUnavailable)},
			sent: 3, end: event.EndError, code: "CONTEXT_WINDOW_EXCEEDED"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.create()
			m := &model{answers: []answer{quiet(strings.Repeat(lorem, 9))}}
			i := w.start(w.agent(compacting(100000, 1000), nil, nil), s, m)
			send(t, i, strings.Repeat(lorem, 9))
			m.answers = c.answers
			end := send(t, i, "go on")
			if err := i.Dispose(); err != nil {
				t.Fatal(err)
			}
			if end.Kind != c.end || end.Code != c.code {
				t.Errorf("the turn ended as %+v", end)
			}
			w.scan(s, c.sent)
		})
	}
}

func TestManualCompaction(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	m := &model{answers: []answer{quiet(strings.Repeat(lorem, 9))}}
	i := w.start(w.agent(compacting(100000, 1000), nil, nil), s, m)
	send(t, i, strings.Repeat(lorem, 9))
	m.answers = append(m.answers, quiet("Short."))
	if err := i.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	err := i.Compact(context.Background())
	if msg.CodeOf(err) != engine.CodeNothingToCompact {
		t.Errorf("a second one: %v", err)
	}
	m.answers = append(m.answers, quiet("done"))
	send(t, i, "go on")
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	scan := w.scan(s, 3)
	if last := m.bodies[len(m.bodies)-1]; !strings.Contains(last, "Short.") || !strings.Contains(last, "go on") {
		t.Errorf("the next request: %s", last)
	}
	if n := len(ofType(scan.Events, "compact/start")); n != 1 {
		t.Errorf("%d passes", n)
	}
	if err := w.start(w.agent(nil, nil, nil), w.create(), m).Compact(context.Background()); !errors.Is(err, engine.ErrNoCompaction) {
		t.Errorf("without a compaction block: %v", err)
	}
}
