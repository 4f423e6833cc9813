package msg

import "github.com/dsh-hcl/dsh/engine/canon"

// Usage is what a provider says a call took, in tokens. The buckets are disjoint:
// Input excludes what was read from or written to the provider's cache.
type Usage struct {
	Input, Output                    int64
	CacheRead, CacheWrite, Reasoning Opt[int64]
}

// Raw returns the canonical JSON object.
func (u Usage) Raw() string {
	var o canon.Object
	o.Int("inputTokens", u.Input)
	o.Int("outputTokens", u.Output)
	for _, f := range [...]struct {
		name string
		v    Opt[int64]
	}{{"cacheReadTokens", u.CacheRead}, {"cacheWriteTokens", u.CacheWrite}, {"reasoningTokens", u.Reasoning}} {
		if n, ok := f.v.Get(); ok {
			o.Int(f.name, n)
		}
	}
	return o.End()
}

// ParseUsage takes usage from a JSON value; members that are not integers are
// absent.
func ParseUsage(v canon.Value) Usage {
	var u Usage
	u.Input, _ = v.Get("inputTokens").Int()
	u.Output, _ = v.Get("outputTokens").Int()
	opt := func(name string) Opt[int64] {
		if n, ok := v.Get(name).Int(); ok {
			return Some(n)
		}
		return Opt[int64]{}
	}
	u.CacheRead, u.CacheWrite, u.Reasoning = opt("cacheReadTokens"), opt("cacheWriteTokens"), opt("reasoningTokens")
	return u
}

// TotalInput is everything the model read, cached or not, in tokens.
func (u Usage) TotalInput() int64 { return u.Input + u.CacheRead.Or(0) + u.CacheWrite.Or(0) }

// FinishKind says how a stream ended.
type FinishKind string

// The kinds of finish.
const (
	FinishStop      FinishKind = "stop"
	FinishToolCalls FinishKind = "tool-calls"
	FinishMaxTokens FinishKind = "max-tokens"
	FinishAborted   FinishKind = "aborted"
	FinishError     FinishKind = "error"
)

// Finish is how a stream ended. Message and Code belong to FinishError; Code may
// be empty.
type Finish struct {
	Kind          FinishKind
	Message, Code string
}

// Raw returns the canonical JSON object.
func (f Finish) Raw() string {
	var o canon.Object
	o.String("kind", string(f.Kind))
	if f.Kind == FinishError {
		o.String("message", f.Message)
		if f.Code != "" {
			o.String("code", f.Code)
		}
	}
	return o.End()
}

// Chunk is one piece of a streamed answer: BlockStart, TextDelta,
// ReasoningDelta, ToolCallDelta, BlockEnd, UsageChunk or FinishChunk. An adapter
// sends usage before finish and nothing after finish.
type Chunk interface {
	// Raw returns the canonical JSON of the chunk, as the log keeps it.
	Raw() string
}

// BlockStart opens the block of that index.
type BlockStart struct {
	Index     int
	BlockType string
}

// TextDelta extends a text block.
type TextDelta struct {
	Index int
	Text  string
}

// ReasoningDelta extends a reasoning block.
type ReasoningDelta struct {
	Index int
	Text  string
}

// ToolCallDelta extends a tool call. An empty Name leaves the name as it is.
type ToolCallDelta struct {
	Index                    int
	ID, Name, ArgumentsDelta string
}

// BlockEnd states the whole block of that index and freezes it.
type BlockEnd struct {
	Index int
	Block Block
}

// UsageChunk reports usage; the last one counts.
type UsageChunk struct{ Usage Usage }

// FinishChunk ends the stream.
type FinishChunk struct{ Finish Finish }

func chunkObject(kind string, index int) canon.Object {
	var o canon.Object
	o.String("type", kind)
	o.Int("index", int64(index))
	return o
}

// Raw implements Chunk.
func (c BlockStart) Raw() string {
	o := chunkObject("block-start", c.Index)
	o.String("blockType", c.BlockType)
	return o.End()
}

// Raw implements Chunk.
func (c TextDelta) Raw() string {
	o := chunkObject("text-delta", c.Index)
	o.String("text", c.Text)
	return o.End()
}

// Raw implements Chunk.
func (c ReasoningDelta) Raw() string {
	o := chunkObject("reasoning-delta", c.Index)
	o.String("text", c.Text)
	return o.End()
}

// Raw implements Chunk.
func (c ToolCallDelta) Raw() string {
	o := chunkObject("tool-call-delta", c.Index)
	o.String("id", c.ID)
	if c.Name != "" {
		o.String("name", c.Name)
	}
	o.String("argumentsDelta", c.ArgumentsDelta)
	return o.End()
}

// Raw implements Chunk.
func (c BlockEnd) Raw() string {
	o := chunkObject("block-end", c.Index)
	raw, err := c.Block.encode(nil)
	if err != nil {
		panic("msg: block of a chunk is not UTF-8") // adapters decode JSON, which is
	}
	o.Raw("block", string(raw))
	return o.End()
}

// Raw implements Chunk.
func (c UsageChunk) Raw() string {
	var o canon.Object
	o.String("type", "usage")
	o.Raw("usage", c.Usage.Raw())
	return o.End()
}

// Raw implements Chunk.
func (c FinishChunk) Raw() string {
	var o canon.Object
	o.String("type", "finish")
	o.Raw("reason", c.Finish.Raw())
	return o.End()
}
