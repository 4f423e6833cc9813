package openai

import (
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
)

// Block types as chunks spell them.
const (
	typeText      = "text"
	typeReasoning = "reasoning"
	typeToolCall  = "tool-call"
)

// decoder turns chat completion chunks into msg chunks. Blocks are numbered in the
// order in which they are first seen: text and reasoning open a new one whenever
// something else came in between, a tool call keeps its own. Usage and finish are
// held back until the stream is done.
type decoder struct {
	*exchange.Failure
	emit    func(msg.Chunk) error
	choices bool // a choice was seen
	blocks  int  // number of blocks opened
	kind    string
	open    int // block that deltas of kind extend, when it is text or reasoning
	tools   []toolCall
	half    exchange.Half
	usage   msg.Opt[msg.Usage]
	finish  string
}

// toolCall is a tool call that was opened. number is the provider's index, -1 for
// none.
type toolCall struct {
	number   int64
	block    int
	id, name string
}

// Event implements exchange.Decoder.
func (d *decoder) Event(name string, v canon.Value) (done bool, err error) {
	return false, d.chunk(v, name == "error")
}

// Object implements exchange.Decoder.
func (d *decoder) Object(v canon.Value) error {
	if err := d.chunk(v, false); err != nil {
		return err
	}
	if !d.choices {
		return d.Bad("the answer is JSON without choices")
	}
	return nil
}

// chunk takes the next object of the stream, or the one object of an answer that
// is no stream. isError says that the stream called it an error.
func (d *decoder) chunk(v canon.Value, isError bool) error {
	kind, _ := v.Get("object").Text()
	reported := v.Get("error").Kind()
	if isError || kind == "error" || reported == canon.ObjectKind || reported == canon.String {
		said := exchange.ErrorWords(v, d.Secrets)
		e := d.Fail(said.Streamed(), "the provider reported an error in its answer", said)
		if said.Status != 0 {
			e.Status = said.Status
		}
		return e
	}
	d.readUsage(v.Get("usage"))
	for choice := range v.Get("choices").Elements() {
		if i, ok := choice.Get("index").Int(); ok && i != 0 {
			continue // nobody asks for a second choice
		}
		d.choices = true
		d.readUsage(choice.Get("usage")) // Moonshot's place for it
		delta := choice.Get("delta")
		if delta.Kind() != canon.ObjectKind {
			delta = choice.Get("message")
		}
		if err := d.delta(delta); err != nil {
			return err
		}
		if reason, _ := choice.Get("finish_reason").Text(); reason != "" {
			d.finish = reason
		}
	}
	return nil
}

func (d *decoder) delta(v canon.Value) error {
	reasoning := v.Get("reasoning_content")
	if reasoning.Inner() == "" {
		reasoning = v.Get("reasoning")
	}
	if err := d.text(typeReasoning, reasoning); err != nil {
		return err
	}
	content := v.Get("content")
	if err := d.text(typeText, content); err != nil {
		return err
	}
	for part := range content.Elements() {
		if err := d.part(part); err != nil {
			return err
		}
	}
	// A refusal is the answer in words; the model is shown its own words again.
	if err := d.text(typeText, v.Get("refusal")); err != nil {
		return err
	}
	for call := range v.Get("tool_calls").Elements() {
		if err := d.toolDelta(call); err != nil {
			return err
		}
	}
	return nil
}

// part takes one part of a content that is a list. One of a kind that is not known
// here may be half of the answer, so it is not left out.
func (d *decoder) part(v canon.Value) error {
	switch kind, _ := v.Get("type").Text(); kind {
	case "", "text", "output_text":
		return d.text(typeText, v.Get("text"))
	case "refusal":
		return d.text(typeText, v.Get("refusal"))
	case "thinking": // Mistral
		for inner := range v.Get("thinking").Elements() {
			if err := d.text(typeReasoning, inner.Get("text")); err != nil {
				return err
			}
		}
		return nil
	default:
		return d.Bad("event %d: the content has a part of type %q, which this dsh does not know", d.Events, d.Secrets.Excerpt(kind, false))
	}
}

