package event_test

import (
	"testing"
	"unsafe"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

const (
	hiRaw = `[{"type":"text","text":"hi"}]`
	none  = ""
)

// The projection of one event, spec 2.1.
func TestProjection(t *testing.T) {
	hi := text(t, "hi")
	many, err := msg.NewContent(msg.Reasoning{Text: "r"}, msg.ToolCall{ID: "c", Name: "n", Arguments: "{}"}, msg.Unknown{Raw: `{"type":"widget","n":1.0}`})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		payload event.Payload
		want    string
	}{
		{"user", event.UserMessage{ID: "i", Content: hi, Source: event.UserSource()}, `{"role":"user","content":` + hiRaw + `}`},
		{"user with any blocks", event.UserMessage{Content: many, Source: event.UserSource()}, `{"role":"user","content":` + many.Raw() + `}`},
		{"user without content", event.UserMessage{Source: event.UserSource()}, `{"role":"user","content":[]}`},
		{"assistant", event.AssistantMessage{Turn: 1, Step: 1, Content: many, Usage: msg.Some(msg.Usage{Input: 1}), Finish: msg.FinishToolCalls}, `{"role":"assistant","content":` + many.Raw() + `}`},
		{"what streamed before a cancel", event.AssistantMessage{Turn: 1, Step: 1, Content: hi, Finish: msg.FinishAborted, Interrupted: true}, `{"role":"assistant","content":` + hiRaw + `}`},
		{"assistant with usage only", event.AssistantMessage{Turn: 1, Step: 1, Usage: msg.Some(msg.Usage{Input: 1}), Finish: msg.FinishStop}, none},
		{"result", event.ToolResult{Turn: 1, Step: 1, CallID: "c\"1", Content: hi},
			`{"role":"user","content":[{"type":"tool-result","toolCallId":"c\"1","content":` + hiRaw + `,"isError":false}]}`},
		{"error and meta do not reach the model", event.ToolResult{Turn: 1, Step: 1, CallID: "c", Content: many, IsError: true, Error: msg.Some(event.ResultError{Name: "N", Code: "C"}), Meta: `{"secret":1}`},
			`{"role":"user","content":[{"type":"tool-result","toolCallId":"c","content":` + many.Raw() + `,"isError":true}]}`},
		{"empty result", event.ToolResult{CallID: "c"}, `{"role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[],"isError":false}]}`},
		{"L128 context", event.ContextMessage{Content: hi, Source: event.PluginSource("its name is not shown")},
			`{"role":"user","content":[{"type":"text","text":"<context source=\"plugin\">"},{"type":"text","text":"hi"},{"type":"text","text":"</context>"}]}`},
		{"L128 steering", event.SteeringMessage{Turn: 1, Content: hi, Source: event.UserSource()},
			`{"role":"user","content":[{"type":"text","text":"<steering source=\"user\">"},{"type":"text","text":"hi"},{"type":"text","text":"</steering>"}]}`},
		{"context without content", event.ContextMessage{Source: event.UserSource()},
			`{"role":"user","content":[{"type":"text","text":"<context source=\"user\">"},{"type":"text","text":"</context>"}]}`},
		{"L87 step/start", event.StepStart{Turn: 1, Step: 1}, none},
		{"L87 assistant without content", event.AssistantMessage{Turn: 1, Step: 1, Finish: msg.FinishStop}, none},
		{"blocked", event.PromptBlocked{Content: hi, Source: event.UserSource()}, none},
		{"call", event.ToolCall{Turn: 1, Step: 1, CallID: "c", Name: "n", Arguments: "{}"}, none},
		{"turn", event.TurnStart{Turn: 1, Trigger: "message", Source: event.UserSource()}, none},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := event.New(3, 1, entry(c.payload))
			read, err := event.Parse(made.Line())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []event.Event{made, read} {
				m, ok := e.Message()
				if ok != (c.want != none) || ok && m.Raw() != c.want || !ok && m != (msg.Message{}) {
					t.Errorf("got  %s %v\nwant %s", m.Raw(), ok, c.want)
				}
			}
		})
	}
}

// The kind stands in the tag as its JSON text.
func TestTagOfOpenKind(t *testing.T) {
	s, ok := event.SourceOf(value(t, `{"kind":"a\"b\n<é>","more":1}`))
	if !ok {
		t.Fatal("no source")
	}
	m, _ := event.New(0, 0, entry(event.ContextMessage{Content: text(t, "x"), Source: s})).Message()
	if got, want := m.Content.Text(), `<context source="a\"b\n<é>">x</context>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// L86 changes a projection and finds the event unharmed. Here neither can be
// changed, so the projection is not a copy: a message shares the text of its line.
func TestMessageShares(t *testing.T) {
	for _, p := range []event.Payload{
		event.UserMessage{ID: "i", Content: text(t, "hi"), Source: event.UserSource()},
		event.AssistantMessage{Turn: 1, Step: 1, Content: text(t, "hi"), Finish: msg.FinishStop},
	} {
		made := event.New(3, 1, entry(p))
		read, err := event.Parse(made.Line())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []event.Event{made, read} {
			m, _ := e.Message()
			line := e.Line()
			for _, part := range []string{m.Content.Raw(), e.Data.Raw()} {
				at := uintptr(unsafe.Pointer(unsafe.StringData(part))) - uintptr(unsafe.Pointer(unsafe.StringData(line)))
				if at >= uintptr(len(line)) {
					t.Errorf("%s is a copy", part)
				}
			}
		}
	}
}
