package session_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// base is the log B of the surface cases.
func base(t testing.TB) *log {
	l := newLog(t)
	return l.add(start(1), l.user("hello"), l.assistant(1, "hi"), end(1))
}

// The surface cases of the spec. Nodes of the reference are linked to their
// neighbours and can be invalidated; here a surface is a list of seqs and folded
// once, so the cases ask for the order only. L112 and L84, which invalidate a
// view and read it again, become a refold of the log.
func TestSurface(t *testing.T) {
	t.Run("L111", func(t *testing.T) { base(t).check("[1 2]", "hello :hi") })
	t.Run("L112", func(t *testing.T) {
		l := base(t)
		if diff := same(l.state, l.refold()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("L114", func(t *testing.T) {
		l := base(t)
		l.add(l.result(1, "c")).check("[1 2 4]", "hello :hi [c]")
	})
	t.Run("L115", func(t *testing.T) {
		l := base(t)
		l.add(l.result(1, "c"))
		if diff := same(l.state, l.refold()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("L116", func(t *testing.T) {
		l := base(t)
		l.mustReplace(l.assistant(1, "summary"), 1, 2)
		l.check("[4]", ":summary")
	})
	t.Run("L118", func(t *testing.T) {
		l := newLog(t)
		l.add(l.user("a"), l.user("b")).mustReplace(l.user("c"), 1, 1)
		l.check("[0 2]", "a c")
	})
	// L119 and L120 append what reading finds wrong later. Here a log cannot grow
	// by an event that does not fit.
	t.Run("L119", func(t *testing.T) {
		l := newLog(t)
		refused(l.add(l.user("a")), l.replace(l.user("b"), 5, 0), "event 1: replace start seq 5 not found on the surface")
		l.check("[0]", "a")
	})
	t.Run("L120", func(t *testing.T) {
		l := newLog(t)
		refused(l.add(l.user("a")), l.replace(l.user("b"), 0, 99), "event 1: replace end seq 99 not found on the surface")
		l.check("[0]", "a")
	})
	t.Run("L123", func(t *testing.T) {
		l := newLog(t)
		l.add(l.user("a"), l.user("b"), l.user("c")).mustReplace(l.user("d"), 1, 1)
		l.check("[0 3 2]", "a d c")
	})
	t.Run("L126", func(t *testing.T) {
		l := newLog(t)
		chunk := event.AssistantChunk{Turn: 1, Step: 1, Chunk: msg.TextDelta{Text: "h"}}
		l.add(start(1), l.user("hello"), event.StepStart{Turn: 1, Step: 1}, chunk, chunk, l.assistant(1, "hi"), event.StepEnd{Turn: 1, Step: 1}, end(1))
		l.check("[1 5]", "hello :hi")
	})
	t.Run("L127", func(t *testing.T) {
		l := newLog(t)
		l.add(l.user("original")).mustReplace(l.assistant(1, "compacted"), 0, 0)
		l.check("[1]", ":compacted")
	})
	t.Run("L128", func(t *testing.T) {
		l := newLog(t)
		l.add(event.ContextMessage{Content: content(t, msg.Text{Text: "c"}), Source: event.PluginSource("p")},
			event.SteeringMessage{Turn: 1, Content: content(t, msg.Text{Text: "s"}), Source: event.UserSource()})
		l.check("[0 1]", `<context source="plugin">c</context> <steering source="user">s</steering>`)
	})
	t.Run("L130", func(t *testing.T) {
		l := newLog(t)
		l.add(start(1), l.assistant(1, ""), end(1)).check("[1]", "")
		if got := l.state.HistorySeqs(); len(got) != 0 {
			t.Errorf("history of %v", got)
		}
	})
	// There is no invalidate, which would count as well.
	t.Run("L138", func(t *testing.T) {
		l := newLog(t)
		l.add(l.user("a"), l.user("b"))
		if g := l.refold().History().Generation; g != 0 {
			t.Errorf("generation %d at first", g)
		}
		l.mustReplace(l.user("c"), 0, 1)
		if g := l.state.History().Generation; g != 1 {
			t.Errorf("generation %d after a replace", g)
		}
		l.add(l.user("d")).mustReplace(l.user("e"), 3, 3)
		if g := l.state.History().Generation; g != 2 {
			t.Errorf("generation %d after two", g)
		}
	})
	t.Run("positions count, not numbers", func(t *testing.T) {
		l := newLog(t)
		l.add(l.user("0"), l.user("1"), l.user("2"))
		l.mustReplace(l.user("3"), 0, 0)
		l.check("[3 1 2]", "3 1 2")
		refused(l, l.replace(l.user("4"), 1, 3), "event 4: replace start seq 1 is after end seq 3")
		l.mustReplace(l.user("4"), 3, 1)
		l.check("[4 2]", "4 2")
		refused(l, l.replace(l.user("5"), 3, 2), "event 5: replace start seq 3 not found on the surface")
		refused(l, l.replace(l.user("5"), 0, 2), "event 5: replace start seq 0 not found on the surface")
		refused(l, l.replace(l.user("5"), 4, 5), "event 5: replace end seq 5 not found on the surface")
	})
	t.Run("a node without message can be a bound", func(t *testing.T) {
		l := newLog(t)
		l.add(l.user("a"), l.assistant(1, ""), l.user("b"))
		l.mustReplace(l.assistant(1, ""), 1, 1)
		l.check("[0 3 2]", "a b")
		l.mustReplace(l.user("c"), 3, 2)
		l.check("[0 4]", "a c")
	})
}

// refused holds an append that failed to its error, which leaves the state as it
// was.
func refused(l *log, err error, want string) {
	l.t.Helper()
	var fold *session.FoldError
	if fmt.Sprint(err) != want || !errors.As(err, &fold) || fold.Seq != l.state.Next() || msg.CodeOf(err) != "LOG_CORRUPT" {
		l.t.Errorf("error %v, want %s", err, want)
	}
	if diff := same(l.state, l.refold()); diff != "" {
		l.t.Errorf("after %v: %s", err, diff)
	}
}

// The cases of the derived cache that a caller can see. L83 and L84 ask whether
// messages are the same object: here they are values, equal when their bytes are.
func TestHistory(t *testing.T) {
	t.Run("L82", func(t *testing.T) {
		l := newLog(t)
		held := l.add(l.user("one"), l.user("two")).state.History()
		l.mustReplace(event.ContextMessage{Content: content(t, msg.Text{Text: "summary"}), Source: event.PluginSource("p")}, 0, 1)
		l.check("[2]", `<context source="plugin">summary</context>`)
		if diff := same(l.state, l.refold()); diff != "" {
			t.Error(diff)
		}
		if texts(held) != "one two" || held.Generation != 0 {
			t.Errorf("the held history is %q of generation %d", texts(held), held.Generation)
		}
	})
	t.Run("L83", func(t *testing.T) {
		l := newLog(t)
		first := l.add(l.user("one")).state.History()
		second := l.add(l.user("two")).state.History()
		if texts(first) != "one" || texts(second) != "one two" || first.Messages[0] != second.Messages[0] {
			t.Errorf("first %q, second %q", texts(first), texts(second))
		}
	})
	// L86 changes a projection; a message cannot be changed, but the slice can.
	t.Run("L86", func(t *testing.T) {
		l := newLog(t)
		for n := range 20 { // whatever room the state has behind the last message
			held := l.add(l.user("old")).state.History()
			grown := append(held.Messages, held.Messages[0])
			l.add(l.user("new"))
			if got := grown[len(grown)-1].Content.Text(); got != "old" {
				t.Fatalf("after %d messages an append to a held history became %q", 2*n, got)
			}
		}
	})
}

// naive is the surface as the spec words it, kept by the plainest means.
type naive struct {
	seqs       []int64
	messages   map[int64]string // of events that yield one
	generation int
}

func (n naive) history() []string {
	var out []string
	for _, s := range n.seqs {
		if m, ok := n.messages[s]; ok {
			out = append(out, m)
		}
	}
	return out
}

func raws(h session.History) []string {
	var out []string
	for _, m := range h.Messages {
		out = append(out, m.Raw())
	}
	return out
}

// Random sessions against the naive surface: every state on the way, every
// history handed out and what became of it, a refold, and the same session with
// log-only events strewn in.
func TestRandomSessions(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 40 {
		l, strewn := newLog(t), newLog(t)
		seqs := map[int64]int64{} // of l to those of strewn
		n := naive{messages: map[int64]string{}}
		type snapshot struct {
			held session.History
			want []string
		}
		var snapshots []snapshot
		for step := range 80 {
			for r.IntN(3) == 0 {
				strewn.add([]event.Payload{event.PromptBlocked{Source: event.UserSource()}, event.ContributorSkipped{Address: "a"}, call(1, "c")}[r.IntN(3)])
			}
			e := event.Entry{Op: event.Op{Kind: event.OpAppend}}
			switch r.IntN(6) {
			case 0:
				e.Payload = l.assistant(1, "")
			case 1:
				e.Payload = l.assistant(1, fmt.Sprint("answer ", step))
			case 2:
				e.Payload = l.result(1, fmt.Sprint("call", step))
			case 3:
				e.Payload = event.SteeringMessage{Turn: 1, Content: content(t, msg.Text{Text: fmt.Sprint("steer ", step)}), Source: event.UserSource()}
			default:
				e.Payload = l.user(fmt.Sprint("prompt ", step))
			}
			from, to := 0, 0
			other := e
			if len(n.seqs) > 0 && r.IntN(6) == 0 {
				from = r.IntN(len(n.seqs))
				to = from + r.IntN(min(len(n.seqs)-from, 5))
				e.Op = event.Op{Kind: event.OpReplace, Start: n.seqs[from], End: n.seqs[to]}
				other.Op = event.Op{Kind: event.OpReplace, Start: seqs[n.seqs[from]], End: seqs[n.seqs[to]]}
			}
			seq := l.state.Next()
			seqs[seq] = strewn.state.Next()
			if err := errors.Join(l.try(e), strewn.try(other)); err != nil {
				t.Fatal(err)
			}
			if m, ok := l.events[len(l.events)-1].Message(); ok {
				n.messages[seq] = m.Raw()
			}
			if e.Op.Kind == event.OpReplace {
				n.seqs = slices.Replace(slices.Clone(n.seqs), from, to+1, seq)
				n.generation++
			} else {
				n.seqs = append(n.seqs, seq)
			}

			h := l.state.History()
			if !slices.Equal(l.state.Surface(), n.seqs) || !slices.Equal(raws(h), n.history()) || h.Generation != n.generation {
				t.Fatalf("round %d step %d: surface %v history %q, want %v %q", round, step, l.state.Surface(), raws(h), n.seqs, n.history())
			}
			if h := strewn.state.History(); !slices.Equal(raws(h), n.history()) {
				t.Fatalf("round %d step %d: log-only events change the history to %q", round, step, raws(h))
			}
			var behind []string
			for _, s := range l.state.HistorySeqs() {
				behind = append(behind, n.messages[s])
			}
			if !slices.Equal(behind, n.history()) {
				t.Fatalf("round %d step %d: history seqs %v", round, step, l.state.HistorySeqs())
			}
			snapshots = append(snapshots, snapshot{h, n.history()})
		}
		for i, s := range snapshots {
			if !slices.Equal(raws(s.held), s.want) {
				t.Fatalf("round %d: history %d changed after it was handed out", round, i)
			}
			if i == 0 || snapshots[i-1].held.Generation != s.held.Generation {
				continue
			}
			if before := snapshots[i-1].want; len(before) > len(s.want) || !slices.Equal(before, s.want[:len(before)]) {
				t.Fatalf("round %d: history %d does not extend the one before it, of the same generation", round, i)
			}
		}
		if diff := same(l.state, l.refold()); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
	}
}

// Folding one more event and asking for the history costs what is new: its memory
// does not depend on the length of the session. A copy of 5,000 messages would be
// 200 kB each time; what the slices need now and then to grow is a tenth of that.
func TestApplyIsFlat(t *testing.T) {
	const events = 200
	l := newLog(t)
	for range 5000 {
		l.add(l.user("old"))
	}
	more := make([]event.Event, events)
	for i := range more {
		seq := l.state.Next() + int64(i)
		more[i] = event.New(seq, seq, event.Entry{Payload: l.user("new"), Op: event.Op{Kind: event.OpAppend}})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, e := range more {
		if err := l.state.Apply(e); err != nil {
			t.Fatal(err)
		}
		if h := l.state.History(); h.Messages[0] == h.Messages[len(h.Messages)-1] {
			t.Fatal("the history does not grow")
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / events; each > 20_000 {
		t.Errorf("%d bytes an event", each)
	}
}
