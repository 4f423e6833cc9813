package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
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

// TestSummaryRequestIsVerified changes what a summary was asked with, and what it was
// about; each is found, at its place.
func TestSummaryRequestIsVerified(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	m := &model{answers: []answer{quiet(strings.Repeat(lorem, 9)), quiet("Short.")}}
	i := w.start(w.agent(compacting(100000, 1000), nil, []msg.Contributor{contributor("text.rules", "Be brief.")}), s, m)
	send(t, i, "the first prompt "+strings.Repeat(lorem, 9))
	if err := i.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	w.scan(s, 2)
	b, err := os.ReadFile(s.Log.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, where string }{
		{"Pending tasks", "Pending tosks", "the end of the body"},
		{"the first prompt", "the fixst prompt", "event 1 (log line 3)"},
		{"Be brief.", "Be briff.", "prefix text.rules"},
	} {
		report, err := verify.Log(s.Log.Path(), strings.Replace(string(b), c.from, c.to, 1))
		if err != nil {
			t.Fatal(err)
		}
		summary := report.Requests[1]
		if summary.Sent.Purpose != event.PurposeSummary || summary.Difference == nil || !strings.Contains(summary.Difference.String(), c.where) {
			t.Errorf("%s: %v, %v", c.to, summary.Err, summary.Difference)
		}
	}
}

