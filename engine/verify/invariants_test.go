package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// line is an event of version 0 without seq and time.
type line struct{ kind, data, rest string }

const up = `,"surfaceOp":"append"`

func source(seqs string) string { return `,"sourceEventSeqs":` + seqs }

func replace(start, end int, seqs string) string {
	return source(seqs) + fmt.Sprintf(`,"surfaceOp":{"op":"replace","start":%d,"end":%d}`, start, end)
}

func turnStart(n int) line {
	return line{"turn/start", fmt.Sprintf(`{"turn":%d,"trigger":{"kind":"message","source":{"kind":"user"}}}`, n), ""}
}

func turnEnd(n int) line {
	return line{"turn/end", fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, n), ""}
}

func stepStart(turn, step int) line { return line{"step/start", at(turn, step) + `}`, ""} }

func stepEnd(turn, step int) line { return line{"step/end", at(turn, step) + `}`, ""} }

func at(turn, step int) string { return fmt.Sprintf(`{"turn":%d,"step":%d`, turn, step) }

func user(rest string) line {
	return line{"user/message", `{"content":[],"source":{"kind":"user"}}`, rest}
}

func assistant(turn, step int, ids ...string) line {
	var calls []string
	for _, id := range ids {
		calls = append(calls, `{"type":"tool-call","id":"`+id+`","name":"n","arguments":"{}"}`)
	}
	return line{"assistant/message", at(turn, step) + `,"content":[` + strings.Join(calls, ",") + `]}`, up}
}

func call(turn, step int, id string) line {
	return line{"tool/call", at(turn, step) + `,"callId":"` + id + `","name":"n","arguments":"{}"}`, ""}
}

func result(turn, step int, id string) line {
	return line{"tool/result", at(turn, step) + `,"callId":"` + id + `","content":[],"isError":false}`, up}
}

func failed(turn, step int, id, code string) line {
	return line{"tool/result", at(turn, step) + `,"callId":"` + id + `","content":[],"isError":true,"error":{"name":"E","code":"` + code + `"}}`, up}
}

func other(kind string) line { return line{kind, `{}`, ""} }

