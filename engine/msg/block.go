package msg

import (
	"fmt"
	"iter"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Block is one content block. The set of types is open: a type this package does
// not know is an Unknown and passes through as it is.
type Block interface {
	// encode appends the canonical JSON of the block, or reports text that is
	// not valid UTF-8.
	encode(dst []byte) ([]byte, error)
}

// Text is text for the model or from it.
type Text struct{ Text string }

// Reasoning is a model's reasoning, as far as its provider shows it. Signature is what
// the provider wants back with it, unchanged, "" for none; Redacted is, in place of
// both, reasoning that only the provider can read.
type Reasoning struct{ Text, Signature, Redacted string }

// ToolCall is a model's request to run a tool. Arguments is the raw text the
// model wrote, which is usually JSON and need not be.
type ToolCall struct{ ID, Name, Arguments string }

// ToolResult answers the tool call of that id.
type ToolResult struct {
	CallID  string
	Content Content
	IsError bool
}

// Unknown is a block of a type that this package does not know. Raw is its
// canonical JSON object.
type Unknown struct{ Raw string }

func textBlock(dst []byte, kind, text string) ([]byte, error) {
	if err := canon.CheckText(text); err != nil {
		return dst, fmt.Errorf("%s block: %w", kind, err)
	}
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","text":`...)
	dst = canon.AppendString(dst, text)
	return append(dst, '}'), nil
}

func (b Text) encode(dst []byte) ([]byte, error) { return textBlock(dst, "text", b.Text) }

func (b Reasoning) encode(dst []byte) ([]byte, error) {
	dst, err := textBlock(dst, "reasoning", b.Text)
	if err != nil {
		return dst, err
	}
	for _, m := range [...]struct{ name, text string }{{"signature", b.Signature}, {"redacted", b.Redacted}} {
		if m.text == "" {
			continue
		}
		if err := canon.CheckText(m.text); err != nil {
			return dst, fmt.Errorf("reasoning block: %w", err)
		}
		dst = append(dst[:len(dst)-1], `,"`+m.name+`":`...)
		dst = append(canon.AppendString(dst, m.text), '}')
	}
	return dst, nil
}

func (b ToolCall) encode(dst []byte) ([]byte, error) {
	for _, s := range [...]string{b.ID, b.Name, b.Arguments} {
		if err := canon.CheckText(s); err != nil {
			return dst, fmt.Errorf("tool-call block: %w", err)
		}
	}
	dst = append(dst, `{"type":"tool-call","id":`...)
	dst = canon.AppendString(dst, b.ID)
	dst = append(dst, `,"name":`...)
	dst = canon.AppendString(dst, b.Name)
	dst = append(dst, `,"arguments":`...)
	dst = canon.AppendString(dst, b.Arguments)
	return append(dst, '}'), nil
}

func (b ToolResult) encode(dst []byte) ([]byte, error) {
	if err := canon.CheckText(b.CallID); err != nil {
		return dst, fmt.Errorf("tool-result block: %w", err)
	}
	dst = append(dst, `{"type":"tool-result","toolCallId":`...)
	dst = canon.AppendString(dst, b.CallID)
	dst = append(dst, `,"content":`...)
	dst = append(dst, b.Content.Raw()...)
	dst = append(dst, `,"isError":`...)
	if b.IsError {
		dst = append(dst, "true}"...)
	} else {
		dst = append(dst, "false}"...)
	}
	return dst, nil
}

func (b Unknown) encode(dst []byte) ([]byte, error) {
	v, err := canon.ParseCanonical(b.Raw)
	if err != nil {
		return dst, fmt.Errorf("block: %w", err)
	}
	if err := checkBlock(v); err != nil {
		return dst, fmt.Errorf("block: %w", err)
	}
	return append(dst, b.Raw...), nil
}

// Content is a list of blocks, held as its canonical JSON array. The zero
// Content is the empty list.
type Content struct{ raw string }

// NewContent encodes blocks. Errors name the block: its text is not UTF-8, or it
// is an Unknown that ParseContent would refuse, for its form or its nesting.
func NewContent(blocks ...Block) (Content, error) {
	if len(blocks) == 0 {
		return Content{}, nil
	}
	buf := []byte{'['}
	for i, b := range blocks {
		if i > 0 {
			buf = append(buf, ',')
		}
		at := len(buf)
		var err error
		if buf, err = b.encode(buf); err != nil {
			return Content{}, fmt.Errorf("block %d: %w", i, err)
		}
		if nests(b) {
			// Only these nest, and no reader goes as deep as a writer can.
			if _, err := canon.ParseCanonical("[" + string(buf[at:]) + "]"); err != nil {
				return Content{}, fmt.Errorf("block %d: %w", i, err)
			}
		}
	}
	return Content{raw: string(append(buf, ']'))}, nil
}

func nests(b Block) bool {
	switch b.(type) {
	case ToolResult, Unknown:
		return true
	}
	return false
}

// TextContent is one text block, or an error when text is not UTF-8. Empty text
// still makes a block.
func TextContent(text string) (Content, error) { return NewContent(Text{text}) }

// ParseContent takes a canonical JSON array of blocks from a value; the content
// shares the value's text.
func ParseContent(v canon.Value) (Content, error) {
	if v.Kind() != canon.ArrayKind {
		return Content{}, fmt.Errorf("content is not an array")
	}
	if v.Raw() == "[]" {
		return Content{}, nil
	}
	i := 0
	for e := range v.Elements() {
		if err := checkBlock(e); err != nil {
			return Content{}, fmt.Errorf("block %d: %w", i, err)
		}
		i++
	}
	return Content{raw: v.Raw()}, nil
}

// checkBlock holds a parsed block to the shape of its type.
func checkBlock(v canon.Value) error {
	if v.Kind() != canon.ObjectKind {
		return fmt.Errorf("not an object")
	}
	kind, ok := v.Get("type").Text()
	if !ok {
		return fmt.Errorf("no type")
	}
	need := func(names ...string) error {
		for _, n := range names {
			if v.Get(n).Kind() != canon.String {
				return fmt.Errorf("%s block without string %q", kind, n)
			}
		}
		return nil
	}
	switch kind {
	case "text":
		return need("text")
	case "reasoning":
		for _, n := range [...]string{"signature", "redacted"} {
			if m := v.Get(n); m.Exists() && m.Kind() != canon.String {
				return fmt.Errorf("reasoning block whose %q is no string", n)
			}
		}
		return need("text")
	case "tool-call":
		return need("id", "name", "arguments")
	case "tool-result":
		if err := need("toolCallId"); err != nil {
			return err
		}
		_, err := ParseContent(v.Get("content"))
		return err
	}
	return nil
}

// Raw returns the canonical JSON array.
func (c Content) Raw() string {
	if c.raw == "" {
		return "[]"
	}
	return c.raw
}

// IsEmpty reports whether there is no block.
func (c Content) IsEmpty() bool { return c.raw == "" }

// Value returns the content as a JSON value, for encoders that cut substrings
// out of it.
func (c Content) Value() canon.Value {
	v, err := canon.ParseCanonical(c.Raw())
	if err != nil {
		panic("msg: content is not canonical: " + err.Error()) // only this package makes contents
	}
	return v
}

// Blocks decodes the blocks anew on every call.
func (c Content) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for e := range c.Value().Elements() {
			if !yield(decodeBlock(e)) {
				return
			}
		}
	}
}