// TestCancelledCompaction ends a summary that is being written: the pass ends with an
// error, the surface is as it was, and the log is whole.
func TestCancelledCompaction(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	asked := make(chan struct{})
	m := &model{answers: []answer{quiet(strings.Repeat(lorem, 9)), func(ctx context.Context, yield func(msg.Chunk, error) bool) {
		close(asked)
		<-ctx.Done()
		yield(nil, context.Cause(ctx))
	}}}
	i := w.start(w.agent(compacting(200, 50), nil, nil), s, m)
	send(t, i, strings.Repeat(lorem, 9))
	if err := i.Send(text("go on")); err != nil {
		t.Fatal(err)
	}
	<-asked
	i.Cancel("enough")
	if end, err := i.Wait(context.Background()); err != nil || end.Kind != event.EndAborted || end.Reason != "enough" {
		t.Errorf("the turn ended as %+v, %v", end, err)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	scan := w.scan(s, 2)
	if got := types(scan.Events[len(scan.Events)-5:]); got != "compact/gate compact/start request/sent compact/end turn/end" {
		t.Errorf("the turn: %s", got)
	}
	if e := ofType(scan.Events, "compact/end")[0]; e["error"] == nil || e["after"] != e["before"] {
		t.Errorf("the pass ended as %v", e)
	}
}

// TestResumedInstanceCompactsFirst resumes with a prefix that grew: what its first
// request would have counts, before it is sent, and the last report still does for a
// prefix that did not.
func TestResumedInstanceCompactsFirst(t *testing.T) {
	for name, c := range map[string]struct {
		prefix string
		passes int
	}{"the same": {"Be brief.", 0}, "grown": {"Be brief. " + strings.Repeat(lorem, 20), 1}} {
		w := newWorld(t)
		s := w.create()
		usage := func(text string) answer {
			return chunks(msg.TextDelta{Text: text}, msg.UsageChunk{Usage: msg.Usage{Input: 300, Output: 5}}, finish(msg.FinishStop))
		}
		m := &model{answers: []answer{usage(strings.Repeat(lorem, 9))}}
		i := w.start(w.agent(compacting(650, 50), nil, []msg.Contributor{contributor("text.rules", "Be brief.")}), s, m)
		send(t, i, strings.Repeat(lorem, 9))
		if err := i.Dispose(); err != nil {
			t.Fatal(err)
		}
		s = w.resume(s)
		m.answers = []answer{quiet("Short."), quiet("done")}[1-c.passes:]
		i = w.start(w.agent(compacting(650, 50), nil, []msg.Contributor{contributor("text.rules", c.prefix)}), s, m)
		if end := send(t, i, "go on"); end.Kind != event.EndCompleted {
			t.Errorf("%s: the turn ended as %+v", name, end)
		}
		if err := i.Dispose(); err != nil {
			t.Fatal(err)
		}
		scan := w.scan(s, 2+c.passes)
		if n := len(ofType(scan.Events, "compact/summary")); n != c.passes {
			t.Errorf("%s: %d passes", name, n)
		}
		gates := ofType(scan.Events, "compact/gate")
		pressure := gates[1]["pressure"].(map[string]any)
		if _, measured := pressure["base"]; measured != (c.passes == 0) {
			t.Errorf("%s: the first gate of the new instance: %v", name, pressure)
		}
	}
}

// TestStuckSessionEnds has a prefix that is larger than the threshold: passes free too
// little, and after the second one the turn ends and says why.
func TestStuckSessionEnds(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	m := &model{}
	big := contributor("text.rules", strings.Repeat(lorem, 100))
	i := w.start(w.agent(compacting(1500, 10, func(c *config.Compaction) { c.Retries = set(0) }), nil, []msg.Contributor{big}), s, m)
	var end event.EndReason
	turns := 0
	for end.Kind != event.EndError && turns < 10 {
		turns++
		m.answers = []answer{quiet("Short."), quiet(strings.Repeat(lorem, 6))}
		if turns == 1 {
			m.answers = m.answers[1:] // there is nothing to compact yet
		}
		end = send(t, i, fmt.Sprintf("prompt %d %s", turns, lorem))
	}
	if end.Code != "COMPACTION_NO_PROGRESS" || !strings.Contains(end.Message, "Too big is the prefix") {
		t.Errorf("after %d turns: %+v", turns, end)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
}

// TestAnswersThatAreNoSummary lets the turn go on with the history as it is.
func TestAnswersThatAreNoSummary(t *testing.T) {
	for name, c := range map[string]struct {
		answer answer
		code   string
	}{
		"reasoning only": {chunks(msg.ReasoningDelta{Text: "hm"}, finish(msg.FinishStop)), "EMPTY_SUMMARY"},
		"a tool call":    {callTools(msg.ToolCall{ID: "a", Name: "ls", Arguments: "{}"}), "EMPTY_SUMMARY"},
		"cut":            {chunks(msg.TextDelta{Text: "They"}, finish(msg.FinishMaxTokens)), "MAX_TOKENS"},
		"aborted":        {chunks(msg.TextDelta{Text: "They"}, finish(msg.FinishAborted)), "ABORTED"},
		"refused":        {refuses(provider.CodeAuth), "AUTH"},
		"longer":         {quiet(strings.Repeat(lorem, 50)), "SUMMARY_NOT_SMALLER"},
		"panics":         {func(context.Context, func(msg.Chunk, error) bool) { panic("boom") }, "UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.create()
			m := &model{answers: []answer{quiet(strings.Repeat(lorem, 9))}}
			var warned []error
			i := w.start(w.agent(compacting(200, 50), nil, nil), s, m, func(o *engine.Options) { o.OnError = func(err error) { warned = append(warned, err) } })
			send(t, i, strings.Repeat(lorem, 9))
			m.answers = []answer{c.answer, quiet("done")}
			if end := send(t, i, "go on"); end.Kind != event.EndCompleted {
				t.Errorf("the turn ended as %+v", end)
			}
			if err := i.Dispose(); err != nil {
				t.Fatal(err)
			}
			scan := w.scan(s, 3)
			ends := ofType(scan.Events, "compact/end")
			if len(ends) != 1 || ends[0]["error"].(map[string]any)["code"] != c.code || len(ofType(scan.Events, "compact/summary")) != 0 {
				t.Errorf("passes: %v", ends)
			}
			if len(warned) != 1 || !strings.Contains(warned[0].Error(), "compaction failed: ") {
				t.Errorf("warnings: %v", warned)
			}
			if last := m.bodies[len(m.bodies)-1]; strings.Count(last, "quick brown fox") != 18 {
				t.Errorf("the history is another one: %s", last)
			}
		})
	}
}

// resume opens a session again.
func (w *world) resume(s *store.Session) *store.Session {
	w.t.Helper()
	h := s.Log.Header()
	entry, err := w.store().Find(h.ID, h.Cwd)
	if err != nil {
		w.t.Fatal(err)
	}
	again, err := w.store().Resume(entry)
	if err != nil {
		w.t.Fatal(err)
	}
	return again
}

// TestOverheadOfTheProvider has a provider that counts far more than the messages have:
// what its reports say of a pass counts, so that the session ends and does not pay for a
// summary before every request.
func TestOverheadOfTheProvider(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	m := &weighing{besides: 30_000, answer: func(body string) []msg.Chunk {
		if isSummary(body) {
			return saying("Short.")
		}
		return saying(strings.Repeat(lorem, 6))
	}}
	i := engine.Start(w.agent(compacting(29_000, 200), nil, nil), s, engine.Options{
		NewID: func() string { return "id" }, Client: func() (provider.Client, error) { return m, nil },
	})
	var end event.EndReason
	for n := 0; n < 20 && end.Kind != event.EndError; n++ {
		end = send(t, i, fmt.Sprintf("prompt %d %s", n, strings.Repeat(lorem, 6)))
	}
	if end.Code != "COMPACTION_NO_PROGRESS" || !strings.Contains(end.Message, "Too big is what the provider counts besides") {
		t.Errorf("the session ends as %+v", end)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	scan := w.scan(s, m.asked)
	if n := len(ofType(scan.Events, "compact/start")); n > 4 {
		t.Errorf("%d passes", n)
	}
}

// TestFailingSummaryIsAskedForOnceATurn asks for no second summary in a turn whose first
// one failed, until the request has grown.
func TestFailingSummaryIsAskedForOnceATurn(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	steps, summaries := 0, 0
	m := &weighing{silent: true, answer: func(body string) []msg.Chunk {
		if isSummary(body) {
			summaries++
			return saying("")
		}
		if steps++; steps%20 == 0 {
			return saying("done")
		}
		return []msg.Chunk{msg.ToolCallDelta{ID: fmt.Sprint("c", steps), Name: "ls", ArgumentsDelta: "{}"}, finish(msg.FinishToolCalls)}
	}}
	i := engine.Start(w.agent(compacting(3000, 20, func(c *config.Compaction) { c.Summary.Retries = set(1) }), nil, nil), s, engine.Options{
		NewID: func() string { return "id" }, Client: func() (provider.Client, error) { return m, nil }, Tools: &tools{},
	})
	send(t, i, strings.Repeat(lorem, 180))
	if summaries > 4 || summaries == 0 {
		t.Errorf("%d summaries in %d steps", summaries, steps)
	}
	before := summaries
	for range 3 {
		send(t, i, "go on")
	}
	if summaries > before+2 {
		t.Errorf("%d summaries in three further turns", summaries-before)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
}

// TestForgedPassesAreNoticed recomputes no digest: what a pass must hold is a rule of its
// own, apart from those.
func TestForgedPassesAreNoticed(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	m := &model{answers: []answer{quiet(strings.Repeat(lorem, 9)), quiet("Short.")}}
	i := w.start(w.agent(compacting(100000, 1000), nil, nil), s, m)
	send(t, i, strings.Repeat(lorem, 9))
	if err := i.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.Log.Path())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	lines = lines[:len(lines)-1] // behind the last line break there is nothing
	find := func(kind string) int {
		for n := len(lines) - 1; n >= 0; n-- {
			if strings.Contains(lines[n], `"type":"`+kind+`"`) {
				return n
			}
		}
		t.Fatalf("no %s", kind)
		return 0
	}
	drop := func(n int) string { return strings.Join(lines[:n], "") + renumber(lines[n+1:], -1) }
	change := func(n int, from, to string) string {
		if !strings.Contains(lines[n], from) {
			t.Fatalf("%s is not in %s", from, lines[n])
		}
		return strings.Join(lines[:n], "") + strings.Replace(lines[n], from, to, 1) + strings.Join(lines[n+1:], "")
	}
	for what, text := range map[string]string{
		"no request":            drop(find("request/sent")),
		"no summary":            drop(find("compact/summary")),
		"no start":              drop(find("compact/start")),
		"no end":                drop(find("compact/end")),
		"another summary":       change(find("compact/summary"), "Short.", "Shart."),
		"another checkpoint":    change(find("user/message"), "Short.", "Shart."),
		"a failure that landed": change(find("compact/end"), `,"rewritten"`, `,"error":{"message":"m","code":"MAX_TOKENS"},"rewritten"`),
		"another range":         change(find("compact/start"), `"start":1`, `"start":5`),
	} {
		scan, err := eventlog.ScanText(s.Log.Path(), text)
		if err != nil {
			continue // it is no log at all
		}
		if v := verify.Check(scan.Events, true); v == nil || v.Check != "COMPACT" && v.Check != "I3" && v.Check != "I4" {
			t.Errorf("%s: %v", what, v)
		}
	}
}

// renumber moves the seqs of events.
func renumber(lines []string, by int) string {
	var b strings.Builder
	for _, l := range lines {
		at := strings.Index(l, `"seq":`) + len(`"seq":`)
		n := 0
		end := at
		for ; l[end] >= '0' && l[end] <= '9'; end++ {
			n = n*10 + int(l[end]-'0')
		}
		b.WriteString(l[:at] + fmt.Sprint(n+by) + l[end:])
	}
	return b.String()
}
