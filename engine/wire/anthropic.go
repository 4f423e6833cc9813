package wire

import (
	"strconv"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// anthropic writes messages bodies (docs/format/wire.md). The last block written
// stays open, so that what closes it, and the cache breakpoint in it, belong to the
// tail: the next body goes on where this one's head ends, with another block or
// another message, and no byte of a head ever changes.
type anthropic struct {
	control   string   // the member of a breakpoint, "" for no caching
	role      msg.Role // of the open message, "" before the first
	cacheable bool     // the open block may carry a breakpoint
	marked    bool     // and does
}

func newAnthropic(w header.Wire) (*anthropic, error) {
	p := &anthropic{}
	switch w.CacheTTL {
	case "":
		p.control = `,"cache_control":{"type":"ephemeral"}`
	case "1h":
		p.control = `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
	case "none":
	default:
		return nil, &UnsupportedError{w.Protocol, "a cache that lives for " + strconv.Quote(w.CacheTTL)}
	}
	return p, nil
}

func (p *anthropic) open(h header.Header, put func(...string)) error {
	c, w := h.Config(), h.Wire()
	limit, ok := c.MaxTokens.Get()
	if !ok {
		return &UnsupportedError{w.Protocol, "a request without a limit of the answer: the model needs max_output_tokens"}
	}
	put(`{"model":`, canon.Quote(c.Model), `,"max_tokens":`, strconv.FormatInt(limit, 10), `,"stream":true`)
	if t, ok := c.Temperature.Get(); ok {
		put(`,"temperature":`, t)
	}
	if t, ok := w.TopP.Get(); ok {
		put(`,"top_p":`, t)
	}
	if len(c.Stop) > 0 {
		quoted := make([]string, len(c.Stop))
		for i, s := range c.Stop {
			quoted[i] = canon.Quote(s)
		}
		put(`,"stop_sequences":`, canon.Array(quoted...))
	}
	switch n, err := strconv.Atoi(w.Thinking); {
	case w.Thinking == "":
	case w.Thinking == "adaptive":
		put(`,"thinking":{"type":"adaptive"}`)
	case err == nil:
		put(`,"thinking":{"type":"enabled","budget_tokens":`, strconv.Itoa(n), `}`)
	default:
		return &UnsupportedError{w.Protocol, "thinking " + strconv.Quote(w.Thinking)}
	}
	sep := `,"tools":[`
	for _, t := range h.Tools() {
		put(sep, `{"name":`, canon.Quote(t.Name), `,"description":`, canon.Quote(t.Description), `,"input_schema":`, t.Parameters)
		sep = "},"
	}
	if sep == "}," {
		put(p.control, "}]")
	}
	if s := h.System(); strings.TrimSpace(s) != "" {
		put(`,"system":[{"type":"text","text":`, canon.Quote(s), p.control, `}]`)
	}
	put(`,"messages":[`)
	return nil
}

// prefixed puts a breakpoint at the end of the frozen prefix.
func (p *anthropic) prefixed(put func(...string)) {
	if p.cacheable && !p.marked {
		put(p.control)
		p.marked = true
	}
}

func (p *anthropic) tail() string {
	switch {
	case p.role == "":
		return "]}"
	case p.cacheable && !p.marked:
		return p.control + "}]}]}"
	}
	return "}]}]}"
}

func (p *anthropic) message(m msg.Message, _ bool, put func(...string)) error {
	for b := range m.Content.Value().Elements() {
		text, err := p.block(m.Role, b)
		switch {
		case err != nil:
			return err
		case text == nil:
			continue
		case p.role == m.Role:
			put("},")
		case p.role == "":
			put(`{"role":"`, string(m.Role), `","content":[`)
		default:
			put(`}]},{"role":"`, string(m.Role), `","content":[`)
		}
		put(text...)
		p.role, p.marked = m.Role, false
		p.cacheable = p.control != "" && !strings.HasPrefix(text[0], `{"type":"thinking"`) && !strings.HasPrefix(text[0], `{"type":"redacted`)
	}
	return nil
}

// block returns a block without its closing brace, nil for one that the protocol has
// no place for and that says nothing: text of white space, and reasoning that another
// provider has not signed.
func (p *anthropic) block(role msg.Role, b canon.Value) ([]string, error) {
	kind, _ := b.Get("type").Text()
	switch {
	case kind == "text":
		if s, _ := b.Get("text").Text(); strings.TrimSpace(s) == "" {
			return nil, nil
		}
		return []string{`{"type":"text","text":`, b.Get("text").Raw()}, nil
	case kind == "tool-result" && role == msg.RoleUser:
		return p.result(b)
	case kind == "tool-call" && role == msg.RoleAssistant:
		return []string{`{"type":"tool_use","id":`, b.Get("id").Raw(), `,"name":`, b.Get("name").Raw(), `,"input":`, input(b.Get("arguments"))}, nil
	case kind == "reasoning" && role == msg.RoleAssistant:
		if data := b.Get("redacted"); data.Exists() {
			return []string{`{"type":"redacted_thinking","data":`, data.Raw()}, nil
		}
		if signature := b.Get("signature"); signature.Exists() {
			return []string{`{"type":"thinking","thinking":`, b.Get("text").Raw(), `,"signature":`, signature.Raw()}, nil
		}
		return nil, nil
	}
	return nil, &UnsupportedError{"anthropic", "a block of type " + strconv.Quote(kind) + " from role " + string(role)}
}

func (p *anthropic) result(b canon.Value) ([]string, error) {
	out := []string{`{"type":"tool_result","tool_use_id":`, b.Get("toolCallId").Raw(), `,"content":"`}
	for inner := range b.Get("content").Elements() {
		if t, _ := inner.Get("type").Text(); t != "text" {
			return nil, &UnsupportedError{"anthropic", "a block of type " + strconv.Quote(t) + " in a tool result"}
		}
		out = append(out, inner.Get("text").Inner())
	}
	out = append(out, `"`)
	if b.Get("isError").IsTrue() {
		out = append(out, `,"is_error":true`)
	}
	return out, nil
}

// input is the text of a call's arguments as the object that the protocol wants: as
// it is when it is one, in canonical form; none for no text; and what is no object
// stands as text in one, so that the model sees what it wrote.
func input(arguments canon.Value) string {
	text, _ := arguments.Text()
	if strings.TrimSpace(text) == "" {
		return "{}"
	}
	if v, err := canon.Parse(text); err == nil && v.Kind() == canon.ObjectKind {
		if s, err := canon.Canonical(v); err == nil {
			return s
		}
	}
	return `{"INVALID_JSON":` + arguments.Raw() + `}`
}
