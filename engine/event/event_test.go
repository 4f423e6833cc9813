package event_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func TestLines(t *testing.T) {
	user := event.UserMessage{ID: "i", Source: event.UserSource()}
	const data = `{"id":"i","content":[],"source":{"kind":"user"}}`
	for _, c := range []struct {
		name  string
		entry event.Entry
		want  string
	}{
		{"log only", event.Entry{Payload: event.StepEnd{Turn: 1, Step: 2}}, `{"type":"step/end","seq":7,"time":1767323045000,"data":{"turn":1,"step":2}}`},
		{"append", event.Entry{Payload: user, Op: event.Op{Kind: event.OpAppend}},
			`{"type":"user/message","seq":7,"time":1767323045000,"data":` + data + `,"surfaceOp":"append"}`},
		{"append with an op's leftovers", event.Entry{Payload: user, Op: event.Op{Kind: event.OpAppend, Start: 3, End: 4}},
			`{"type":"user/message","seq":7,"time":1767323045000,"data":` + data + `,"surfaceOp":"append"}`},
		{"sources", event.Entry{Payload: user, Sources: []int64{4, 0, 5}, Op: event.Op{Kind: event.OpAppend}},
			`{"type":"user/message","seq":7,"time":1767323045000,"data":` + data + `,"sourceEventSeqs":[4,0,5],"surfaceOp":"append"}`},
		{"no sources differ from absent ones", event.Entry{Payload: user, Sources: []int64{}, Op: event.Op{Kind: event.OpAppend}},
			`{"type":"user/message","seq":7,"time":1767323045000,"data":` + data + `,"sourceEventSeqs":[],"surfaceOp":"append"}`},
		{"replace", event.Entry{Payload: user, Sources: []int64{1}, Op: event.Op{Kind: event.OpReplace, Start: 5, End: 2}},
			`{"type":"user/message","seq":7,"time":1767323045000,"data":` + data + `,"sourceEventSeqs":[1],"surfaceOp":{"op":"replace","start":5,"end":2}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event.New(7, 1767323045000, c.entry)
			if e.Line() != c.want {
				t.Errorf("got  %s\nwant %s", e.Line(), c.want)
			}
			checkRead(t, e)
		})
	}
}

// checkRead holds an event that was made to the one its line reads as.
func checkRead(t *testing.T, e event.Event) {
	t.Helper()
	read, err := event.Parse(e.Line())
	if err != nil {
		t.Errorf("%s: %v", e.Line(), err)
		return
	}
	if e.Op.Kind == event.OpAppend {
		e.Op = event.Op{Kind: event.OpAppend}
	}
	if !reflect.DeepEqual(read, e) {
		t.Errorf("%s was read as %+v, made as %+v", e.Line(), read, e)
	}
}

func TestEveryPayloadReadsBack(t *testing.T) {
	for i, s := range samples(t) {
		e := event.New(int64(i), int64(i)*1000, entry(s.payload))
		if e.Type != s.payload.Type() || e.Data.Raw() != s.data || e.Seq != int64(i) || e.Time != int64(i)*1000 {
			t.Errorf("made %+v of %s", e, s.data)
		}
		checkRead(t, e)
	}
}

// The log must not get a line that no reader takes.
func TestNewRefuses(t *testing.T) {
	surface := event.Op{Kind: event.OpAppend}
	for _, c := range []struct {
		name  string
		entry event.Entry
	}{
		{"a message without its place", event.Entry{Payload: event.UserMessage{Source: event.UserSource()}}},
		{"a log event with a place", event.Entry{Payload: event.StepEnd{}, Op: surface}},
		{"a log event with sources", event.Entry{Payload: event.StepEnd{}, Sources: []int64{1}}},
		{"a message without source", event.Entry{Payload: event.UserMessage{}, Op: surface}},
		{"text that is not UTF-8", event.Entry{Payload: event.ToolCall{Name: "\xff"}}},
		{"meta that is not canonical", event.Entry{Payload: event.ToolResult{Meta: `{"a": 1}`}, Op: surface}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			event.New(0, 0, c.entry)
		})
	}
}

func TestSurfaceRules(t *testing.T) {
	t.Run("L131", func(t *testing.T) {
		e := event.New(0, 0, event.Entry{Payload: event.TurnStart{Turn: 1, Trigger: "message", Source: event.UserSource()}})
		v := value(t, e.Line())
		if v.Get("sourceEventSeqs").Exists() || v.Get("surfaceOp").Exists() || e.Sources != nil || e.Op.Kind != event.OpNone {
			t.Errorf("a turn/start on the surface: %s", e.Line())
		}
	})
	t.Run("L132", func(t *testing.T) {
		e := event.New(0, 0, entry(event.ContextMessage{Source: event.UserSource()}))
		if got := value(t, e.Line()).Get("surfaceOp").Raw(); got != `"append"` {
			t.Errorf("op is %s", got)
		}
	})
	t.Run("L134", func(t *testing.T) {
		var surface []string
		seen := map[string]bool{}
		for _, s := range samples(t) {
			name := s.payload.Type()
			if event.IsSurfaceType(name) && !seen[name] {
				surface = append(surface, name)
			}
			seen[name] = true
		}
		want := []string{"user/message", "assistant/message", "tool/result", "context/message", "steering/message"}
		if !slices.Equal(surface, want) {
			t.Errorf("surface types %v, want %v", surface, want)
		}
		for _, name := range []string{"", "message", "user/", "todo/write", "USER/MESSAGE"} {
			if event.IsSurfaceType(name) {
				t.Errorf("%q is a surface type", name)
			}
		}
	})
	// L135 and L136 ask whether an event is a surface event: here, whether its
	// operation is one. The reader refuses those for which type and operation
	// disagree, see TestParseRefuses.
	t.Run("L135", func(t *testing.T) {
		if e := event.New(1, 0, entry(event.UserMessage{Source: event.UserSource()})); e.Op.Kind == event.OpNone {
			t.Error("a prompt is not on the surface")
		}
	})
	t.Run("L136", func(t *testing.T) {
		if e := event.New(0, 0, entry(event.TurnStart{Trigger: "message", Source: event.UserSource()})); e.Op.Kind != event.OpNone {
			t.Error("a turn/start is on the surface")
		}
	})
	t.Run("L122", func(t *testing.T) {
		sources := make([]int64, 2, 4)
		sources[0], sources[1] = 10, 20
		in := entry(event.UserMessage{Source: event.UserSource()})
		in.Sources = sources
		e := event.New(30, 0, in)
		sources[0] = 99
		_ = append(sources, 30)
		if !slices.Equal(e.Sources, []int64{10, 20}) || value(t, e.Line()).Get("sourceEventSeqs").Raw() != "[10,20]" {
			t.Errorf("sources %v in %s", e.Sources, e.Line())
		}
	})
	t.Run("L124", func(t *testing.T) {
		in := event.Entry{Payload: event.UserMessage{Source: event.UserSource()}, Op: event.Op{Kind: event.OpReplace}}
		e := event.New(1, 0, in)
		in.Op.Start = 99
		if want := (event.Op{Kind: event.OpReplace}); e.Op != want || value(t, e.Line()).Get("surfaceOp").Raw() != `{"op":"replace","start":0,"end":0}` {
			t.Errorf("op %+v in %s", e.Op, e.Line())
		}
	})
}

// A type that this program does not know is kept as it is.
func TestUnknownType(t *testing.T) {
	for _, line := range []string{
		`{"type":"todo/write","seq":0,"time":0,"data":{"todos":[{"content":"x","status":"pending"}]}}`,
		`{"type":"x","seq":9223372036854775807,"time":1,"data":{}}`,
		`{"type":"turn/started","seq":1,"time":1,"data":{"turn":"one"}}`,
		`{"type":"plugin/mark","seq":1,"time":1,"data":[null,1e-7]}`,
	} {
		e, err := event.Parse(line)
		if err != nil || e.Line() != line {
			t.Errorf("%s: %v", line, err)
		}
		if _, ok := e.Message(); ok {
			t.Errorf("%s has a message", line)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const (
		user    = `{"id":"i","content":[],"source":{"kind":"user"}}`
		isShape = true
	)
	log := func(kind, data string) string { return `{"type":"` + kind + `","seq":0,"time":0,"data":` + data + `}` }
	surface := func(kind, data string) string {
		return `{"type":"` + kind + `","seq":0,"time":0,"data":` + data + `,"surfaceOp":"append"}`
	}
	for _, c := range []struct {
		line, want string
		shape      bool
	}{
		{``, "unexpected end at byte 0", !isShape},
		{`{"type":"x","seq":0,"time":0,"data":{}`, "expected a comma or a closing brace at byte 38", !isShape},
		{log("x", "{}") + " ", "unexpected text after the value at byte 39", !isShape},
		{`{"type": "x","seq":0,"time":0,"data":{}}`, "unexpected character at byte 8", !isShape},
		{`{"type":"x","seq":0,"seq":0,"time":0,"data":{}}`, "member name repeated at byte 20", !isShape},
		{`{"type":"\u0041","seq":0,"time":0,"data":{}}`, "escape is not canonical at byte 9", !isShape},
		{`null`, "line is not an object", isShape},
		{`[]`, "line is not an object", isShape},
		{`{}`, "envelope lacks type, seq, time or data", isShape},
		{`{"type":"","seq":0,"time":0,"data":{}}`, "envelope lacks type, seq, time or data", isShape},
		{`{"seq":0,"time":0,"data":{}}`, "envelope lacks type, seq, time or data", isShape},
		{`{"type":"x","time":0,"data":{}}`, "envelope lacks type, seq, time or data", isShape},
		{`{"type":"x","seq":0,"data":{}}`, "envelope lacks type, seq, time or data", isShape},
		{`{"type":"x","seq":0,"time":0}`, "envelope lacks type, seq, time or data", isShape},
		{`{"type":1,"seq":0,"time":0,"data":{}}`, `envelope member "type" has the wrong type`, isShape},
		{`{"type":"x","seq":-1,"time":0,"data":{}}`, `envelope member "seq" has the wrong type`, isShape},
		{`{"type":"x","seq":-0,"time":0,"data":{}}`, `envelope member "seq" has the wrong type`, isShape},
		{`{"type":"x","seq":1.0,"time":0,"data":{}}`, `envelope member "seq" has the wrong type`, isShape},
		{`{"type":"x","seq":9223372036854775808,"time":0,"data":{}}`, `envelope member "seq" has the wrong type`, isShape},
		{`{"type":"x","seq":0,"time":1e3,"data":{}}`, `envelope member "time" has the wrong type`, isShape},
		{log("turn/start", `[]`), `envelope member "data" has the wrong type`, isShape},
		{log("assistant/chunk", `null`), `envelope member "data" has the wrong type`, isShape},
		{`{"type":"x","seq":0,"time":0,"data":{},"extra":1}`, `unknown envelope member "extra"`, isShape},
		// The order is part of the canonical form.
		{`{"seq":0,"type":"x","time":0,"data":{}}`, `envelope member "type" is out of order`, isShape},
		{`{"type":"x","time":0,"seq":0,"data":{}}`, `envelope member "seq" is out of order`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"surfaceOp":"append","sourceEventSeqs":[]}`, `envelope member "sourceEventSeqs" is out of order`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `}`, "user/message without surfaceOp", isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"surfaceOp":"prepend"}`, `envelope member "surfaceOp" has the wrong type`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"surfaceOp":null}`, `envelope member "surfaceOp" has the wrong type`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"surfaceOp":{"op":"append","start":0,"end":0}}`, `envelope member "surfaceOp" has the wrong type`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"surfaceOp":{"op":"replace","start":0}}`, `envelope member "surfaceOp" has the wrong type`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"surfaceOp":{"op":"replace","end":0,"start":0}}`, `envelope member "surfaceOp" has the wrong type`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"surfaceOp":{"op":"replace","start":0,"end":0,"more":1}}`, `envelope member "surfaceOp" has the wrong type`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"sourceEventSeqs":{},"surfaceOp":"append"}`, `envelope member "sourceEventSeqs" has the wrong type`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"sourceEventSeqs":[0,-1],"surfaceOp":"append"}`, `envelope member "sourceEventSeqs" has the wrong type`, isShape},
		{`{"type":"user/message","seq":0,"time":0,"data":` + user + `,"sourceEventSeqs":["0"],"surfaceOp":"append"}`, `envelope member "sourceEventSeqs" has the wrong type`, isShape},
		{surface("x", `{}`), "x with a surface operation", isShape},
		{`{"type":"step/end","seq":0,"time":0,"data":{"turn":1,"step":1},"sourceEventSeqs":[]}`, "step/end with a surface operation", isShape},
		// The data has the form that the fold relies on.
		{surface("user/message", `{"id":"i","source":{"kind":"user"}}`), "user/message: content is not an array", isShape},
		{surface("user/message", `{"id":"i","content":[]}`), "user/message: no source with a kind", isShape},
		{surface("user/message", `{"id":"i","content":[{"type":"text"}],"source":{"kind":"user"}}`), `user/message: block 0: text block without string "text"`, isShape},
		{surface("context/message", `{"content":[],"source":{}}`), "context/message: no source with a kind", isShape},
		{surface("steering/message", `{"content":[],"source":{"kind":"user"}}`), `steering/message: no number "turn"`, isShape},
		{surface("steering/message", `{"turn":1,"content":[]}`), "steering/message: no source with a kind", isShape},
		{surface("assistant/message", `{"turn":1,"content":[],"finish":"stop"}`), `assistant/message: no number "step"`, isShape},
		{surface("assistant/message", `{"turn":1,"step":1,"content":{},"finish":"stop"}`), "assistant/message: content is not an array", isShape},
		{surface("assistant/message", `{"turn":1,"step":1,"content":[],"cost":{"amount":1,"currency":"USD"},"finish":"stop"}`), `assistant/message: "cost" is no amount of a currency`, isShape},
		{surface("tool/result", `{"turn":1,"step":1,"callId":"c","content":[]}`), `tool/result: no boolean "isError"`, isShape},
		{surface("tool/result", `{"turn":1,"step":1,"content":[],"isError":true}`), `tool/result: no text "callId"`, isShape},
		{surface("tool/result", `{"turn":-0,"step":1,"callId":"c","content":[],"isError":true}`), `tool/result: no number "turn"`, isShape},
		{surface("tool/result", `{"turn":1,"step":1,"callId":"c","content":"x","isError":true}`), "tool/result: content is not an array", isShape},
		{log("tool/call", `{"turn":1,"step":1,"callId":"c","name":"n","arguments":{}}`), `tool/call: no text "arguments"`, isShape},
		{log("tool/call", `{"turn":1,"step":"1","callId":"c","name":"n","arguments":""}`), `tool/call: no number "step"`, isShape},
		{log("turn/start", `{}`), `turn/start: no number "turn"`, isShape},
		{log("turn/end", `{"turn":1,"reason":{}}`), "turn/end: no reason with a kind", isShape},
		{log("turn/end", `{"reason":{"kind":"completed"}}`), `turn/end: no number "turn"`, isShape},
		{log("step/start", `{"turn":1}`), `step/start: no number "step"`, isShape},
		{log("step/end", `{"step":1}`), `step/end: no number "turn"`, isShape},
		{log("request/sent", `{"turn":1,"step":1,"bytes":1.5,"sha256":"","purpose":"step","marks":""}`), `request/sent: no number "bytes"`, isShape},
		{log("request/sent", `{"turn":1,"step":1,"bytes":1,"sha256":"","purpose":"step"}`), `request/sent: no text "marks"`, isShape},
		{log("request/header", `{"header":null}`), "request/header: no header object", isShape},
	} {
		e, err := event.Parse(c.line)
		if fmt.Sprint(err) != c.want {
			t.Errorf("%s:\nerror %v\nwant  %s", c.line, err, c.want)
		}
		var shape *event.ShapeError
		var syntax *canon.SyntaxError
		if errors.As(err, &shape) != c.shape || errors.As(err, &syntax) == c.shape {
			t.Errorf("%s: error of type %T", c.line, err)
		}
		if e.Line() != "" || e.Type != "" {
			t.Errorf("%s: an event beside the error", c.line)
		}
	}
}

