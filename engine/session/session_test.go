package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

func content(t testing.TB, blocks ...msg.Block) msg.Content {
	t.Helper()
	c, err := msg.NewContent(blocks...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// log is a session as a test writes it. The time of an event is its seq.
type log struct {
	t      testing.TB
	state  *session.State
	events []event.Event
}

func newLog(t testing.TB) *log { return &log{t: t, state: &session.State{}} }

// try appends an entry as it is.
func (l *log) try(e event.Entry) error {
	seq := l.state.Next()
	ev := event.New(seq, seq, e)
	if err := l.state.Apply(ev); err != nil {
		return err
	}
	l.events = append(l.events, ev)
	return nil
}

// add appends payloads, messages at the end of the surface.
func (l *log) add(payloads ...event.Payload) *log {
	l.t.Helper()
	for _, p := range payloads {
		e := event.Entry{Payload: p}
		if event.IsSurfaceType(p.Type()) {
			e.Op = event.Op{Kind: event.OpAppend}
		}
		if err := l.try(e); err != nil {
			l.t.Fatal(err)
		}
	}
	return l
}

// replace puts a message in the place of a range of the surface.
func (l *log) replace(p event.Payload, start, end int64) error {
	return l.try(event.Entry{Payload: p, Op: event.Op{Kind: event.OpReplace, Start: start, End: end}})
}

func (l *log) mustReplace(p event.Payload, start, end int64) {
	l.t.Helper()
	if err := l.replace(p, start, end); err != nil {
		l.t.Fatal(err)
	}
}

func (l *log) user(text string) event.Payload {
	return event.UserMessage{ID: "i", Content: content(l.t, msg.Text{Text: text}), Source: event.UserSource()}
}

// assistant is an answer of step 1 with text and calls.
func (l *log) assistant(turn int64, text string, calls ...string) event.Payload {
	var blocks []msg.Block
	if text != "" {
		blocks = append(blocks, msg.Text{Text: text})
	}
	for _, id := range calls {
		blocks = append(blocks, msg.ToolCall{ID: id, Name: "echo", Arguments: "{}"})
	}
	return event.AssistantMessage{Turn: turn, Step: 1, Content: content(l.t, blocks...), Finish: msg.FinishStop}
}

func (l *log) result(turn int64, id string) event.Payload {
	return event.ToolResult{Turn: turn, Step: 1, CallID: id, Content: content(l.t, msg.Text{Text: "done"})}
}

func call(turn int64, id string) event.Payload {
	return event.ToolCall{Turn: turn, Step: 1, CallID: id, Name: "echo", Arguments: "{}"}
}

func start(turn int64) event.Payload {
	return event.TurnStart{Turn: turn, Trigger: "message", Source: event.UserSource()}
}

func end(turn int64) event.Payload {
	return event.TurnEnd{Turn: turn, Reason: event.EndReason{Kind: event.EndCompleted}}
}

func request(model, reason string) event.Payload {
	h := header.New(header.Parts{Config: msg.CallConfig{Model: model}, Wire: header.Wire{Protocol: "openai", Dialect: "openai"}})
	return event.RequestHeader{Header: h, Reason: reason, ConfigDigest: "d-" + model}
}

// texts is a history in short: what a person said as it is, what the model said
// behind a colon, results as their call's id in brackets.
func texts(h session.History) string {
	var out []string
	for _, m := range h.Messages {
		s := m.Content.Text()
		for b := range m.Content.Blocks() {
			if r, ok := b.(msg.ToolResult); ok {
				s += "[" + r.CallID + "]"
			}
		}
		if m.Role == msg.RoleAssistant {
			s = ":" + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// check holds a state to its surface and history.
func (l *log) check(surface, history string) {
	l.t.Helper()
	if got := fmt.Sprint(l.state.Surface()); got != surface {
		l.t.Errorf("surface %s, want %s", got, surface)
	}
	if got := texts(l.state.History()); got != history {
		l.t.Errorf("history %q, want %q", got, history)
	}
}

// refold folds the lines of a log as a reader finds them.
func (l *log) refold() *session.State {
	l.t.Helper()
	var events []event.Event
	for _, e := range l.events {
		read, err := event.Parse(e.Line())
		if err != nil {
			l.t.Fatal(err)
		}
		events = append(events, read)
	}
	s, err := session.Fold(events)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// same reports how two states differ, "" when they do not.
func same(a, b *session.State) string {
	if a.Next() != b.Next() || a.LastTime() != b.LastTime() || a.LastTurn() != b.LastTurn() ||
		a.Headers() != b.Headers() || a.Requests() != b.Requests() {
		return fmt.Sprintf("next %d %d, time %d %d, turn %d %d, headers %d %d, requests %d %d", a.Next(), b.Next(),
			a.LastTime(), b.LastTime(), a.LastTurn(), b.LastTurn(), a.Headers(), b.Headers(), a.Requests(), b.Requests())
	}
	at, as := a.Open()
	bt, bs := b.Open()
	if at != bt || as != bs || !slices.Equal(a.Pending(), b.Pending()) {
		return fmt.Sprintf("open %d.%d %d.%d, pending %v %v", at, as, bt, bs, a.Pending(), b.Pending())
	}
	if !slices.Equal(a.Surface(), b.Surface()) || !slices.Equal(a.HistorySeqs(), b.HistorySeqs()) {
		return fmt.Sprintf("surface %v %v, history %v %v", a.Surface(), b.Surface(), a.HistorySeqs(), b.HistorySeqs())
	}
	ah, bh := a.History(), b.History()
	if ah.Generation != bh.Generation || !slices.Equal(ah.Messages, bh.Messages) {
		return fmt.Sprintf("history %d %q, %d %q", ah.Generation, texts(ah), bh.Generation, texts(bh))
	}
	ahd, aok := a.RequestHeader()
	bhd, bok := b.RequestHeader()
	if aok != bok || aok && ahd.Raw() != bhd.Raw() {
		return "header"
	}
	return ""
}
