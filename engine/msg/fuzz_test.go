package msg_test

import (
	"slices"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// FuzzContent: blocks of any text survive encoding and reading, or are refused
// for a text that is not UTF-8.
func FuzzContent(f *testing.F) {
	f.Add(byte(0), "a", "b", "c", false)
	f.Add(byte(1), "", "\x00\"\\\u2028", "😀", true)
	f.Add(byte(2), "id", "name", `{"a":[1,2.50]}`, false)
	f.Add(byte(3), "id", "result\n", "<tag>", true)
	f.Add(byte(4), "id", "\xff", "", false)
	f.Add(byte(5), `{"type":"widget","n":1.0}`, "", "", false)
	f.Add(byte(5), `{"type":"tool-call","id":"a","name":"b","arguments":"c"}`, "", "", false)
	f.Fuzz(func(t *testing.T, kind byte, a, b, c string, flag bool) {
		texts := []string{a}
		var block msg.Block
		switch kind % 5 {
		case 0:
			block = msg.Text{Text: a}
		case 1:
			block = msg.Reasoning{Text: a}
		case 2:
			texts = []string{a, b, c}
			block = msg.ToolCall{ID: a, Name: b, Arguments: c}
		case 3:
			inner, err := msg.NewContent(msg.Text{Text: b}, msg.ToolResult{CallID: c, IsError: !flag})
			if err != nil {
				return
			}
			block = msg.ToolResult{CallID: a, Content: inner, IsError: flag}
		case 4:
			block = msg.Unknown{Raw: a}
		}
		content, err := msg.NewContent(block, msg.Text{Text: "end"})
		if err != nil {
			_, unknown := block.(msg.Unknown)
			if !unknown && !slices.ContainsFunc(texts, func(s string) bool { return canon.CheckText(s) != nil }) {
				t.Fatalf("%#v: %v", block, err)
			}
			return
		}
		again := reread(t, content)
		if got := slices.Collect(again.Blocks()); kind%5 != 4 && got[0] != block || len(got) != 2 || got[1] != (msg.Text{Text: "end"}) {
			t.Fatalf("%#v came back as %#v", block, got)
		}
	})
}

// reread parses the text of a content, which must give the same content.
func reread(t *testing.T, content msg.Content) msg.Content {
	t.Helper()
	v, err := canon.ParseCanonical(content.Raw())
	if err != nil {
		t.Fatalf("%q is not canonical: %v", content.Raw(), err)
	}
	again, err := msg.ParseContent(v)
	if err != nil || again != content {
		t.Fatalf("%q was parsed as %q, %v", content.Raw(), again.Raw(), err)
	}
	return again
}

// FuzzParseMessage: whatever is accepted as a message keeps its content byte for
// byte, and everything made from it is canonical and can be read back.
func FuzzParseMessage(f *testing.F) {
	f.Add(`{"role":"user","content":[]}`)
	f.Add(`{"role":"assistant","content":[{"type":"text","text":"a\n"},{"type":"reasoning","text":"é"},{"type":"tool-call","id":"1","name":"n","arguments":"{}"}]}`)
	f.Add(`{"role":"user","content":[{"type":"tool-result","toolCallId":"1","content":[{"type":"widget","x":[{}]}]}]}`)
	f.Add(`{"content":[{"text":"t","type":"text","extra":1e5}],"role":"system","id":"x"}`)
	f.Add(`{"role":"user","content":[{"type":"text"}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := canon.ParseCanonical(s)
		if err != nil {
			return
		}
		m, err := msg.ParseMessage(v)
		if err != nil {
			return
		}
		if m.Content.Raw() != v.Get("content").Raw() {
			t.Fatalf("the content of %q became %q", s, m.Content.Raw())
		}
		reread(t, m.Content)
		if m.Bytes() != len(m.Raw()) {
			t.Fatalf("%q: Bytes is %d", s, m.Bytes())
		}
		if again, err := msg.ParseMessage(must(t, m.Raw())); err != nil || again != m {
			t.Fatalf("%q was parsed as %q, %v", m.Raw(), again.Raw(), err)
		}
		blocks := slices.Collect(m.Content.Blocks())
		made, err := msg.NewContent(blocks...)
		if err != nil {
			t.Fatalf("the blocks of %q cannot be encoded: %v", s, err)
		}
		if !slices.Equal(slices.Collect(made.Blocks()), blocks) {
			t.Fatalf("the blocks of %q changed", s)
		}
		without := reread(t, m.Content.WithoutToolCalls())
		if len(without.ToolCalls()) > 0 || without.Text() != m.Content.Text() {
			t.Fatalf("%q without calls is %q", s, without.Raw())
		}
		e, err := msg.Enclose(m.Role, "<", m.Content, ">")
		if err != nil || e.Content.Text() != "<"+m.Content.Text()+">" {
			t.Fatalf("%q enclosed is %q, %v", s, e.Raw(), err)
		}
		reread(t, e.Content)
	})
}

func must(t *testing.T, s string) canon.Value {
	t.Helper()
	v, err := canon.ParseCanonical(s)
	if err != nil {
		t.Fatalf("%q is not canonical: %v", s, err)
	}
	return v
}

// FuzzParseConfig: what is accepted as a call configuration, as a tool or as
// usage reads back to itself.
func FuzzParseConfig(f *testing.F) {
	f.Add(`{"model":"m","temperature":0.7,"maxTokens":9,"stop":["a"]}`)
	f.Add(`{"stop":[],"model":"","maxTokens":-0}`)
	f.Add(`{"name":"n","description":"d","parameters":{"a":[{}]}}`)
	f.Add(`{"inputTokens":1,"outputTokens":2,"cacheReadTokens":3,"reasoningTokens":-4}`)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := canon.ParseCanonical(s)
		if err != nil {
			return
		}
		if c, err := msg.ParseCallConfig(v); err == nil {
			if again, err := msg.ParseCallConfig(must(t, c.Raw())); err != nil || !again.Equal(c) || again.Raw() != c.Raw() {
				t.Fatalf("%q was parsed as %q, %v", c.Raw(), again.Raw(), err)
			}
		}
		if tool, err := msg.ParseTool(v); err == nil {
			if again, err := msg.ParseTool(must(t, tool.Raw())); err != nil || again != tool {
				t.Fatalf("%q was parsed as %q, %v", tool.Raw(), again.Raw(), err)
			}
		}
		u := msg.ParseUsage(v)
		if again := msg.ParseUsage(must(t, u.Raw())); again != u {
			t.Fatalf("%q was parsed as %q", u.Raw(), again.Raw())
		}
	})
}