// parsed is lines as events with consecutive seqs.
func parsed(t *testing.T, lines []line) []event.Event {
	t.Helper()
	out := make([]event.Event, len(lines))
	for i, l := range lines {
		var err error
		if out[i], err = event.ParseVersion0(fmt.Sprintf(`{"type":%q,"seq":%d,"time":1,"data":%s%s}`, l.kind, i, l.data, l.rest)); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// S78: each check has a log that breaks it with its last event, and one that does
// not.
func TestChecks(t *testing.T) {
	open := []line{turnStart(1), user(up), user(up), user(up)} // seqs 1 to 3 on the surface
	step := []line{turnStart(1), stepStart(1, 1)}
	with := func(base []line, more ...line) []line { return append(append([]line{}, base...), more...) }
	for _, c := range []struct {
		check, name string
		lines       []line
		broken      bool
	}{
		{"I2", "sources on a log event", with(open, line{"x", `{}`, source("[1]")}), true},
		{"I2", "a marker on a log event", with(open, line{"step/start", `{"turn":1,"step":1}`, up}), true},
		{"I2", "a log event", with(open, other("x")), false},
		{"I3", "no source", with(open, user(source("[]")+up)), true},
		{"I3", "a source twice", with(open, user(source("[1,2,1]")+up)), true},
		{"I3", "itself", with(open, user(source("[4]")+up)), true},
		{"I3", "a later one", with(open, user(source("[9]")+up)), true},
		{"I3", "sources that are no seqs", with(open, user(source(`["1"]`)+up)), true},
		{"I3", "any earlier events, in any order", with(open, user(source("[2,0]")+up)), false},
		{"I4", "a start that is no surface event", with(open, user(replace(0, 2, "[1,2]"))), true},
		{"I4", "an end that is no surface event", with(open, user(replace(1, 0, "[1,2]"))), true},
		{"I4", "a start behind the end", with(open, user(replace(2, 1, "[1,2]"))), true},
		{"I4", "a shadowed event that is no source", with(open, user(replace(1, 3, "[1,3]"))), true},
		{"I4", "no sources at all", with(open, user(strings.TrimPrefix(replace(1, 1, "[1]"), source("[1]")))), true},
		{"I4", "a start that was shadowed", with(open, user(replace(1, 2, "[1,2]")), user(replace(1, 3, "[1,3,4]"))), true},
		{"I4", "a range and more sources", with(open, user(replace(1, 2, "[0,1,2]"))), false},
		{"I4", "by position, not by number", with(open, user(replace(1, 2, "[1,2]")), user(replace(4, 3, "[4,3]"))), false},
		{"I5", "a turn in a turn", with(open, turnStart(2)), true},
		{"I5", "a first turn that is not 1", []line{turnStart(2)}, true},
		{"I5", "a gap", []line{turnStart(1), turnEnd(1), turnStart(3)}, true},
		{"I5", "a turn again", []line{turnStart(1), turnEnd(1), turnStart(1)}, true},
		{"I5", "the next turn", []line{turnStart(1), turnEnd(1), turnStart(2)}, false},
		{"I6", "no turn", []line{turnEnd(1)}, true},
		{"I6", "another turn", with(open, turnEnd(2)), true},
		{"I6", "an open step", with(step, turnEnd(1)), true},
		{"I6", "a turn without steps", with(open, turnEnd(1)), false},
		{"I7", "no turn", []line{stepStart(1, 1)}, true},
		{"I7", "another turn", with(open, stepStart(2, 1)), true},
		{"I7", "a step in a step", with(step, stepStart(1, 2)), true},
		{"I7", "a first step that is not 1", with(open, stepStart(1, 2)), true},
		{"I7", "a step again", with(step, stepEnd(1, 1), stepStart(1, 1)), true},
		{"I7", "the next step", with(step, stepEnd(1, 1), stepStart(1, 2)), false},
		{"I7", "steps begin at 1 in each turn", with(step, stepEnd(1, 1), turnEnd(1), turnStart(2), stepStart(2, 1)), false},
		{"I8", "an end without step", with(open, stepEnd(1, 1)), true},
		{"I8", "another step ends", with(step, stepEnd(1, 2)), true},
		{"I8", "a chunk of another turn", with(step, line{"assistant/chunk", at(2, 1) + `}`, ""}), true},
		{"I8", "an answer without step", with(open, assistant(1, 1)), true},
		{"I8", "a call after the step", with(step, stepEnd(1, 1), call(1, 1, "a")), true},
		{"I8", "a result of another step", with(step, call(1, 1, "a"), result(1, 2, "a")), true},
		{"I8", "all of the open step", with(step, line{"assistant/chunk", at(1, 1) + `}`, ""}, assistant(1, 1, "a"), call(1, 1, "a"), result(1, 1, "a"), stepEnd(1, 1)), false},
		{"I9", "a result without call", with(step, result(1, 1, "a")), true},
		{"I9", "a call that was only asked for", with(step, assistant(1, 1, "a"), result(1, 1, "a")), true},
		{"I9", "a second result", with(step, call(1, 1, "a"), result(1, 1, "a"), result(1, 1, "a")), true},
		{"I9", "one id called twice is one call", with(step, call(1, 1, "a"), call(1, 1, "a"), result(1, 1, "a"), result(1, 1, "a")), true},
		{"I9", "a call of an earlier step", with(step, call(1, 1, "a"), stepEnd(1, 1), stepStart(1, 2), result(1, 2, "a")), true},
		{"I9", "another error", with(step, failed(1, 1, "a", "TIMEOUT")), true},
		{"I9", "what an interruption left", with(step, failed(1, 1, "a", "interrupted")), false},
		{"I9", "a call without result", with(step, call(1, 1, "a"), stepEnd(1, 1)), false},
		{"I10", "before the first turn", []line{user(up)}, true},
		{"I10", "between turns", []line{turnStart(1), turnEnd(1), other("todo/write")}, true},
		{"I10", "a header between turns", []line{turnStart(1), turnEnd(1), {"request/header", `{"header":{"config":{"model":"m"}}}`, ""}}, true},
		{"I10", "a title, which version 0 does not know", []line{turnStart(1), turnEnd(1), other("session/title")}, true},
		{"I10", "in a turn and outside its steps", with(open, other("todo/write")), false},
	} {
		t.Run(c.check+" "+c.name, func(t *testing.T) {
			events := parsed(t, c.lines)
			v := verify.Check(events, false)
			if !c.broken {
				if v != nil {
					t.Error(v)
				}
				return
			}
			if v == nil || v.Check != c.check || v.Seq != int64(len(events)-1) {
				t.Errorf("violation %v, want %s at event %d", v, c.check, len(events)-1)
			} else if msg.CodeOf(v) != "INVARIANT" || !strings.HasPrefix(v.Error(), "invariant violated: "+c.check) {
				t.Errorf("%s: %v", msg.CodeOf(v), v)
			}
		})
	}
	t.Run("I1", func(t *testing.T) {
		events := parsed(t, []line{turnStart(1), user(up), user(up)})
		for _, order := range [][]int{{0, 0}, {0, 1, 1}, {1, 0}, {0, 2, 1}} {
			var in verify.Invariants
			for i, n := range order {
				v := in.Feed(events[n])
				if last := i == len(order)-1; last && (v == nil || v.Check != "I1") {
					t.Errorf("%v: %v", order, v)
				}
			}
		}
		// A gap is the scan's business.
		var in verify.Invariants
		if v, w := in.Feed(events[0]), in.Feed(events[2]); v != nil || w != nil {
			t.Errorf("%v, %v", v, w)
		}
	})
}

// Strict asks for one result of every call, whatever announced it; not of events
// that another log brought.
func TestStrict(t *testing.T) {
	step := []line{turnStart(1), stepStart(1, 1)}
	for _, c := range []struct {
		name  string
		lines []line
		check string
	}{
		{"answered", []line{assistant(1, 1, "a", "b"), call(1, 1, "a"), result(1, 1, "a"), failed(1, 1, "b", "cancelled"), stepEnd(1, 1)}, ""},
		{"one of two", []line{assistant(1, 1, "a", "b"), call(1, 1, "a"), result(1, 1, "a"), stepEnd(1, 1)}, "CALLS"},
		{"two calls of one id", []line{assistant(1, 1, "a", "a"), result(1, 1, "a"), result(1, 1, "a"), stepEnd(1, 1)}, ""},
		{"two calls of one id, one result", []line{assistant(1, 1, "a", "a"), result(1, 1, "a"), stepEnd(1, 1)}, "CALLS"},
		{"nobody asked", []line{assistant(1, 1), call(1, 1, "a"), result(1, 1, "a")}, "I9"},
		{"twice", []line{assistant(1, 1, "a"), result(1, 1, "a"), result(1, 1, "a")}, "I9"},
	} {
		events := parsed(t, append(append([]line{}, step...), c.lines...))
		v := verify.Check(events, true)
		if (v == nil) != (c.check == "") || v != nil && (v.Check != c.check || v.Seq != int64(len(events)-1)) {
			t.Errorf("%s: %v, want %s", c.name, v, c.check)
		}
	}
	events := parsed(t, append(append([]line{}, step...), assistant(1, 1, "a"), call(1, 1, "a"), stepEnd(1, 1)))
	in := verify.Invariants{Strict: true, Seed: int64(len(events))}
	for _, e := range events {
		if v := in.Feed(e); v != nil {
			t.Error(v)
		}
	}
	// Version 1 lets a title stand between turns.
	title, err := event.Parse(`{"type":"session/title","seq":5,"time":1,"data":{"title":"t"}}`)
	if err != nil {
		t.Fatal(err)
	}
	var between verify.Invariants
	if v := between.Feed(title); v != nil {
		t.Error(v)
	}
}
