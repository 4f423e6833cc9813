package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/verify"
	"github.com/dsh-hcl/dsh/engine/wire"
)

func said(t *testing.T, role msg.Role, text string) msg.Message {
	t.Helper()
	m, err := msg.NewMessage(role, msg.Text{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func headerOf(model string, prefix ...msg.Message) header.Header {
	return header.New(header.Parts{Config: msg.CallConfig{Model: model}, System: "s", Prefix: header.Seal(prefix), Wire: header.Wire{Protocol: "openai", Dialect: "openai"}})
}

// sent is the record of the first request of a header and a history.
func sent(t *testing.T, h header.Header, history ...msg.Message) event.RequestSent {
	t.Helper()
	enc, err := wire.NewEncoder(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := enc.Append(history...); err != nil {
		t.Fatal(err)
	}
	b := enc.Body()
	return event.RequestSent{Turn: 1, Step: 1, Bytes: b.Len(), SHA256: b.SHA256(), Purpose: "step", Marks: b.Marks()}
}

// memory is a file system that keeps what is published.
type memory struct {
	eventlog.Files
	content *strings.Builder
}

type memoryFile struct{ m memory }

func (m memory) Publish(_ string, content []byte) error { m.content.Write(content); return nil }
func (m memory) Open(string) (eventlog.File, error)     { return memoryFile{m}, nil }

func (f memoryFile) Write(p []byte) (int, error) { return f.m.content.Write(p) }
func (f memoryFile) Close() error                { return nil }
func (f memoryFile) Sync() error                 { return nil }
func (f memoryFile) Truncate(int64) error        { return nil }

func logOf(t *testing.T, entries ...event.Entry) string {
	t.Helper()
	m := memory{content: &strings.Builder{}}
	l := eventlog.New("log", eventlog.Header{ID: "x", CreatedAt: 1, Agent: "a", ConfigDigest: "d"}, eventlog.Options{Files: m, Now: func() int64 { return 1 }})
	if _, err := l.Append(entries...); err != nil {
		t.Fatal(err)
	}
	return m.content.String()
}

// S79: a request is rebuilt from its log, and anything else than what was sent is
// found.
func TestRebuild(t *testing.T) {
	prefix, prompt, late := said(t, msg.RoleUser, "rules"), said(t, msg.RoleUser, "hello"), said(t, msg.RoleUser, "later")
	h := headerOf("m", prefix)
	user := func(m msg.Message) event.Entry {
		return event.Entry{Payload: event.UserMessage{ID: "i", Content: m.Content, Source: event.UserSource()}, Op: event.Op{Kind: event.OpAppend}}
	}
	start := event.Entry{Payload: event.TurnStart{Turn: 1, Trigger: "message", Source: event.UserSource()}}
	step := event.Entry{Payload: event.StepStart{Turn: 1, Step: 1}}
	logged := event.Entry{Payload: event.RequestHeader{Header: h, Reason: event.HeaderInitial}}
	for _, c := range []struct {
		name   string
		before []event.Entry // of request/sent
		sent   event.RequestSent
		want   string // of the difference or the error, "" for identical
	}{
		{"exact", []event.Entry{start, user(prompt), step, logged}, sent(t, h, prompt), ""},
		{"content that came late", []event.Entry{start, user(prompt), step, logged, user(late)}, sent(t, h, prompt), ""},
		{"a header amended before the request", []event.Entry{start, user(prompt), step, logged,
			{Payload: event.RequestHeaderDelta{Delta: header.Diff(h, headerOf("n", prefix))}}}, sent(t, headerOf("n", prefix), prompt), ""},
		{"the prefix dropped", []event.Entry{start, user(prompt), step, logged}, sent(t, headerOf("m"), prompt), "differing byte"},
		{"the prefix misplaced", []event.Entry{start, user(prompt), step, logged}, sent(t, headerOf("m"), prompt, prefix), "differing byte"},
		{"a phantom message", []event.Entry{start, user(prompt), step, logged}, sent(t, h, prompt, late), "differing byte"},
		{"a message missing", []event.Entry{start, user(prompt), user(late), step, logged}, sent(t, h, prompt), "differing byte"},
		{"another model", []event.Entry{start, user(prompt), step, logged}, sent(t, headerOf("n", prefix), prompt), "first differing byte is 10: sent 'n', the log now gives 'm', in model settings"},
		{"no header", []event.Entry{start, user(prompt), step}, sent(t, h, prompt), "no request/header comes before it"},
		{"no step", []event.Entry{start, user(prompt), logged}, sent(t, h, prompt), "no step/start of turn 1 step 1"},
		{"another step", []event.Entry{start, user(prompt), {Payload: event.StepStart{Turn: 1, Step: 2}}, logged}, sent(t, h, prompt), "no step/start of turn 1 step 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := logOf(t, append(slices.Clone(c.before), event.Entry{Payload: c.sent}, event.Entry{Payload: event.StepEnd{Turn: 1, Step: 1}},
				event.Entry{Payload: event.TurnEnd{Turn: 1, Reason: event.EndReason{Kind: event.EndCompleted}}})...)
			report, err := verify.Log("log", text)
			if err != nil || len(report.Requests) != 1 || len(report.Damage) > 0 && !strings.Contains(c.name, "step") || report.Version != 1 || report.Open || report.Torn {
				t.Fatalf("%+v, %v", report, err)
			}
			r := report.Requests[0]
			got := fmt.Sprint(r.Err)
			if r.Err == nil {
				got = ""
				if r.Difference != nil {
					got = r.Difference.String()
				}
			}
			if !strings.Contains(got, c.want) || (got == "") != (c.want == "") || report.OK() != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Damage says where to look: what no turn ends as, and the lines no digest vouches for.
func TestDamageIsLocated(t *testing.T) {
	turn := func(n int64, end event.EndKind) []event.Entry {
		return []event.Entry{
			{Payload: event.TurnStart{Turn: n, Trigger: "message", Source: event.UserSource()}},
			{Payload: event.TurnEnd{Turn: n, Reason: event.EndReason{Kind: end}}},
		}
	}
	whole := logOf(t, append(turn(1, event.EndCompleted), turn(2, event.EndCompleted)...)...)
	second := strings.LastIndex(whole, `"message"`)
	for _, c := range []struct{ name, text, want string }{
		{"an unknown end", logOf(t, turn(1, "finished")...), `a turn never ends as "finished"`},
		{"an edit of the second turn", whole[:second] + `"massage"` + whole[second+len(`"message"`):], "lines 3 to 4, "},
	} {
		report, err := verify.Log("log", c.text)
		if err != nil || report.OK() || len(report.Damage) != 1 || !strings.Contains(report.Damage[0].Err.Error(), c.want) {
			t.Errorf("%s: %+v, %v", c.name, report, err)
		}
	}
	if report, err := verify.Log("log", whole); err != nil || !report.OK() {
		t.Errorf("whole: %+v, %v", report, err)
	}
}

// A log of version 0 records no request. What it carries is derived, and a turn/end
// without digest is no damage.
func TestVersion0(t *testing.T) {
	h := `{"type":"request/header","seq":%d,"time":1,"data":{"header":{"config":{"model":"m"}%s},"reason":"initial"}}`
	lines := []string{
		`{"type":"session","version":0,"id":"x","createdAt":1}`,
		`{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}`,
		`{"type":"step/start","seq":1,"time":1,"data":{"turn":1,"step":1}}`,
		fmt.Sprintf(h, 2, ""),
		`{"type":"assistant/chunk","seq":3,"time":1,"data":{"turn":1,"step":1}}`,
		`{"type":"assistant/chunk","seq":4,"time":1,"data":{"turn":1,"step":1}}`,
		`{"type":"step/end","seq":5,"time":1,"data":{"turn":1,"step":1}}`,
		`{"type":"step/start","seq":6,"time":1,"data":{"turn":1,"step":2}}`,
		fmt.Sprintf(h, 7, `,"tools":"{{tools}}"`),
		`{"type":"assistant/message","seq":8,"time":1,"data":{"turn":1,"step":2,"content":[]},"surfaceOp":"append"}`,
		`{"type":"turn/end","seq":9,"time":1,"data":{"turn":1,"reason":{"kind":"aborted"}}}`,
	}
	text := strings.Join(lines, "\n") + "\n"
	report, err := verify.Log("log", text)
	if err != nil || !report.OK() || report.Version != 0 || report.Derived != 1 || len(report.Requests) != 0 || report.Open {
		t.Errorf("%+v, %v", report, err)
	}
	report, err = verify.Log("log", text+`{"type":"user/message","seq":10,"time":1,"data":{"content":"x"},"surfaceOp":"append"}`+"\n{}\n")
	if err != nil || report.OK() || len(report.Damage) != 1 || !strings.Contains(report.Damage[0].Err.Error(), "line 12, byte ") || report.Derived != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}
