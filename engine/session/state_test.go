package session_test

import (
	"slices"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

func TestEmpty(t *testing.T) {
	folded, err := session.Fold(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*session.State{{}, folded} {
		turn, step := s.Open()
		_, hasHeader := s.Header()
		_, hasRequest := s.RequestHeader()
		if s.Next() != 0 || s.LastTime() != 0 || s.LastTurn() != 0 || s.Headers() != 0 || turn != 0 || step != 0 || hasHeader || hasRequest {
			t.Errorf("%+v", s)
		}
		if len(s.Surface())+len(s.HistorySeqs())+len(s.History().Messages)+len(s.Pending())+len(s.Closers()) > 0 {
			t.Errorf("%+v", s)
		}
	}
}

// Turn and step along a small session.
func TestOpen(t *testing.T) {
	l := newLog(t)
	for _, c := range []struct {
		payload        event.Payload
		turn, step     int64
		lastTurn, time int64
		pending        int
	}{
		{start(1), 1, 0, 1, 0, 0},
		{l.user("hello"), 1, 0, 1, 1, 0},
		{event.StepStart{Turn: 1, Step: 1}, 1, 1, 1, 2, 0},
		{l.assistant(1, "", "a", "b"), 1, 1, 1, 3, 2},
		{call(1, "a"), 1, 1, 1, 4, 2},
		{l.result(1, "a"), 1, 1, 1, 5, 1},
		{event.StepEnd{Turn: 1, Step: 1}, 1, 0, 1, 6, 0},
		{event.StepStart{Turn: 1, Step: 2}, 1, 2, 1, 7, 0},
		{event.StepEnd{Turn: 1, Step: 2}, 1, 0, 1, 8, 0},
		{end(1), 0, 0, 1, 9, 0},
		{start(2), 2, 0, 2, 10, 0},
	} {
		l.add(c.payload)
		turn, step := l.state.Open()
		if turn != c.turn || step != c.step || l.state.LastTurn() != c.lastTurn || l.state.LastTime() != c.time || len(l.state.Pending()) != c.pending {
			t.Errorf("after %s %s: open %d.%d, last turn %d, time %d, pending %v", c.payload.Type(), c.payload.Raw(),
				turn, step, l.state.LastTurn(), l.state.LastTime(), l.state.Pending())
		}
	}
}

func TestPending(t *testing.T) {
	l := newLog(t)
	l.add(start(4), event.StepStart{Turn: 4, Step: 1}, l.assistant(4, "", "b", "a", "b"), call(4, "a"), call(4, "b"), call(4, "x"))
	want := []session.Call{
		{Turn: 4, Step: 1, ID: "b", Name: "echo", CallSeq: 4},
		{Turn: 4, Step: 1, ID: "a", Name: "echo", CallSeq: 3},
		{Turn: 4, Step: 1, ID: "b", Name: "echo", CallSeq: -1},
	}
	got := l.state.Pending()
	if !slices.Equal(got, want) {
		t.Errorf("pending %+v, want %+v", got, want)
	}
	got[0].ID = "changed"
	if !slices.Equal(l.state.Pending(), want) {
		t.Error("the caller's slice is the state's own")
	}
	// One result answers one call; a result that nobody waits for answers none.
	l.add(l.result(4, "b"), l.result(4, "y"))
	if !slices.Equal(l.state.Pending(), want[1:]) {
		t.Errorf("pending %+v, want %+v", l.state.Pending(), want[1:])
	}
	l.add(l.result(4, "b"), l.result(4, "a"))
	if len(l.state.Pending()) > 0 {
		t.Errorf("pending %+v", l.state.Pending())
	}
	// No call outlives its step, its turn, or the begin of a turn.
	for _, after := range []event.Payload{event.StepEnd{Turn: 4, Step: 1}, end(4), start(5)} {
		l.add(l.assistant(4, "", "late"))
		if len(l.state.Pending()) != 1 {
			t.Errorf("before %s: pending %+v", after.Type(), l.state.Pending())
		}
		if l.add(after); len(l.state.Pending()) > 0 {
			t.Errorf("after %s: pending %+v", after.Type(), l.state.Pending())
		}
	}
}

// delta is what leads from one header to another.
func delta(from, to event.Payload) event.Payload {
	return event.RequestHeaderDelta{Delta: header.Diff(from.(event.RequestHeader).Header, to.(event.RequestHeader).Header)}
}

func TestHeader(t *testing.T) {
	l := newLog(t)
	first, second, third := request("m", event.HeaderInitial), request("m2", ""), request("other", event.HeaderResume)
	check := func(model, reason string, headers int) {
		t.Helper()
		h, ok := l.state.Header()
		if want := `{"config":{"model":"` + model + `"},"wire":{"protocol":"openai","dialect":"openai"}}`; !ok || h.Raw() != want || l.state.Headers() != headers {
			t.Errorf("header %s %v, %d headers; want %s, %d", h.Raw(), ok, l.state.Headers(), want, headers)
		}
		if p, ok := l.state.RequestHeader(); !ok || p.Reason != reason || !p.Header.Equal(h) {
			t.Errorf("payload %+v %v", p, ok)
		}
		if diff := same(l.state, l.refold()); diff != "" {
			t.Error(diff)
		}
	}
	t.Run("L78", func(t *testing.T) {
		if _, ok := l.add(start(1)).state.Header(); ok || l.state.Headers() != 0 {
			t.Error("a header out of nothing")
		}
	})
	t.Run("L79", func(t *testing.T) {
		l.add(first, l.user("unrelated"))
		check("m", event.HeaderInitial, 1)
		l.add(delta(first, second))
		check("m2", event.HeaderInitial, 2)
		l.add(third)
		check("other", event.HeaderResume, 3)
	})
	t.Run("L80", func(t *testing.T) {
		l := newLog(t)
		refused(l.add(start(1)), l.try(event.Entry{Payload: delta(first, second)}),
			"event 1: request/header-delta: it comes before any request/header snapshot")
	})
}

func TestRequests(t *testing.T) {
	l := newLog(t)
	for i := range 3 {
		if l.state.Requests() != i {
			t.Errorf("%d requests, want %d", l.state.Requests(), i)
		}
		l.add(event.RequestSent{Turn: 1, Step: int64(i + 1), Bytes: 1, SHA256: "ab", Purpose: "step"}, l.user("x"))
	}
}

type raw struct{ kind, data string }

func (r raw) Type() string { return r.kind }
func (r raw) Raw() string  { return r.data }

func TestFoldErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		last event.Entry
		want string
	}{
		{"a turn in a turn", event.Entry{Payload: start(2)}, "event 4: turn/start: turn 1 is still open"},
		{"a header that cannot be read", event.Entry{Payload: raw{"request/header", `{"header":{}}`}}, "event 4: request/header: header: no config"},
		{"a header of a newer version", event.Entry{Payload: raw{"request/header", `{"header":{"config":{"model":"m"},"wire":{"later":1}}}`}},
			`event 4: request/header: header: header has the unknown wire setting "later": a newer dsh wrote it`},
		{"a delta that cannot be read", event.Entry{Payload: raw{"request/header-delta", `{"seed":1}`}}, "event 4: request/header-delta: header delta: seed: unknown member"},
		{"a delta that does not fit", event.Entry{Payload: raw{"request/header-delta", `{"system":{"keepStart":1,"keepEnd":0,"insert":[]}}`}},
			"event 4: request/header-delta: system delta keeps 1 and 0 of 0 lines"},
		{"a replace of nothing", event.Entry{Payload: newLog(t).user("x"), Op: event.Op{Kind: event.OpReplace, Start: 0, End: 1}},
			"event 4: replace start seq 0 not found on the surface"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLog(t)
			l.add(start(1), l.user("hello"), request("m", event.HeaderInitial), l.assistant(1, "", "c"))
			before := l.refold()
			refused(l, l.try(c.last), c.want)
			if diff := same(before, l.state); diff != "" {
				t.Errorf("the state changed: %s", diff)
			}
			// What fits goes on from there.
			l.add(l.result(1, "c"), end(1))
		})
	}
	t.Run("a gap", func(t *testing.T) {
		l := newLog(t)
		l.add(l.user("a"))
		for _, seq := range []int64{0, 2} {
			e := event.New(seq, 0, event.Entry{Payload: end(1)})
			err := l.state.Apply(e)
			if err == nil || msg.CodeOf(err) != "LOG_CORRUPT" || l.state.Next() != 1 {
				t.Errorf("seq %d after seq 0: %v", seq, err)
			}
		}
	})
	t.Run("fold stops there", func(t *testing.T) {
		l := newLog(t)
		l.add(start(1), l.user("a"))
		events := append(l.events, event.New(2, 2, event.Entry{Payload: start(2)}), event.New(3, 3, event.Entry{Payload: end(1)}))
		s, err := session.Fold(events)
		if err == nil || err.Error() != "event 2: turn/start: turn 1 is still open" {
			t.Errorf("error %v", err)
		}
		if diff := same(s, l.state); diff != "" {
			t.Errorf("the state beside the error: %s", diff)
		}
	})
}

// An event of a type that this program does not know is carried: nothing is
// derived from it, not even where its name begins like another's.
func TestUnknownTypesFold(t *testing.T) {
	l := newLog(t)
	l.add(start(1), raw{"todo/write", `{"todos":[]}`}, l.user("a"), raw{"turn/started", `{"turn":9}`}, raw{"step/started", `{}`})
	l.check("[2]", "a")
	if turn, step := l.state.Open(); turn != 1 || step != 0 || l.state.Next() != 5 {
		t.Errorf("open %d.%d, next %d", turn, step, l.state.Next())
	}
	if diff := same(l.state, l.refold()); diff != "" {
		t.Error(diff)
	}
}