func decodeBlock(v canon.Value) Block {
	str := func(name string) string { s, _ := v.Get(name).Text(); return s }
	switch str("type") {
	case "text":
		return Text{str("text")}
	case "reasoning":
		return Reasoning{str("text"), str("signature"), str("redacted")}
	case "tool-call":
		return ToolCall{ID: str("id"), Name: str("name"), Arguments: str("arguments")}
	case "tool-result":
		c, _ := ParseContent(v.Get("content"))
		return ToolResult{CallID: str("toolCallId"), Content: c, IsError: v.Get("isError").IsTrue()}
	}
	return Unknown{Raw: v.Raw()}
}

// Text concatenates the text blocks, without separator.
func (c Content) Text() string {
	var b strings.Builder
	for block := range c.Blocks() {
		if t, ok := block.(Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// ToolCalls returns the tool-call blocks in order.
func (c Content) ToolCalls() []ToolCall {
	var calls []ToolCall
	for e := range c.Value().Elements() {
		// Other blocks, which may be long, are not decoded.
		if e.Get("type").Raw() == `"tool-call"` {
			calls = append(calls, decodeBlock(e).(ToolCall))
		}
	}
	return calls
}

// WithoutToolCalls returns the content with its tool-call blocks left out.
func (c Content) WithoutToolCalls() Content {
	var kept []string
	for e := range c.Value().Elements() {
		if e.Get("type").Raw() != `"tool-call"` {
			kept = append(kept, e.Raw())
		}
	}
	if len(kept) == 0 {
		return Content{}
	}
	return Content{raw: canon.Array(kept...)}
}
