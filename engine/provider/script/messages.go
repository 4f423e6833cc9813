package script

import (
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Answers in the messages protocol of Anthropic. What a reply says is the same as in
// chat completions; how it is spelt is not.

// signature is what reasoning of a script is signed with.
const signature = "c2NyaXB0ZWQ="

// messagesError returns the body of a refusal.
func (e *Error) messagesError() string {
	var inner, outer canon.Object
	inner.String("type", e.kind())
	inner.String("message", e.Message)
	outer.String("type", "error")
	outer.Raw("error", inner.End())
	return outer.End()
}

func (e *Error) kind() string {
	if e.Code == "" {
		return "scripted_error"
	}
	return e.Code
}

// messagesEvents returns the lines of a stream, each with the blank line behind it.
func (q request) messagesEvents(r Reply) []string {
	var events []string
	event := func(kind string, add func(o *canon.Object)) {
		var o canon.Object
		o.String("type", kind)
		if add != nil {
			add(&o)
		}
		events = append(events, "event: "+kind+"\ndata: "+o.End()+"\n\n")
	}
	object := func(members ...string) string {
		var o canon.Object
		for i := 0; i < len(members); i += 2 {
			o.String(members[i], members[i+1])
		}
		return o.End()
	}
	blocks := 0
	block := func(first string, deltas []string) {
		event("content_block_start", func(o *canon.Object) { o.Int("index", int64(blocks)); o.Raw("content_block", first) })
		for _, d := range deltas {
			event("content_block_delta", func(o *canon.Object) { o.Int("index", int64(blocks)); o.Raw("delta", d) })
		}
		event("content_block_stop", func(o *canon.Object) { o.Int("index", int64(blocks)) })
		blocks++
	}
	deltas := func(kind, member, text string) []string {
		var out []string
		for _, part := range split(text) {
			out = append(out, object("type", kind, member, part))
		}
		return out
	}
	u := q.counts(r)
	event("message_start", func(o *canon.Object) { o.Raw("message", q.message("[]", "null", messagesUsage(u, 0))) })
	first := len(events)
	if r.Reasoning != "" {
		block(`{"type":"thinking","thinking":"","signature":""}`,
			append(deltas("thinking_delta", "thinking", r.Reasoning), object("type", "signature_delta", "signature", signature)))
	}
	if r.Text != "" {
		block(`{"type":"text","text":""}`, deltas("text_delta", "text", r.Text))
	}
	for _, call := range r.Tools {
		block(call.toolUse("{}"), deltas("input_json_delta", "partial_json", call.Arguments))
	}
	last := len(events)
	event("message_delta", func(o *canon.Object) {
		o.Raw("delta", object("stop_reason", r.stopReason()))
		o.Raw("usage", messagesUsage(u, u.Output))
	})
	event("message_stop", nil)
	if r.Cut {
		n := min(first+(last-first+1)/2, len(events)-1)
		half := events[n][:len(events[n])/2]
		events = append(events[:n], half)
	}
	return events
}

// messagesObject returns the answer to a request that asked for no stream.
func (q request) messagesObject(r Reply) string {
	var blocks []string
	if r.Reasoning != "" {
		blocks = append(blocks, `{"type":"thinking","thinking":`+canon.Quote(r.Reasoning)+`,"signature":`+canon.Quote(signature)+`}`)
	}
	if r.Text != "" {
		blocks = append(blocks, `{"type":"text","text":`+canon.Quote(r.Text)+`}`)
	}
	for _, call := range r.Tools {
		input := "{}"
		if v, err := canon.Parse(call.Arguments); err == nil && v.Kind() == canon.ObjectKind {
			input = v.Raw()
		}
		blocks = append(blocks, call.toolUse(input))
	}
	u := q.counts(r)
	text := q.message(canon.Array(blocks...), canon.Quote(r.stopReason()), messagesUsage(u, u.Output))
	if r.Cut {
		text = text[:len(text)/2]
	}
	return text
}

// message returns a message of the model.
func (q request) message(content, reason, usage string) string {
	var o canon.Object
	o.String("id", "msg_script")
	o.String("type", "message")
	o.String("role", "assistant")
	o.String("model", q.model)
	o.Raw("content", content)
	o.Raw("stop_reason", reason)
	o.Raw("usage", usage)
	return o.End()
}

func (c Call) toolUse(input string) string {
	var o canon.Object
	o.String("type", "tool_use")
	o.String("id", c.ID)
	o.String("name", c.Name)
	o.Raw("input", input)
	return o.End()
}

func messagesUsage(u Usage, output int) string {
	var o canon.Object
	o.Int("input_tokens", int64(u.Input))
	o.Int("cache_creation_input_tokens", int64(u.CacheWrite))
	o.Int("cache_read_input_tokens", int64(u.CachedInput))
	o.Int("output_tokens", int64(output))
	return o.End()
}

// stopReason returns the reason as the protocol spells it.
func (r Reply) stopReason() string {
	switch {
	case r.Finish == "tool-calls", r.Finish == "" && len(r.Tools) > 0:
		return "tool_use"
	case r.Finish == "max-tokens":
		return "max_tokens"
	case r.Finish == "", r.Finish == "stop":
		return "end_turn"
	}
	return r.Finish
}

// bare returns an object as it is without its breakpoint, and whether it had one.
func bare(v canon.Value) (raw string, marked bool) {
	if !v.Get("cache_control").Exists() {
		return v.Raw(), false
	}
	var b strings.Builder
	for name, m := range v.Members() {
		if name != "cache_control" {
			b.WriteString("," + canon.Quote(name) + ":" + m.Raw())
		}
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}", true
}

// messagesPrompt is promptOf for this protocol: parts end where the request says so,
// and breakpoints are no part of what is read.
func messagesPrompt(body canon.Value) prompt {
	var p prompt
	var b strings.Builder
	write := func(v canon.Value) {
		raw, marked := bare(v)
		b.WriteString(raw)
		if marked {
			p.breakpoints = append(p.breakpoints, b.Len())
		}
	}
	for t := range body.Get("tools").Elements() {
		write(t)
	}
	for s := range body.Get("system").Elements() {
		write(s)
	}
	for m := range body.Get("messages").Elements() {
		b.WriteString(m.Get("role").Raw())
		for c := range m.Get("content").Elements() {
			write(c)
		}
	}
	p.text = b.String()
	return p
}
