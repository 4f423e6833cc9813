package script

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// deltaRunes is how many characters of a text one delta carries.
const deltaRunes = 16

// request is what an answer depends on besides its reply.
type request struct {
	body   canon.Value
	model  string
	bytes  int  // length of the body
	stream bool // the answer is a stream, not one object
	usage  bool // the stream reports usage

	messages bool // the protocol is messages, not chat completions

	cached, written int // tokens that come from the cache and go into it
}

// encode returns the body of a refusal.
func (e *Error) encode() string {
	var inner, outer canon.Object
	inner.String("message", e.Message)
	inner.String("type", "scripted_error")
	if e.Code == "" {
		inner.Raw("code", "null")
	} else {
		inner.String("code", e.Code)
	}
	outer.Raw("error", inner.End())
	return outer.End()
}

// events returns the lines of a stream, each with the blank line behind it.
func (q request) events(r Reply) []string {
	var events []string
	delta := func(choice string) { events = append(events, "data: "+q.chunk("["+choice+"]", "null")+"\n\n") }
	choice := func(delta, finish string) string {
		var o canon.Object
		o.Int("index", 0)
		o.Raw("delta", delta)
		o.Raw("finish_reason", finish)
		return o.End()
	}
	member := func(name, text string) {
		for _, part := range split(text) {
			var o canon.Object
			o.String(name, part)
			delta(choice(o.End(), "null"))
		}
	}
	delta(choice(`{"role":"assistant","content":""}`, "null"))
	first := len(events)
	member("reasoning_content", r.Reasoning)
	member("content", r.Text)
	for i, call := range r.Tools {
		delta(choice(`{"tool_calls":[`+call.encode(i, "", true)+`]}`, "null"))
		for _, part := range split(call.Arguments) {
			delta(choice(`{"tool_calls":[`+call.encode(i, part, false)+`]}`, "null"))
		}
	}
	last := len(events)
	delta(choice("{}", canon.Quote(r.finish())))
	if q.usage {
		events = append(events, "data: "+q.chunk("[]", q.usageOf(r))+"\n\n")
	}
	events = append(events, "data: [DONE]\n\n")
	if r.Cut {
		n := first + (last-first+1)/2
		half := events[n][:len(events[n])/2]
		events = append(events[:n], half)
	}
	return events
}

// chunk returns one object of a stream. A stream that reports usage has the member
// on every chunk.
func (q request) chunk(choices, usage string) string {
	var o canon.Object
	o.String("id", "chatcmpl-script")
	o.String("object", "chat.completion.chunk")
	o.Int("created", 0)
	o.String("model", q.model)
	o.Raw("choices", choices)
	if q.usage {
		o.Raw("usage", usage)
	}
	return o.End()
}

// object returns the answer to a request that asked for no stream. A cut one is
// its first half.
func (q request) object(r Reply) string {
	var message, choice, o canon.Object
	message.String("role", "assistant")
	message.String("content", r.Text)
	if r.Reasoning != "" {
		message.String("reasoning_content", r.Reasoning)
	}
	if len(r.Tools) > 0 {
		calls := make([]string, len(r.Tools))
		for i, call := range r.Tools {
			calls[i] = call.encode(i, call.Arguments, true)
		}
		message.Raw("tool_calls", canon.Array(calls...))
	}
	choice.Int("index", 0)
	choice.Raw("message", message.End())
	choice.String("finish_reason", r.finish())
	o.String("id", "chatcmpl-script")
	o.String("object", "chat.completion")
	o.Int("created", 0)
	o.String("model", q.model)
	o.Raw("choices", canon.Array(choice.End()))
	o.Raw("usage", q.usageOf(r))
	text := o.End()
	if r.Cut {
		text = text[:len(text)/2]
	}
	return text
}

// encode returns a tool call, or a delta of one that carries only arguments.
func (c Call) encode(index int, arguments string, whole bool) string {
	var o, function canon.Object
	o.Int("index", int64(index))
	if whole {
		o.String("id", c.ID)
		o.String("type", "function")
		function.String("name", c.Name)
	}
	function.String("arguments", arguments)
	o.Raw("function", function.End())
	return o.End()
}

// finish returns the reason as the protocol spells it.
func (r Reply) finish() string {
	switch {
	case r.Finish == "tool-calls", r.Finish == "" && len(r.Tools) > 0:
		return "tool_calls"
	case r.Finish == "max-tokens":
		return "length"
	case r.Finish == "":
		return "stop"
	}
	return r.Finish
}

// counts is what the answer reports: what the reply says, or an estimate.
func (q request) counts(r Reply) Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	written := len(r.Text)
	for _, call := range r.Tools {
		written += len(call.Name) + len(call.Arguments)
	}
	u := Usage{CachedInput: q.cached, CacheWrite: q.written, Input: tokens(q.bytes) - q.cached - q.written, Reasoning: tokens(len(r.Reasoning))}
	u.Output = tokens(written) + u.Reasoning
	return u
}

// usageOf returns the usage object of the answer.
func (q request) usageOf(r Reply) string {
	u := q.counts(r)
	prompt, completion := int64(u.Input)+int64(u.CachedInput)+int64(u.CacheWrite), int64(u.Output)
	var o canon.Object
	o.Int("prompt_tokens", prompt)
	o.Int("completion_tokens", completion)
	o.Int("total_tokens", prompt+completion)
	var details canon.Object
	if u.CachedInput > 0 {
		details.Int("cached_tokens", int64(u.CachedInput))
	}
	if u.CacheWrite > 0 {
		details.Int("cache_write_tokens", int64(u.CacheWrite)) // as OpenRouter spells it
	}
	if details.Len() > 0 {
		o.Raw("prompt_tokens_details", details.End())
	}
	if u.Reasoning > 0 {
		o.Raw("completion_tokens_details", fmt.Sprintf(`{"reasoning_tokens":%d}`, u.Reasoning))
	}
	return o.End()
}

// split cuts text into pieces of deltaRunes characters.
func split(text string) []string {
	var parts []string
	for text != "" {
		end := 0
		for n := 0; n < deltaRunes && end < len(text); n++ {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		parts = append(parts, text[:end])
		text = text[end:]
	}
	return parts
}

// respond returns a response whose body yields the parts one read at a time, so
// that a cancellation falls between two of them.
func respond(req *http.Request, status int, contentType string, parts ...string) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {contentType}},
		ContentLength: -1,
		Body:          &stream{req: req, parts: parts},
		Request:       req,
	}
}

// stream is the body of an answer. It belongs to one request, whose context ends
// it.
type stream struct {
	req    *http.Request
	parts  []string
	closed bool
}

func (s *stream) Read(p []byte) (int, error) {
	ctx := s.req.Context()
	switch {
	case s.closed:
		return 0, http.ErrBodyReadAfterClose
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case len(s.parts) == 0:
		return 0, io.EOF
	}
	n := copy(p, s.parts[0])
	if s.parts[0] = s.parts[0][n:]; s.parts[0] == "" {
		s.parts = s.parts[1:]
	}
	return n, nil
}

func (s *stream) Close() error {
	s.closed = true
	return nil
}
