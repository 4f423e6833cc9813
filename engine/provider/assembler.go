package provider

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/msg"
)

// Block types as chunks and logs spell them.
const (
	typeText      = "text"
	typeReasoning = "reasoning"
	typeToolCall  = "tool-call"
)

// Assembler turns the chunks of one answer into its content. Blocks stand in the
// order in which their indexes were first seen; a block that was never ended is
// made of its deltas. The zero Assembler is ready.
type Assembler struct {
	blocks []*block
	usage  msg.Opt[msg.Usage]
	finish msg.Opt[msg.Finish]
}

// block is one block under construction. Once a block-end set whole, nothing else
// counts.
type block struct {
	index    int
	kind     string // "" until a start or a delta told
	text     strings.Builder
	id, name string
	whole    msg.Block
	err      error // first delta that does not belong to the block's kind
}

// Add takes the next chunk.
func (a *Assembler) Add(chunk msg.Chunk) {
	switch c := chunk.(type) {
	case msg.BlockStart:
		b := a.at(c.Index)
		if b.kind == "" {
			b.kind = c.BlockType
		}
	case msg.TextDelta:
		if b := a.at(c.Index); b.accepts(typeText) {
			b.text.WriteString(c.Text)
		}
	case msg.ReasoningDelta:
		if b := a.at(c.Index); b.accepts(typeReasoning) {
			b.text.WriteString(c.Text)
		}
	case msg.ToolCallDelta:
		if b := a.at(c.Index); b.accepts(typeToolCall) {
			b.id = c.ID
			if c.Name != "" {
				b.name = c.Name
			}
			b.text.WriteString(c.ArgumentsDelta)
		}
	case msg.BlockEnd:
		if b := a.at(c.Index); b.whole == nil {
			b.whole = c.Block
		}
	case msg.UsageChunk:
		a.usage = msg.Some(c.Usage)
	case msg.FinishChunk:
		a.finish = msg.Some(c.Finish)
	}
}

func (a *Assembler) at(index int) *block {
	// Answers have few blocks, and deltas mostly belong to the last one.
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if a.blocks[i].index == index {
			return a.blocks[i]
		}
	}
	b := &block{index: index}
	a.blocks = append(a.blocks, b)
	return b
}

// accepts reports whether a delta of that kind extends the block.
func (b *block) accepts(kind string) bool {
	if b.kind == "" {
		b.kind = kind
	}
	if b.kind != kind {
		if b.err == nil {
			b.err = fmt.Errorf("%s delta for a %s block", kind, b.kind)
		}
		return false
	}
	return true
}

// assemble returns the block.
func (b *block) assemble() (msg.Block, error) {
	switch {
	case b.whole != nil:
		return b.whole, nil
	case b.err != nil:
		return nil, b.err
	}
	switch b.kind {
	case typeText:
		return msg.Text{Text: b.text.String()}, nil
	case typeReasoning:
		return msg.Reasoning{Text: b.text.String()}, nil
	case typeToolCall:
		id := b.id
		if id == "" {
			id = fmt.Sprintf("call-%d", b.index)
		}
		return msg.ToolCall{ID: id, Name: b.name, Arguments: b.text.String()}, nil
	}
	return nil, fmt.Errorf("unfinished block of unknown type %q", b.kind)
}

// Content returns the blocks of a whole answer. Errors: an unfinished block of an
// unknown type, a delta of another kind than its block, text that is not valid
// UTF-8; each names the index of the block.
func (a *Assembler) Content() (msg.Content, error) {
	blocks := make([]msg.Block, len(a.blocks))
	for i, b := range a.blocks {
		var err error
		if blocks[i], err = b.assemble(); err != nil {
			return msg.Content{}, fmt.Errorf("answer: block %d: %w", b.index, err)
		}
	}
	content, err := msg.NewContent(blocks...)
	if err != nil {
		return msg.Content{}, fmt.Errorf("answer: %w", err)
	}
	return content, nil
}

// Partial returns what streamed so far of an answer that was cut: text and
// reasoning that is not empty, and ended blocks of unknown types. Tool calls are
// dropped, for nobody will answer them, and so is a character of which only the
// first bytes arrived.
func (a *Assembler) Partial() msg.Content {
	var kept []msg.Block
	for _, b := range a.blocks {
		whole, err := b.assemble()
		if err != nil {
			continue
		}
		switch v := whole.(type) {
		case msg.Text:
			v.Text = validPart(v.Text)
			if v.Text == "" {
				continue
			}
			whole = v
		case msg.Reasoning:
			v.Text = validPart(v.Text)
			if v.Text == "" && v.Signature == "" && v.Redacted == "" {
				continue
			}
			whole = v
		case msg.ToolCall:
			continue
		}
		if _, err := msg.NewContent(whole); err == nil {
			kept = append(kept, whole)
		}
	}
	content, err := msg.NewContent(kept...)
	if err != nil {
		panic("provider: " + err.Error()) // every block was encoded above
	}
	return content
}

// validPart drops an incomplete character at the end and replaces other bytes
// that are not UTF-8.
func validPart(s string) string {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-n:]) {
				s = s[:len(s)-n]
			}
			break
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Usage returns the last usage that was reported, absent when none was.
func (a *Assembler) Usage() msg.Opt[msg.Usage] { return a.usage }

// Finish returns how the stream ended; a stream that did not say has stopped.
func (a *Assembler) Finish() msg.Finish {
	return a.finish.Or(msg.Finish{Kind: msg.FinishStop})
}
