package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

const lost = `{"type":"text","text":"The session was interrupted before this tool call finished. Whether it took effect is not known."}`

// closedResult is the line of a closing result as the format states it, byte for
// byte. The reference has surfaceOp before sourceEventSeqs here.
func closedResult(seq, time, turn, step int64, id, sources string) string {
	if sources != "" {
		sources = `,"sourceEventSeqs":` + sources
	}
	return fmt.Sprintf(`{"type":"tool/result","seq":%d,"time":%d,"data":{"turn":%d,"step":%d,"callId":%q,"content":[%s],"isError":true,"error":{"name":"InterruptedError","code":"interrupted"}}%s,"surfaceOp":"append"}`,
		seq, time, turn, step, id, lost, sources)
}

func closedStep(seq, time, turn, step int64) string {
	return fmt.Sprintf(`{"type":"step/end","seq":%d,"time":%d,"data":{"turn":%d,"step":%d}}`, seq, time, turn, step)
}

// closedTurn is the line of a closing turn/end. The log fills the digest in, which
// the reference does not have.
func closedTurn(seq, time, turn int64) string {
	return fmt.Sprintf(`{"type":"turn/end","seq":%d,"time":%d,"data":{"turn":%d,"reason":{"kind":"interrupted"},"logSha256":""}}`, seq, time, turn)
}

