package msg_test

import (
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func TestChunkBytes(t *testing.T) {
	for _, c := range []struct {
		chunk msg.Chunk
		want  string
	}{
		{msg.BlockStart{Index: 0, BlockType: "text"}, `{"type":"block-start","index":0,"blockType":"text"}`},
		{msg.TextDelta{Index: 1, Text: "a\n<é>"}, `{"type":"text-delta","index":1,"text":"a\n<é>"}`},
		{msg.TextDelta{}, `{"type":"text-delta","index":0,"text":""}`},
		{msg.ReasoningDelta{Index: 2, Text: "hm"}, `{"type":"reasoning-delta","index":2,"text":"hm"}`},
		{msg.ToolCallDelta{Index: 3, ID: "c1", Name: "ls", ArgumentsDelta: `{"d`}, `{"type":"tool-call-delta","index":3,"id":"c1","name":"ls","argumentsDelta":"{\"d"}`},
		{msg.ToolCallDelta{Index: 3, ID: "c1"}, `{"type":"tool-call-delta","index":3,"id":"c1","argumentsDelta":""}`},
		{msg.BlockEnd{Index: 0, Block: msg.Text{Text: "done"}}, `{"type":"block-end","index":0,"block":{"type":"text","text":"done"}}`},
		{msg.BlockEnd{Index: 4, Block: msg.Unknown{Raw: widget}}, `{"type":"block-end","index":4,"block":` + widget + `}`},
		{msg.UsageChunk{Usage: msg.Usage{Input: 3, Output: 1}}, `{"type":"usage","usage":{"inputTokens":3,"outputTokens":1}}`},
		{msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishStop}}, `{"type":"finish","reason":{"kind":"stop"}}`},
		{msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishToolCalls, Message: "not of this kind"}}, `{"type":"finish","reason":{"kind":"tool-calls"}}`},
		{msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishMaxTokens}}, `{"type":"finish","reason":{"kind":"max-tokens"}}`},
		{msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishAborted}}, `{"type":"finish","reason":{"kind":"aborted"}}`},
		{msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishError}}, `{"type":"finish","reason":{"kind":"error","message":""}}`},
		{msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishError, Message: "m", Code: "C"}}, `{"type":"finish","reason":{"kind":"error","message":"m","code":"C"}}`},
	} {
		if got := c.chunk.Raw(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if _, err := canon.ParseCanonical(c.chunk.Raw()); err != nil {
			t.Errorf("%s: %v", c.chunk.Raw(), err)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		usage msg.Usage
		raw   string
		total int64
	}{
		{msg.Usage{}, `{"inputTokens":0,"outputTokens":0}`, 0},
		{msg.Usage{Input: 10, Output: 5}, `{"inputTokens":10,"outputTokens":5}`, 10},
		{msg.Usage{Input: 10, Output: 5, CacheRead: msg.Some[int64](0)}, `{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0}`, 10},
		{msg.Usage{Input: 1, Output: 2, CacheRead: msg.Some[int64](30), CacheWrite: msg.Some[int64](400), Reasoning: msg.Some[int64](5000)},
			`{"inputTokens":1,"outputTokens":2,"cacheReadTokens":30,"cacheWriteTokens":400,"reasoningTokens":5000}`, 431},
	} {
		if got := c.usage.Raw(); got != c.raw {
			t.Errorf("got  %s\nwant %s", got, c.raw)
		}
		if got := msg.ParseUsage(value(t, c.raw)); got != c.usage {
			t.Errorf("%s was parsed as %+v", c.raw, got)
		}
		if got := c.usage.TotalInput(); got != c.total {
			t.Errorf("%s: total input %d, want %d", c.raw, got, c.total)
		}
	}
	// An absent count is not a count of zero, and what is no integer is absent.
	for _, in := range []string{`{}`, `null`, `{"inputTokens":"1","outputTokens":1.5,"cacheReadTokens":null,"reasoningTokens":[]}`} {
		if got := msg.ParseUsage(value(t, in)); got != (msg.Usage{}) {
			t.Errorf("%s was parsed as %+v", in, got)
		}
	}
}

// An adapter that makes a block which cannot be logged has a bug; it shows where
// it is made.
func TestChunkOfInvalidBlock(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a block that is not UTF-8 was encoded")
		}
	}()
	msg.BlockEnd{Block: msg.Text{Text: "\xff"}}.Raw()
}