// raw is a payload of any type.
type raw struct{ kind, data string }

func (r raw) Type() string { return r.kind }
func (r raw) Raw() string  { return r.data }

// FuzzParse: a line that is accepted has one form, the one that New writes; and
// its message can be read back.
func FuzzParse(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(event.New(3, 5, entry(s.payload)).Line())
	}
	f.Add(`{"type":"user/message","seq":7,"time":1,"data":{"id":"i","content":[{"type":"widget","n":1.0}],"source":{"kind":"a\"b"}},"sourceEventSeqs":[1,0],"surfaceOp":{"op":"replace","start":5,"end":2}}`)
	f.Add(`{"type":"todo/write","seq":0,"time":0,"data":{"x":-0}}`)
	f.Add(`{"seq":0,"type":"x","time":0,"data":{}}`)
	f.Add(`{"type":"assistant/message","seq":1,"time":0,"data":{"turn":0,"step":0,"content":[{"type":"tool-call","id":"","name":"","arguments":"{"}]},"surfaceOp":"append"}`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := event.Parse(line)
		if err != nil {
			return
		}
		made := event.New(e.Seq, e.Time, event.Entry{Payload: raw{e.Type, e.Data.Raw()}, Sources: e.Sources, Op: e.Op})
		if e.Line() != line || made.Line() != line || !reflect.DeepEqual(made, e) {
			t.Fatalf("%q is written as %q", line, made.Line())
		}
		m, ok := e.Message()
		if ok && !event.IsSurfaceType(e.Type) {
			t.Fatalf("%q has a message", line)
		}
		if !ok {
			return
		}
		if again, err := msg.ParseMessage(value(t, m.Raw())); err != nil || again != m {
			t.Fatalf("the message of %q was parsed as %q, %v", line, again.Raw(), err)
		}
	})
}