func TestClosers(t *testing.T) {
	l := newLog(t)
	for _, c := range []struct {
		name   string
		events []event.Payload
		want   []string
	}{
		{"nothing", nil, nil},
		{"L100", []event.Payload{start(1), end(1)}, nil},
		{"L102", []event.Payload{start(1)}, []string{closedTurn(1, 0, 1)}},
		{"L103", []event.Payload{start(1), event.StepStart{Turn: 1, Step: 1}}, []string{closedStep(2, 1, 1, 1), closedTurn(3, 1, 1)}},
		{"L104", []event.Payload{start(2), event.StepStart{Turn: 2, Step: 1}, l.assistant(2, "text", "call-1")},
			[]string{closedResult(3, 2, 2, 1, "call-1", ""), closedStep(4, 2, 2, 1), closedTurn(5, 2, 2)}},
		{"L104 with the call logged", []event.Payload{start(2), event.StepStart{Turn: 2, Step: 1}, l.assistant(2, "text", "call-1"), call(2, "call-1")},
			[]string{closedResult(4, 3, 2, 1, "call-1", "[3]"), closedStep(5, 3, 2, 1), closedTurn(6, 3, 2)}},
		{"L106", []event.Payload{start(1), event.StepStart{Turn: 1, Step: 1}, l.assistant(1, "", "call-1"), event.StepEnd{Turn: 1, Step: 1}},
			[]string{closedTurn(4, 3, 1)}},
		{"L107", []event.Payload{start(1), event.StepStart{Turn: 1, Step: 1}, l.assistant(1, "", "old-call"), l.result(1, "old-call"), event.StepEnd{Turn: 1, Step: 1}, end(1),
			start(2), event.StepStart{Turn: 2, Step: 1}, l.assistant(2, "", "new-call")},
			[]string{closedResult(9, 8, 2, 1, "new-call", ""), closedStep(10, 8, 2, 1), closedTurn(11, 8, 2)}},
		{"L108", []event.Payload{start(1), event.StepStart{Turn: 1, Step: 1}, l.assistant(1, "", "a", "b"), l.result(1, "a")},
			[]string{closedResult(4, 3, 1, 1, "b", ""), closedStep(5, 3, 1, 1), closedTurn(6, 3, 1)}},
		{"L110", []event.Payload{start(1), event.StepStart{Turn: 1, Step: 1}, call(1, "nobody-asked")},
			[]string{closedStep(3, 2, 1, 1), closedTurn(4, 2, 1)}},
		{"calls in the order they were asked for", []event.Payload{start(1), event.StepStart{Turn: 1, Step: 1}, l.assistant(1, "", "b", "a"), call(1, "b")},
			[]string{closedResult(4, 3, 1, 1, "b", "[3]"), closedResult(5, 3, 1, 1, "a", ""), closedStep(6, 3, 1, 1), closedTurn(7, 3, 1)}},
		// The reference keeps a set of ids and would leave one of the two open.
		{"two calls of one id are two calls", []event.Payload{start(1), event.StepStart{Turn: 1, Step: 1}, l.assistant(1, "", "a", "a"), call(1, "a"), l.result(1, "a"), call(1, "a")},
			[]string{closedResult(6, 5, 1, 1, "a", "[5]"), closedStep(7, 5, 1, 1), closedTurn(8, 5, 1)}},
		{"a turn without a step", []event.Payload{start(1), l.user("hello")}, []string{closedTurn(2, 1, 1)}},
		{"a later step", []event.Payload{start(1), event.StepStart{Turn: 1, Step: 1}, event.StepEnd{Turn: 1, Step: 1}, event.StepStart{Turn: 1, Step: 2}},
			[]string{closedStep(4, 3, 1, 2), closedTurn(5, 3, 1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLog(t).add(c.events...)
			closers := l.state.Closers()
			var got []string
			for i, e := range closers {
				got = append(got, event.New(l.state.Next()+int64(i), l.state.LastTime(), e).Line())
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			// Computing them changes nothing; with them, nothing is open any more.
			if again := l.state.Closers(); len(again) != len(closers) {
				t.Errorf("%d closers, then %d", len(closers), len(again))
			}
			for _, e := range closers {
				if err := l.try(e); err != nil {
					t.Fatal(err)
				}
			}
			if turn, step := l.state.Open(); turn != 0 || step != 0 || len(l.state.Pending()) > 0 || len(l.state.Closers()) > 0 {
				t.Errorf("open %d.%d, pending %v, closers %v", turn, step, l.state.Pending(), l.state.Closers())
			}
		})
	}
}

func TestUnanswered(t *testing.T) {
	for _, c := range []struct {
		call session.Call
		text string
		want string
	}{
		{session.Call{Turn: 3, Step: 2, ID: "c", Name: "n", CallSeq: 7}, "not run",
			`{"type":"tool/result","seq":9,"time":1,"data":{"turn":3,"step":2,"callId":"c","content":[{"type":"text","text":"not run"}],"isError":true,"error":{"name":"ToolError","code":"cancelled"}},"sourceEventSeqs":[7],"surfaceOp":"append"}`},
		{session.Call{Turn: 3, Step: 2, ID: "c", Name: "n"}, "the first event",
			`{"type":"tool/result","seq":9,"time":1,"data":{"turn":3,"step":2,"callId":"c","content":[{"type":"text","text":"the first event"}],"isError":true,"error":{"name":"ToolError","code":"cancelled"}},"sourceEventSeqs":[0],"surfaceOp":"append"}`},
		{session.Call{Turn: 3, Step: 2, ID: "c", CallSeq: -1}, "a reason of any bytes: \xff",
			`{"type":"tool/result","seq":9,"time":1,"data":{"turn":3,"step":2,"callId":"c","content":[{"type":"text","text":"a reason of any bytes: ` + "\uFFFD" + `"}],"isError":true,"error":{"name":"ToolError","code":"cancelled"}},"surfaceOp":"append"}`},
	} {
		e := event.New(9, 1, session.Unanswered(c.call, c.text, "cancelled"))
		if e.Line() != c.want {
			t.Errorf("got  %s\nwant %s", e.Line(), c.want)
		}
	}
}

// FuzzClosers folds sessions that a crash cut anywhere: with its closers a log is
// closed, every call that it asks for in an open step is answered once, and no
// call of a step that was closed before is.
func FuzzClosers(f *testing.F) {
	f.Add([]byte{0, 2, 4})
	f.Add([]byte{0, 1, 2, 5, 6, 7, 3, 2, 5, 6})
	f.Add([]byte{0, 2, 5, 3})
	f.Add([]byte{0, 2, 5, 7, 7, 3, 8, 0, 1, 2, 4, 6})
	f.Fuzz(func(t *testing.T, choices []byte) {
		l := newLog(t)
		turn, step := int64(0), int64(0)
		open := map[string]int{} // unanswered calls of the open step
		for _, c := range choices {
			t1, s1 := l.state.Open()
			id := string('a' + rune(c/9%3))
			switch c % 9 {
			case 0:
				if t1 == 0 {
					turn, step = turn+1, 0
					l.add(start(turn))
				}
			case 1:
				l.add(l.user("u"))
			case 2:
				if t1 != 0 && s1 == 0 {
					step++
					l.add(event.StepStart{Turn: turn, Step: step})
				}
			case 3:
				if s1 != 0 {
					l.add(event.StepEnd{Turn: turn, Step: step})
					clear(open)
				}
			case 4, 5:
				if s1 != 0 {
					ids := []string{id, "x"}[:c%9-3]
					for _, id := range ids {
						open[id]++
					}
					l.add(l.assistant(turn, "", ids...))
				}
			case 6:
				if s1 != 0 {
					l.add(call(turn, id))
				}
			case 7:
				if s1 != 0 {
					open[id] = max(open[id]-1, 0)
					l.add(l.result(turn, id))
				}
			case 8:
				if t1 != 0 && s1 == 0 {
					l.add(end(turn))
				}
			}
		}
		if diff := same(l.state, l.refold()); diff != "" {
			t.Fatal(diff)
		}
		wasOpen, _ := l.state.Open()
		closers := l.state.Closers()
		if (len(closers) > 0) != (wasOpen != 0) {
			t.Fatalf("turn %d is open, %d closers", wasOpen, len(closers))
		}
		for _, e := range closers {
			if r, ok := e.Payload.(event.ToolResult); ok {
				open[r.CallID]--
				if !r.IsError || r.Error != msg.Some(event.ResultError{Name: "InterruptedError", Code: "interrupted"}) {
					t.Fatalf("closing result %s", r.Raw())
				}
			}
			if err := l.try(e); err != nil {
				t.Fatal(err)
			}
		}
		for id, n := range open {
			if n != 0 {
				t.Fatalf("call %s is left with %d results missing", id, n)
			}
		}
		if turn, step := l.state.Open(); turn != 0 || step != 0 || len(l.state.Pending()) > 0 {
			t.Fatalf("open %d.%d, pending %v", turn, step, l.state.Pending())
		}
		for _, e := range l.events {
			if _, err := canon.ParseCanonical(e.Line()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// X19: a log of the reference that was cut in a step with two calls, one of which
// was running: two results, of which one knows its call, all at the last event's
// time.
func TestX19(t *testing.T) {
	var events []event.Event
	for i, s := range []string{
		`"turn/start",%s,"data":{"turn":1}`,
		`"step/start",%s,"data":{"turn":1,"step":1}`,
		`"assistant/message",%s,"data":{"turn":1,"step":1,"content":[{"type":"tool-call","id":"a","name":"n","arguments":""},{"type":"tool-call","id":"b","name":"n","arguments":""}]},"surfaceOp":"append"`,
		`"tool/call",%s,"data":{"turn":1,"step":1,"callId":"a","name":"n","arguments":""}`,
	} {
		e, err := event.ParseVersion0(`{"type":` + fmt.Sprintf(s, fmt.Sprintf(`"seq":%d,"time":%d`, i, 100+i)) + `}`)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	s := folded(t, events)
	var got []string
	for i, c := range s.Closers() {
		e := event.New(s.Next()+int64(i), s.LastTime(), c)
		id, _ := e.Data.Get("callId").Text()
		got = append(got, fmt.Sprint(e.Type, " ", id, " ", e.Sources, " ", e.Seq, " ", e.Time))
	}
	want := []string{"tool/result a [3] 4 103", "tool/result b [] 5 103", "step/end  [] 6 103", "turn/end  [] 7 103"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
