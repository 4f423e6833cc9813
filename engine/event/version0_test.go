package event_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
)

const userData = `{"content":[{"type":"text","text":"a"}],"source":{"kind":"user"}}`

// A line is read as JavaScript reads it, and stays as it is.
func TestParseVersion0(t *testing.T) {
	up := event.Op{Kind: event.OpAppend}
	for _, c := range []struct {
		name, line string
		want       event.Event
		data       string
	}{
		{"as the reference writes it", `{"type":"turn/start","seq":3,"time":12,"data":{"turn":1}}`, event.Event{Type: "turn/start", Seq: 3, Time: 12}, `{"turn":1}`},
		{"white space, order, escapes", " { \"data\" : {\"turn\":1.0} ,\t\"seq\":3e0,\"time\":1.2e1, \"\\u0074ype\":\"turn\\/start\"}\r", event.Event{Type: "turn/start", Seq: 3, Time: 12}, `{"turn":1}`},
		{"members twice", `{"type":"x","seq":9,"time":1,"data":1,"seq":-0,"data":{"b":1,"a":2,"b":3},"type":"y"}`, event.Event{Type: "y", Seq: 0, Time: 1}, `{"b":3,"a":2}`},
		{"members like indices", `{"type":"x","seq":0,"time":1,"data":{"b":1,"10":2,"9":3}}`, event.Event{Type: "x", Time: 1}, `{"9":3,"10":2,"b":1}`},
		{"__proto__", `{"__proto__":{"seq":7},"type":"x","seq":0,"time":1,"data":{"__proto__":1}}`, event.Event{Type: "x", Time: 1}, `{"__proto__":1}`},
		{"members that nobody knows", `{"type":"x","seq":0,"time":1,"data":[1],"more":{"seq":5}}`, event.Event{Type: "x", Time: 1}, `[1]`},
		{"data of any kind", `{"type":"plugin/mark","seq":0,"time":1,"data":null}`, event.Event{Type: "plugin/mark", Time: 1}, `null`},
		{"a lone surrogate", `{"type":"x","seq":0,"time":1,"data":"a\ud800"}`, event.Event{Type: "x", Time: 1}, "\"a\ufffd\""},
		{"bytes that are no UTF-8", "{\"type\":\"x\",\"seq\":0,\"time\":1,\"data\":\"a\xf0\x9f\x99b\"}", event.Event{Type: "x", Time: 1}, "\"a\ufffdb\""},
		{"no type, no time", `{"seq":0,"data":{}}`, event.Event{}, `{}`},
		{"type and time of other kinds", `{"type":7,"seq":0,"time":"5","data":{}}`, event.Event{}, `{}`},
		{"a time before 1970, and one with a fraction", `{"type":"x","seq":0,"time":-5,"data":{},"time":7.9}`, event.Event{Type: "x", Time: 7}, `{}`},
		{"no seq", `{"type":"x","time":1,"data":{}}`, event.Event{Type: "x", Seq: -1, Time: 1}, `{}`},
		{"a seq that is none", `{"type":"x","seq":1.5,"time":1,"data":{}}`, event.Event{Type: "x", Seq: -1, Time: 1}, `{}`},
		{"a seq that is text", `{"type":"x","seq":"1","time":1,"data":{}}`, event.Event{Type: "x", Seq: -1, Time: 1}, `{}`},
		{"a message", `{"type":"user/message","seq":0,"time":1,"data":` + userData + `,"surfaceOp":"append"}`, event.Event{Type: "user/message", Time: 1, Op: up}, userData},
		{"sources before or behind", `{"type":"user/message","seq":4,"time":1,"data":` + userData + `,"surfaceOp":{"end":3,"op":"x","start":1.0,"more":1},"sourceEventSeqs":[2,1e0]}`,
			event.Event{Type: "user/message", Seq: 4, Time: 1, Op: event.Op{Kind: event.OpReplace, Start: 1, End: 3}, Sources: []int64{2, 1}}, userData},
		{"an operation of another text", `{"type":"user/message","seq":4,"time":1,"data":` + userData + `,"surfaceOp":"prepend"}`,
			event.Event{Type: "user/message", Seq: 4, Time: 1, Op: event.Op{Kind: event.OpReplace, Start: -1, End: -1}}, userData},
		{"sources that are none", `{"type":"user/message","seq":4,"time":1,"data":` + userData + `,"surfaceOp":"append","sourceEventSeqs":null}`,
			event.Event{Type: "user/message", Seq: 4, Time: 1, Op: up, Sources: []int64{}}, userData},
		{"a marker on a log event", `{"type":"step/end","seq":4,"time":1,"data":{"turn":1,"step":1},"surfaceOp":"append"}`, event.Event{Type: "step/end", Seq: 4, Time: 1, Op: up}, `{"turn":1,"step":1}`},
		{"a type of version 1", `{"type":"request/sent","seq":4,"time":1,"data":{}}`, event.Event{Type: "request/sent", Seq: 4, Time: 1}, `{}`},
	} {
		e, err := event.ParseVersion0(c.line)
		if err != nil || e.Fault() != nil {
			t.Errorf("%s: %v, fault %v", c.name, err, e.Fault())
			continue
		}
		if e.Type != c.want.Type || e.Seq != c.want.Seq || e.Time != c.want.Time || e.Op != c.want.Op || !slices.Equal(e.Sources, c.want.Sources) || (e.Sources == nil) != (c.want.Sources == nil) {
			t.Errorf("%s: %+v", c.name, e)
		}
		if e.Data.Raw() != c.data || e.Line() != c.line || e.Version() != 0 {
			t.Errorf("%s: data %s, line %q, version %d", c.name, e.Data.Raw(), e.Line(), e.Version())
		}
	}
	for _, line := range []string{"", "{", "null", "7", `"x"`, "[]", "\ufeff{}", "{}\u00a0", "{\"a\":\"\x01\"}", "{'a':1}", "{\"a\":\xff}"} {
		var syntax *canon.SyntaxError
		if e, err := event.ParseVersion0(line); !errors.As(err, &syntax) || e.Line() != "" {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// What nothing can be derived from has a fault, keeps its place, has no message and
// cannot be carried.
func TestFault(t *testing.T) {
	surface := func(kind, data string) string {
		return `{"type":"` + kind + `","seq":0,"time":1,"data":` + data + `,"surfaceOp":"append"}`
	}
	log := func(kind, data string) string { return `{"type":"` + kind + `","seq":0,"time":1,"data":` + data + `}` }
	for _, c := range []struct{ line, want string }{
		{log("user/message", userData), "no surfaceOp"},
		{`{"type":"user/message","seq":0,"time":1,"data":` + userData + `,"surfaceOp":null}`, "no surfaceOp"},
		{`{"type":"x","seq":0,"time":1}`, "no data"},
		{log("x", `{"n":1e999}`), "number 1e999 is out of range"},
		{log("turn/start", `null`), `no number "turn"`},
		{log("turn/start", `{"turn":"1"}`), `no number "turn"`},
		{surface("user/message", `{"source":{"kind":"user"}}`), "content is not an array"},
		{surface("user/message", `{"content":"a","source":{"kind":"user"}}`), "content is not an array"},
		{surface("user/message", `{"content":[null],"source":{"kind":"user"}}`), "block 0: not an object"},
		{surface("user/message", `{"content":[{"type":"text"}],"source":{"kind":"user"}}`), `block 0: text block without string "text"`},
		{surface("context/message", `{"content":[],"source":{"kind":7}}`), "no source with a kind"},
		{surface("tool/result", `{"turn":1,"step":1,"callId":"c","content":[]}`), `no boolean "isError"`},
		{log("request/header", `{}`), "no header object"},
	} {
		e, err := event.ParseVersion0(c.line)
		if err != nil || fmt.Sprint(e.Fault()) != c.want || e.Seq != 0 || e.Line() != c.line {
			t.Errorf("%s: %v, fault %v, want %s", c.line, err, e.Fault(), c.want)
		}
		if m, ok := e.Message(); ok {
			t.Errorf("%s has the message %s", c.line, m.Raw())
		}
		if _, err := e.Entry(); !errors.Is(err, e.Fault()) {
			t.Errorf("%s: carried, %v", c.line, err)
		}
	}
}

// An event that is carried has the form of this project's logs.
func TestEntry(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{" {\"data\":{\"turn\":1.0},\"type\":\"turn/start\",\"seq\":0,\"time\":5,\"more\":1}", `{"type":"turn/start","seq":7,"time":5,"data":{"turn":1}}`},
		{`{"type":"user/message","seq":0,"time":5,"data":` + userData + `,"surfaceOp":{"op":"append","end":3,"start":2},"sourceEventSeqs":[3,2]}`,
			`{"type":"user/message","seq":7,"time":5,"data":` + userData + `,"sourceEventSeqs":[3,2],"surfaceOp":{"op":"replace","start":2,"end":3}}`},
		{`{"type":"plugin/mark","seq":0,"time":5,"data":"\u0041"}`, `{"type":"plugin/mark","seq":7,"time":5,"data":"A"}`},
	} {
		e, err := event.ParseVersion0(c.line)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := e.Entry()
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		made := event.New(7, e.Time, entry)
		if made.Line() != c.want || made.Version() != 1 {
			t.Errorf("%s became %s", c.line, made.Line())
		}
		again, err := event.Parse(made.Line())
		if err != nil || again.Data != made.Data {
			t.Errorf("%s: %v", made.Line(), err)
		}
		// From there it can be carried on.
		if next, err := again.Entry(); err != nil || event.New(7, e.Time, next).Line() != c.want {
			t.Errorf("%s: %v", made.Line(), err)
		}
	}
	for _, line := range []string{
		`{"seq":0,"time":1,"data":{}}`,
		`{"type":"x","seq":0,"time":1,"data":{},"surfaceOp":"append"}`,
		`{"type":"x","seq":0,"time":1,"data":{},"sourceEventSeqs":[]}`,
		`{"type":"request/sent","seq":0,"time":1,"data":{}}`,
		`{"type":"contributor/skipped","seq":0,"time":1,"data":[]}`,
	} {
		e, err := event.ParseVersion0(line)
		if err != nil {
			t.Fatal(err)
		}
		var shape *event.ShapeError
		if _, err := e.Entry(); !errors.As(err, &shape) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// The digest in a turn/end is that of the log it stands in.
func TestSealed(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`{"turn":1,"reason":{"kind":"completed"}}`, `{"turn":1,"reason":{"kind":"completed"},"logSha256":"ab"}`},
		{`{"turn":1,"logSha256":"old","reason":{"kind":"completed"}}`, `{"turn":1,"reason":{"kind":"completed"},"logSha256":"ab"}`},
		{`{"turn":1,"reason":{"kind":"completed"},"é\"":[],"logSha256":7}`, `{"turn":1,"reason":{"kind":"completed"},"é\"":[],"logSha256":"ab"}`},
	} {
		e, err := event.ParseVersion0(`{"type":"turn/end","seq":0,"time":1,"data":` + c.data + `}`)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := e.Entry()
		if err != nil {
			t.Fatal(err)
		}
		sealer, ok := entry.Payload.(event.Sealer)
		if !ok {
			t.Fatal("a carried turn/end cannot be sealed")
		}
		if got := sealer.Sealed("ab"); got.Raw() != c.want || got.Type() != "turn/end" {
			t.Errorf("%s became %s", c.data, got.Raw())
		}
	}
	e, err := event.ParseVersion0(`{"type":"step/end","seq":0,"time":1,"data":{"turn":1,"step":1}}`)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := e.Entry()
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := entry.Payload.(event.Sealer); ok && s.Sealed("ab").Raw() != `{"turn":1,"step":1}` {
		t.Error("a step/end got a digest")
	}
	if got := (event.TurnEnd{Turn: 2, Reason: event.EndReason{Kind: event.EndCompleted}}).Sealed("cd").Raw(); got != `{"turn":2,"reason":{"kind":"completed"},"logSha256":"cd"}` {
		t.Error(got)
	}
}

// FuzzParseVersion0: no line panics; what is read can be carried or says why not,
// and a line of version 1 is read as it is.
func FuzzParseVersion0(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(event.New(3, 5, entry(s.payload)).Line())
	}
	f.Add(`{"type":"user/message","seq":1.0,"time":-1,"data":` + userData + `,"surfaceOp":{"start":1},"sourceEventSeqs":{}}`)
	f.Add("{\"type\":\"tool/result\",\"data\":{\"content\":[{}],\"isError\":true,\"callId\":\"\xff\\ud800\"},\"seq\":1e999}")
	f.Add("null")
	f.Fuzz(func(t *testing.T, line string) {
		e, err := event.ParseVersion0(line)
		if err != nil {
			return
		}
		if e.Line() != line {
			t.Fatalf("%q became %q", line, e.Line())
		}
		e.Message()
		if strict, err := event.Parse(line); err == nil && e.Fault() == nil {
			if js, err := canon.ParseJavaScript(line); err == nil && js.Raw() == line && (strict.Data != e.Data || strict.Op != e.Op || !slices.Equal(strict.Sources, e.Sources)) {
				t.Fatalf("%q is read as %+v and %+v", line, strict, e)
			}
		}
		carried, err := e.Entry()
		if err != nil {
			return
		}
		if made := event.New(1, e.Time, carried); e.Op.Start >= 0 && e.Op.End >= 0 {
			if _, err := event.Parse(made.Line()); err != nil {
				t.Fatalf("%q was carried as %q: %v", line, made.Line(), err)
			}
		}
	})
}
