package provider_test

import (
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

func assemble(chunks ...msg.Chunk) *provider.Assembler {
	a := new(provider.Assembler)
	for _, c := range chunks {
		a.Add(c)
	}
	return a
}

func TestAssembler(t *testing.T) {
	const hi, call = `[{"type":"text","text":"hi"}]`, `[{"type":"tool-call","id":"c","name":"read","arguments":"{}"}]`
	tests := []struct {
		name    string
		chunks  []msg.Chunk
		content string // "" for an error
		wrong   string
		partial string
	}{
		{"nothing", nil, `[]`, "", `[]`},
		{"deltas only", []msg.Chunk{msg.TextDelta{Index: 0, Text: "h"}, msg.TextDelta{Index: 0, Text: "i"}}, hi, "", hi},
		{"start and deltas", []msg.Chunk{msg.BlockStart{Index: 3, BlockType: "text"}, msg.TextDelta{Index: 3, Text: "hi"}}, hi, "", hi},
		{"first-seen order", []msg.Chunk{
			msg.BlockStart{Index: 7, BlockType: "reasoning"}, msg.TextDelta{Index: 1, Text: "h"},
			msg.ReasoningDelta{Index: 7, Text: "r"}, msg.TextDelta{Index: 1, Text: "i"}},
			`[{"type":"reasoning","text":"r"},{"type":"text","text":"hi"}]`, "", `[{"type":"reasoning","text":"r"},{"type":"text","text":"hi"}]`},
		{"the end is authoritative", []msg.Chunk{
			msg.TextDelta{Index: 0, Text: "x"}, msg.BlockEnd{Index: 0, Block: msg.Text{Text: "hi"}},
			msg.TextDelta{Index: 0, Text: "y"}, msg.BlockEnd{Index: 0, Block: msg.Text{Text: "z"}}, msg.ToolCallDelta{Index: 0, ID: "c"}}, hi, "", hi},
		{"end only", []msg.Chunk{msg.BlockEnd{Index: 2, Block: msg.Text{Text: "hi"}}}, hi, "", hi},
		{"tool call in pieces", []msg.Chunk{
			msg.ToolCallDelta{Index: 0, ID: "a", Name: "read", ArgumentsDelta: "{"},
			msg.ToolCallDelta{Index: 0, ID: "c", ArgumentsDelta: "}"}}, call, "", `[]`},
		{"ended tool call", []msg.Chunk{msg.BlockEnd{Index: 0, Block: msg.ToolCall{ID: "c", Name: "read", Arguments: "{}"}}}, call, "", `[]`},
		{"tool call without id and name", []msg.Chunk{msg.BlockStart{Index: 4, BlockType: "tool-call"}},
			`[{"type":"tool-call","id":"call-4","name":"","arguments":""}]`, "", `[]`},
		{"the last id counts", []msg.Chunk{msg.ToolCallDelta{Index: 0, ID: "a", Name: "n"}, msg.ToolCallDelta{Index: 0}},
			`[{"type":"tool-call","id":"call-0","name":"n","arguments":""}]`, "", `[]`},
		{"empty blocks", []msg.Chunk{msg.BlockStart{Index: 0, BlockType: "text"}, msg.BlockStart{Index: 1, BlockType: "reasoning"}},
			`[{"type":"text","text":""},{"type":"reasoning","text":""}]`, "", `[]`},
		{"unknown type, unfinished", []msg.Chunk{msg.TextDelta{Index: 0, Text: "hi"}, msg.BlockStart{Index: 1, BlockType: "video"}},
			"", `block 1: unfinished block of unknown type "video"`, hi},
		{"unknown type, ended", []msg.Chunk{msg.BlockStart{Index: 0, BlockType: "video"}, msg.BlockEnd{Index: 0, Block: msg.Unknown{Raw: `{"type":"video"}`}}},
			`[{"type":"video"}]`, "", `[{"type":"video"}]`},
		{"unknown type, broken", []msg.Chunk{msg.BlockEnd{Index: 0, Block: msg.Unknown{Raw: `{"type": "video"}`}}}, "", "block 0", `[]`},
		{"delta of another kind", []msg.Chunk{msg.TextDelta{Index: 5, Text: "hi"}, msg.ReasoningDelta{Index: 5, Text: "hi"}},
			"", "block 5: reasoning delta for a text block", `[]`},
		{"cut character", []msg.Chunk{msg.TextDelta{Index: 0, Text: "hi\xf0\x9f\x98"}}, "", "invalid UTF-8 at byte 2", hi},
		{"only a cut character", []msg.Chunk{msg.ReasoningDelta{Index: 0, Text: "\xf0\x9f"}}, "", "invalid UTF-8 at byte 0", `[]`},
		{"bytes that are no text", []msg.Chunk{msg.TextDelta{Index: 0, Text: "h\xffi"}}, "", "invalid UTF-8 at byte 1", `[{"type":"text","text":"h` + "\uFFFD" + `i"}]`},
		{"character over two deltas", []msg.Chunk{msg.TextDelta{Index: 0, Text: "h\xc3"}, msg.TextDelta{Index: 0, Text: "\xa9"}},
			`[{"type":"text","text":"hé"}]`, "", `[{"type":"text","text":"hé"}]`},
	}
	for _, test := range tests {
		a := assemble(test.chunks...)
		content, err := a.Content()
		switch {
		case test.content == "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
			t.Errorf("%s: error %v, want %s", test.name, err, test.wrong)
		case test.content != "" && (err != nil || content.Raw() != test.content):
			t.Errorf("%s: got %s %v, want %s", test.name, content.Raw(), err, test.content)
		}
		if got := a.Partial().Raw(); got != test.partial {
			t.Errorf("%s: partial %s, want %s", test.name, got, test.partial)
		}
	}
}

func TestAssemblerUsageAndFinish(t *testing.T) {
	a := assemble()
	if _, ok := a.Usage().Get(); ok || a.Finish() != (msg.Finish{Kind: msg.FinishStop}) {
		t.Errorf("nothing: %v %v", a.Usage(), a.Finish())
	}
	filtered := msg.Finish{Kind: msg.FinishError, Code: provider.CodeContentFilter, Message: "no"}
	a = assemble(msg.UsageChunk{Usage: msg.Usage{Input: 1}}, msg.UsageChunk{Usage: msg.Usage{Input: 2}}, msg.FinishChunk{Finish: filtered})
	if a.Usage() != msg.Some(msg.Usage{Input: 2}) || a.Finish() != filtered {
		t.Errorf("got %v %v", a.Usage(), a.Finish())
	}
}

// FuzzPartial: whatever streamed before a cut can be kept.
func FuzzPartial(f *testing.F) {
	f.Add("hi", "\xf0\x9f\x98")
	f.Add("\xff\xf0", "")
	f.Add("é\xc3", "\xa9\xe2\x82")
	f.Fuzz(func(t *testing.T, text, reasoning string) {
		a := assemble(msg.TextDelta{Index: 0, Text: text}, msg.ReasoningDelta{Index: 1, Text: reasoning})
		whole, err := a.Content()
		partial := a.Partial()
		if err == nil && text != "" && reasoning != "" && partial != whole {
			t.Errorf("partial %s of %s", partial.Raw(), whole.Raw())
		}
		if err == nil && partial.Text() != text {
			t.Errorf("text %q of %q", partial.Text(), text)
		}
	})
}
