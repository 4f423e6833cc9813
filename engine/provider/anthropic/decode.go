package anthropic

import (
	"strings"

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

// decoder turns the events of an answer into msg chunks. Blocks are numbered in the
// order in which they begin.
type decoder struct {
	*exchange.Failure
	emit   func(msg.Chunk) error
	blocks []*block
	half   exchange.Half
	usage  msg.Usage
	used   bool // usage was reported
	calls  bool // there is a tool call
	reason string
}

// block is one block under way. number is the provider's.
type block struct {
	number    int64
	kind      string
	id        string
	thinking  strings.Builder // all of it, for the block's end
	signature strings.Builder
	input     string // of a tool call as it began, "" once deltas came
	over      bool
}

// Event implements exchange.Decoder. Events of types that are not known are passed
// over, as the protocol asks for; blocks and deltas are not, for they are the answer.
func (d *decoder) Event(name string, v canon.Value) (done bool, err error) {
	kind, ok := v.Get("type").Text()
	if !ok {
		kind = name
	}
	switch kind {
	case "message_start":
		d.readUsage(v.Get("message").Get("usage"))
	case "content_block_start":
		return false, d.start(v.Get("index"), v.Get("content_block"))
	case "content_block_delta":
		return false, d.delta(v.Get("index"), v.Get("delta"))
	case "content_block_stop":
		if at := d.find(v.Get("index")); at >= 0 {
			return false, d.stop(at)
		}
		return false, d.Bad("event %d ends a block that did not begin", d.Events)
	case "message_delta":
		d.readReason(v.Get("delta"))
		d.readUsage(v.Get("usage"))
	case "message_stop":
		return true, nil
	case "error":
		return false, d.reported(v)
	}
	return false, nil
}

// Object implements exchange.Decoder.
func (d *decoder) Object(v canon.Value) error {
	if kind, _ := v.Get("type").Text(); kind == "error" || v.Get("error").Kind() == canon.ObjectKind {
		return d.reported(v)
	}
	if v.Get("content").Kind() != canon.ArrayKind {
		return d.Bad("the answer is JSON without content")
	}
	for b := range v.Get("content").Elements() {
		if err := d.start(canon.Value{}, b); err != nil {
			return err
		}
		if err := d.stop(len(d.blocks) - 1); err != nil {
			return err
		}
	}
	d.readReason(v)
	d.readUsage(v.Get("usage"))
	return nil
}

// reported makes the error of an answer that reports one.
func (d *decoder) reported(v canon.Value) error {
	said := exchange.ErrorWords(v, d.Secrets)
	status := statusOf(said.Code)
	code := said.Streamed()
	if status != 0 {
		code = said.Classify(status)
	}
	e := d.Fail(code, "the provider reported an error in its answer", said)
	if status != 0 {
		e.Status = status
	}
	return e
}

// statusOf is the HTTP status that a type of error has outside of a stream, 0 for an
// unknown one.
func statusOf(kind string) int {
	switch kind {
	case "invalid_request_error":
		return 400
	case "authentication_error":
		return 401
	case "billing_error":
		return 402
	case "permission_error":
		return 403
	case "not_found_error":
		return 404
	case "request_too_large":
		return 413
	case "rate_limit_error":
		return 429
	case "api_error":
		return 500
	case "timeout_error":
		return 504
	case "overloaded_error":
		return 529
	}
	return 0
}

// start begins a block and emits what it has already.
func (d *decoder) start(number, v canon.Value) error {
	b := &block{number: int64(len(d.blocks))}
	if n, ok := number.Int(); ok {
		b.number = n
	}
	switch kind, _ := v.Get("type").Text(); kind {
	case "text":
		b.kind = typeText
	case "thinking", "redacted_thinking":
		b.kind = typeReasoning
	case "tool_use":
		b.kind = typeToolCall
	default:
		return d.Bad("event %d: the answer has a block of type %q, which this dsh does not know", d.Events, d.Secrets.Excerpt(kind, false))
	}
	at := len(d.blocks)
	d.blocks = append(d.blocks, b)
	if err := d.emit(msg.BlockStart{Index: at, BlockType: b.kind}); err != nil {
		return err
	}
	switch b.kind {
	case typeText:
		return d.text(at, v.Get("text"))
	case typeToolCall:
		d.calls = true
		d.blocks[at].id, _ = v.Get("id").Text()
		name, _ := v.Get("name").Text()
		if in := v.Get("input"); in.Kind() == canon.ObjectKind && in.Raw() != "{}" {
			d.blocks[at].input = in.Raw()
		}
		return d.emit(msg.ToolCallDelta{Index: at, ID: d.blocks[at].id, Name: name})
	}
	if data, ok := v.Get("data").Text(); ok {
		d.blocks[at].over = true
		return d.emit(msg.BlockEnd{Index: at, Block: msg.Reasoning{Redacted: data}})
	}
	signature, _ := v.Get("signature").Text()
	d.blocks[at].signature.WriteString(signature)
	return d.text(at, v.Get("thinking"))
}

// find returns the block of a number, -1 when none has begun.
func (d *decoder) find(number canon.Value) int {
	n, _ := number.Int()
	for at := len(d.blocks) - 1; at >= 0; at-- {
		if d.blocks[at].number == n {
			return at
		}
	}
	return -1
}

func (d *decoder) delta(number, v canon.Value) error {
	at := d.find(number)
	if at < 0 || d.blocks[at].over {
		return d.Bad("event %d continues a block that is not open", d.Events)
	}
	b := d.blocks[at]
	kind, _ := v.Get("type").Text()
	switch {
	case kind == "text_delta" && b.kind == typeText:
		return d.text(at, v.Get("text"))
	case kind == "thinking_delta" && b.kind == typeReasoning:
		return d.text(at, v.Get("thinking"))
	case kind == "signature_delta" && b.kind == typeReasoning:
		signature, _ := v.Get("signature").Text()
		b.signature.WriteString(signature)
		return nil
	case kind == "input_json_delta" && b.kind == typeToolCall:
		text, err := d.half.Join(at, v.Get("partial_json"))
		if err != nil {
			return d.Bad("event %d: %v", d.Events, err)
		}
		if text == "" {
			return nil
		}
		b.input = ""
		return d.emit(msg.ToolCallDelta{Index: at, ID: b.id, ArgumentsDelta: text})
	case kind == "citations_delta" && b.kind == typeText:
		return nil // where the text is from, which nobody asked for
	}
	return d.Bad("event %d: a %s block has a delta of type %q, which this dsh does not know", d.Events, b.kind, d.Secrets.Excerpt(kind, false))
}

// text extends a block of text or reasoning.
func (d *decoder) text(at int, v canon.Value) error {
	text, err := d.half.Join(at, v)
	if err != nil {
		return d.Bad("event %d: %v", d.Events, err)
	}
	if text == "" {
		return nil
	}
	if d.blocks[at].kind == typeReasoning {
		d.blocks[at].thinking.WriteString(text)
		return d.emit(msg.ReasoningDelta{Index: at, Text: text})
	}
	return d.emit(msg.TextDelta{Index: at, Text: text})
}

// stop ends a block. Reasoning is stated as a whole, since only that has its signature.
func (d *decoder) stop(at int) error {
	b := d.blocks[at]
	if b.over {
		return nil
	}
	b.over = true
	switch {
	case b.kind == typeToolCall && b.input != "":
		return d.emit(msg.ToolCallDelta{Index: at, ID: b.id, ArgumentsDelta: b.input})
	case b.kind == typeReasoning && b.signature.Len() > 0:
		return d.emit(msg.BlockEnd{Index: at, Block: msg.Reasoning{Text: b.thinking.String(), Signature: b.signature.String()}})
	}
	return nil
}

func (d *decoder) readReason(v canon.Value) {
	if reason, _ := v.Get("stop_reason").Text(); reason != "" {
		d.reason = reason
	}
}

// readUsage takes counters; each that comes again takes the place of the earlier one,
// for they are totals. They are disjoint as they come.
func (d *decoder) readUsage(v canon.Value) {
	read := func(name string, set func(n int64)) {
		if n, ok := exchange.Count(v.Get(name)); ok {
			d.used = true
			set(max(n, 0))
		}
	}
	read("input_tokens", func(n int64) { d.usage.Input = n })
	read("output_tokens", func(n int64) { d.usage.Output = n })
	read("cache_read_input_tokens", func(n int64) { d.usage.CacheRead = msg.Some(n) })
	read("cache_creation_input_tokens", func(n int64) { d.usage.CacheWrite = msg.Some(n) })
}

// Finish implements exchange.Decoder.
func (d *decoder) Finish() error {
	if d.half.Alone() {
		return d.Bad("event %d: %v", d.Events, exchange.ErrHalf)
	}
	for at := range d.blocks {
		if err := d.stop(at); err != nil {
			return err
		}
	}
	if d.used {
		if err := d.emit(msg.UsageChunk{Usage: d.usage}); err != nil {
			return err
		}
	}
	return d.emit(msg.FinishChunk{Finish: d.finished()})
}

func (d *decoder) finished() msg.Finish {
	switch d.reason {
	case "max_tokens", "model_context_window_exceeded":
		return msg.Finish{Kind: msg.FinishMaxTokens}
	case "refusal":
		return msg.Finish{Kind: msg.FinishError, Code: provider.CodeContentFilter, Message: d.Endpoint + ": the provider stopped the answer (refusal)"}
	case "tool_use":
		return msg.Finish{Kind: msg.FinishToolCalls}
	}
	if d.calls {
		return msg.Finish{Kind: msg.FinishToolCalls}
	}
	return msg.Finish{Kind: msg.FinishStop}
}
