package wire

import (
	"strconv"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// openai writes chat completions bodies (docs/format/wire.md).
type openai struct{ deepseek bool }

func (p *openai) open(h header.Header, put func(...string)) error {
	c := h.Config()
	put(`{"model":`, canon.Quote(c.Model), `,"stream":true,"stream_options":{"include_usage":true}`)
	if t, ok := c.Temperature.Get(); ok {
		put(`,"temperature":`, t)
	}
	if t, ok := h.Wire().TopP.Get(); ok {
		put(`,"top_p":`, t)
	}
	if n, ok := c.MaxTokens.Get(); ok {
		name := `,"max_completion_tokens":`
		if p.deepseek {
			name = `,"max_tokens":`
		}
		put(name, strconv.FormatInt(n, 10))
	}
	if c.Stop != nil {
		quoted := make([]string, len(c.Stop))
		for i, s := range c.Stop {
			quoted[i] = canon.Quote(s)
		}
		put(`,"stop":`, canon.Array(quoted...))
	}
	sep := `,"tools":[`
	for _, t := range h.Tools() {
		put(sep, `{"type":"function","function":`, t.Raw(), `}`)
		sep = ","
	}
	if sep == "," {
		put("]")
	}
	put(`,"messages":[`)
	if s := h.System(); s != "" {
		put(`{"role":"system","content":`, canon.Quote(s), `}`)
	}
	return nil
}

func (p *openai) prefixed(func(...string)) {}

func (p *openai) tail() string { return "]}" }

func (p *openai) message(m msg.Message, first bool, put func(...string)) error {
	sep := func() {
		if !first {
			put(",")
		}
		first = false
	}
	if m.Role == msg.RoleAssistant {
		sep()
		return p.assistant(m, put)
	}
	// Tool results become messages of their own; text around them keeps its place.
	open := false
	closeText := func() {
		if open {
			put(`"}`)
			open = false
		}
	}
	for b := range m.Content.Value().Elements() {
		switch kind, _ := b.Get("type").Text(); kind {
		case "text":
			if !open {
				sep()
				put(`{"role":"`, string(m.Role), `","content":"`)
				open = true
			}
			put(b.Get("text").Inner())
		case "tool-result":
			closeText()
			sep()
			put(`{"role":"tool","tool_call_id":`, b.Get("toolCallId").Raw(), `,"content":"`)
			for inner := range b.Get("content").Elements() {
				if t, _ := inner.Get("type").Text(); t != "text" {
					return &UnsupportedError{"openai", "a block of type " + strconv.Quote(t) + " in a tool result"}
				}
				put(inner.Get("text").Inner())
			}
			put(`"}`)
		default:
			return &UnsupportedError{"openai", "a block of type " + strconv.Quote(kind) + " from role " + string(m.Role)}
		}
	}
	closeText()
	if m.Content.IsEmpty() {
		sep()
		put(`{"role":"`, string(m.Role), `","content":""}`)
	}
	return nil
}

func (p *openai) assistant(m msg.Message, put func(...string)) error {
	var text, reasoning []string
	var calls []canon.Value
	for b := range m.Content.Value().Elements() {
		switch kind, _ := b.Get("type").Text(); kind {
		case "text":
			text = append(text, b.Get("text").Inner())
		case "reasoning":
			reasoning = append(reasoning, b.Get("text").Inner())
		case "tool-call":
			calls = append(calls, b)
		default:
			return &UnsupportedError{"openai", "a block of type " + strconv.Quote(kind) + " from role assistant"}
		}
	}
	put(`{"role":"assistant","content":`)
	if len(text) == 0 && len(calls) > 0 {
		put("null")
	} else {
		put(`"`)
		put(text...)
		put(`"`)
	}
	if p.deepseek && len(calls) > 0 && len(reasoning) > 0 {
		put(`,"reasoning_content":"`)
		put(reasoning...)
		put(`"`)
	}
	sep := `,"tool_calls":[`
	for _, c := range calls {
		put(sep, `{"id":`, c.Get("id").Raw(), `,"type":"function","function":{"name":`, c.Get("name").Raw(),
			`,"arguments":`, c.Get("arguments").Raw(), `}}`)
		sep = ","
	}
	if len(calls) > 0 {
		put("]")
	}
	put("}")
	return nil
}