// text extends the block of that kind by a string; other values are no text.
func (d *decoder) text(kind string, v canon.Value) error {
	stream := exchange.StreamText
	if kind == typeReasoning {
		stream = exchange.StreamReasoning
	}
	text, err := d.half.Join(stream, v)
	if err != nil {
		return d.Bad("event %d: %v", d.Events, err)
	}
	if text == "" {
		return nil
	}
	if d.kind != kind {
		if err := d.start(kind); err != nil {
			return err
		}
	}
	if kind == typeReasoning {
		return d.emit(msg.ReasoningDelta{Index: d.open, Text: text})
	}
	return d.emit(msg.TextDelta{Index: d.open, Text: text})
}

// start opens the next block.
func (d *decoder) start(kind string) error {
	d.kind, d.open = kind, d.blocks
	d.blocks++
	return d.emit(msg.BlockStart{Index: d.open, BlockType: kind})
}

func (d *decoder) toolDelta(v canon.Value) error {
	number, numbered := v.Get("index").Int()
	if !numbered {
		number = -1
	}
	id, _ := v.Get("id").Text()
	function := v.Get("function")
	name, _ := function.Get("name").Text()
	call := d.findCall(number, id, name)
	fresh := call == nil
	if fresh {
		if err := d.start(typeToolCall); err != nil {
			return err
		}
		d.tools = append(d.tools, toolCall{number: number, block: d.open})
		call = &d.tools[len(d.tools)-1]
	}
	d.kind = typeToolCall
	if call.id == "" && id != "" {
		call.id, fresh = id, true
	}
	if name == call.name {
		name = ""
	} else if name != "" {
		call.name, fresh = name, true
	}
	arguments := function.Get("arguments")
	text, err := d.half.Join(call.block, arguments)
	if err != nil {
		return d.Bad("event %d: %v", d.Events, err)
	}
	if arguments.Kind() == canon.ObjectKind { // some gateways decode them
		text = arguments.Raw()
	}
	if !fresh && text == "" {
		return nil
	}
	return d.emit(msg.ToolCallDelta{Index: call.block, ID: call.id, Name: name, ArgumentsDelta: text})
}

// findCall returns the call that a delta belongs to, nil when it opens a new one.
// Gateways leave the index out or send 0 for every call of an answer; then a new
// id with a name begins the next call.
func (d *decoder) findCall(number int64, id, name string) *toolCall {
	for i := len(d.tools) - 1; i >= 0; i-- {
		call := &d.tools[i]
		if call.number != number {
			continue
		}
		other := id != "" && call.id != "" && id != call.id
		if name != "" && (other || number < 0 && id == "") {
			return nil
		}
		return call
	}
	return nil
}

// Finish implements exchange.Decoder: it emits what was held back.
func (d *decoder) Finish() error {
	if d.half.Alone() {
		return d.Bad("event %d: %v", d.Events, exchange.ErrHalf)
	}
	if u, ok := d.usage.Get(); ok {
		if err := d.emit(msg.UsageChunk{Usage: u}); err != nil {
			return err
		}
	}
	return d.emit(msg.FinishChunk{Finish: d.finished()})
}

// finished maps the reason a provider gave. Several say "stop" after tool calls,
// and some give no reason or one of their own: what came decides then.
func (d *decoder) finished() msg.Finish {
	stopped := func(code, text string) msg.Finish {
		return msg.Finish{Kind: msg.FinishError, Code: code, Message: d.Endpoint + ": " + text}
	}
	switch d.finish {
	case "length":
		return msg.Finish{Kind: msg.FinishMaxTokens}
	case "content_filter":
		return stopped(provider.CodeContentFilter, "the provider's content filter withheld the answer")
	case "insufficient_system_resource", "error":
		return stopped(provider.CodeUnavailable, "the provider broke the answer off ("+d.finish+")")
	case "tool_calls", "function_call":
		return msg.Finish{Kind: msg.FinishToolCalls}
	}
	if len(d.tools) > 0 {
		return msg.Finish{Kind: msg.FinishToolCalls}
	}
	return msg.Finish{Kind: msg.FinishStop}
}
