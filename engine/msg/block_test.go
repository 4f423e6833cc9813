package msg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func value(t testing.TB, s string) canon.Value {
	t.Helper()
	v, err := canon.ParseCanonical(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func content(t testing.TB, blocks ...msg.Block) msg.Content {
	t.Helper()
	c, err := msg.NewContent(blocks...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shares reports whether part is a substring of whole in memory, not only by
// value.
func shares(whole, part string) bool {
	at := uintptr(unsafe.Pointer(unsafe.StringData(part)))
	from := uintptr(unsafe.Pointer(unsafe.StringData(whole)))
	return len(part) > 0 && at >= from && at+uintptr(len(part)) <= from+uintptr(len(whole))
}

const widget = `{"type":"widget","n":1.50,"deep":[{"type":"text"}],"s":"<é>"}`

func TestBlockBytes(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks []msg.Block
		want   string
	}{
		{"none", nil, `[]`},
		{"empty text", []msg.Block{msg.Text{}}, `[{"type":"text","text":""}]`},
		{"text", []msg.Block{msg.Text{Text: "a\"b\\c\n\u0001</é>\u2028😀"}}, `[{"type":"text","text":"a\"b\\c\n\u0001</é>` + "\u2028" + `😀"}]`},
		{"reasoning", []msg.Block{msg.Reasoning{Text: "hm"}}, `[{"type":"reasoning","text":"hm"}]`},
		{"arguments are text", []msg.Block{msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{ "n": 1.0, "n": 2 }`}},
			`[{"type":"tool-call","id":"c1","name":"ls","arguments":"{ \"n\": 1.0, \"n\": 2 }"}]`},
		{"arguments need not be JSON", []msg.Block{msg.ToolCall{Arguments: "{"}}, `[{"type":"tool-call","id":"","name":"","arguments":"{"}]`},
		{"result", []msg.Block{msg.ToolResult{CallID: "c1", Content: content(t, msg.Text{Text: "x"}), IsError: true}},
			`[{"type":"tool-result","toolCallId":"c1","content":[{"type":"text","text":"x"}],"isError":true}]`},
		{"empty result", []msg.Block{msg.ToolResult{CallID: "c1"}}, `[{"type":"tool-result","toolCallId":"c1","content":[],"isError":false}]`},
		{"unknown inside a result", []msg.Block{msg.ToolResult{CallID: "c", Content: content(t, msg.Unknown{Raw: widget})}},
			`[{"type":"tool-result","toolCallId":"c","content":[` + widget + `],"isError":false}]`},
		{"unknown", []msg.Block{msg.Unknown{Raw: widget}}, `[` + widget + `]`},
		{"signed reasoning", []msg.Block{msg.Reasoning{Text: "hm", Signature: "a+/="}, msg.Reasoning{Signature: "s"}, msg.Reasoning{Redacted: "d\""}},
			`[{"type":"reasoning","text":"hm","signature":"a+/="},{"type":"reasoning","text":"","signature":"s"},{"type":"reasoning","text":"","redacted":"d\""}]`},
		{"several", []msg.Block{msg.Reasoning{Text: "r"}, msg.Text{Text: "t"}, msg.Unknown{Raw: `{"type":""}`}, msg.ToolCall{ID: "i", Name: "n", Arguments: "{}"}},
			`[{"type":"reasoning","text":"r"},{"type":"text","text":"t"},{"type":""},{"type":"tool-call","id":"i","name":"n","arguments":"{}"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := content(t, c.blocks...)
			if got.Raw() != c.want {
				t.Fatalf("got  %s\nwant %s", got.Raw(), c.want)
			}
			if got.IsEmpty() != (len(c.blocks) == 0) {
				t.Errorf("IsEmpty is %v", got.IsEmpty())
			}
			if got.Value().Raw() != c.want {
				t.Errorf("value %s", got.Value().Raw())
			}
			parsed, err := msg.ParseContent(value(t, c.want))
			if err != nil || parsed != got {
				t.Errorf("parsed %v, %v", parsed, err)
			}
			if blocks := slices.Collect(parsed.Blocks()); !slices.Equal(blocks, c.blocks) {
				t.Errorf("blocks %#v, want %#v", blocks, c.blocks)
			}
		})
	}
}

func TestNewContentRefuses(t *testing.T) {
	const bad = "ab\xffc"
	// A reader goes 1000 levels deep.
	deep := msg.Unknown{Raw: `{"type":"w","d":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`}
	inner, err := msg.ParseContent(value(t, `[{"type":"w","d":`+strings.Repeat("[", 998)+strings.Repeat("]", 998)+`}]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		block msg.Block
		want  string
	}{
		{"text", msg.Text{Text: bad}, "block 1: text block: invalid UTF-8 at byte 2"},
		{"reasoning", msg.Reasoning{Text: bad}, "block 1: reasoning block: invalid UTF-8 at byte 2"},
		{"signature", msg.Reasoning{Signature: bad}, "block 1: reasoning block: invalid UTF-8 at byte 2"},
		{"redacted", msg.Reasoning{Redacted: bad}, "block 1: reasoning block: invalid UTF-8 at byte 2"},
		{"surrogate", msg.Text{Text: "\xed\xa0\x80"}, "block 1: text block: invalid UTF-8 at byte 0"},
		{"id", msg.ToolCall{ID: bad}, "block 1: tool-call block: invalid UTF-8 at byte 2"},
		{"name", msg.ToolCall{Name: bad}, "block 1: tool-call block: invalid UTF-8 at byte 2"},
		{"arguments", msg.ToolCall{Arguments: bad}, "block 1: tool-call block: invalid UTF-8 at byte 2"},
		{"call id", msg.ToolResult{CallID: bad}, "block 1: tool-result block: invalid UTF-8 at byte 2"},
		{"no JSON", msg.Unknown{Raw: `{`}, "block 1: block: expected a member name at byte 1"},
		{"nothing", msg.Unknown{}, "block 1: block: unexpected end at byte 0"},
		{"not canonical", msg.Unknown{Raw: `{"type": "w"}`}, "block 1: block: unexpected character at byte 8"},
		{"not an object", msg.Unknown{Raw: `[]`}, "block 1: block: not an object"},
		{"no type", msg.Unknown{Raw: `{}`}, "block 1: block: no type"},
		{"type is no text", msg.Unknown{Raw: `{"type":1}`}, "block 1: block: no type"},
		// What could not be read back must not be written.
		{"known type of another form", msg.Unknown{Raw: `{"type":"text"}`}, `block 1: block: text block without string "text"`},
		{"too deep to read back", deep, "block 1: nested too deeply at byte 1016"},
		{"too deep in a result", msg.ToolResult{CallID: "c", Content: inner}, "block 1: nested too deeply at byte 1064"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := msg.NewContent(msg.Text{Text: "fine"}, c.block)
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if got != (msg.Content{}) {
				t.Errorf("content %s beside the error", got.Raw())
			}
		})
	}
	if _, err := msg.TextContent(bad); err == nil {
		t.Error("TextContent takes what is not UTF-8")
	}
}

func TestParseContent(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`[]`, ""},
		{`[{"type":"widget"},{"type":""}]`, ""},
		{`[{"type":"tool-result","toolCallId":"c","content":[]}]`, ""}, // isError may be absent
		{`[{"text":"order is as it came","type":"text","more":[1]}]`, ""},
		{`{}`, "content is not an array"},
		{`null`, "content is not an array"},
		{`"text"`, "content is not an array"},
		{`["text"]`, "block 0: not an object"},
		{`[{"type":"text","text":""},null]`, "block 1: not an object"},
		{`[{}]`, "block 0: no type"},
		{`[{"type":null}]`, "block 0: no type"},
		{`[{"type":"text"}]`, `block 0: text block without string "text"`},
		{`[{"type":"text","text":1}]`, `block 0: text block without string "text"`},
		{`[{"type":"reasoning","text":null}]`, `block 0: reasoning block without string "text"`},
		{`[{"type":"tool-call","name":"n","arguments":""}]`, `block 0: tool-call block without string "id"`},
		{`[{"type":"tool-call","id":"i","arguments":""}]`, `block 0: tool-call block without string "name"`},
		{`[{"type":"tool-call","id":"i","name":"n","arguments":{}}]`, `block 0: tool-call block without string "arguments"`},
		{`[{"type":"tool-result","content":[]}]`, `block 0: tool-result block without string "toolCallId"`},
		{`[{"type":"tool-result","toolCallId":"c"}]`, "block 0: content is not an array"},
		{`[{"type":"tool-result","toolCallId":"c","content":[{"type":"text"}]}]`, `block 0: block 0: text block without string "text"`},
	} {
		got, err := msg.ParseContent(value(t, c.in))
		if text := fmt.Sprint(err); c.want != "" && text != c.want || c.want == "" && err != nil {
			t.Errorf("%s: error %s, want %q", c.in, text, c.want)
		}
		if err == nil && got.Raw() != c.in {
			t.Errorf("%s became %s", c.in, got.Raw())
		}
		if err != nil && got != (msg.Content{}) {
			t.Errorf("%s: content beside the error", c.in)
		}
	}
	if _, err := msg.ParseContent(canon.Value{}); err == nil {
		t.Error("the absent value is content")
	}
}

// What is parsed shares the text it was cut from; a log of many megabytes is in
// memory once.
func TestContentShares(t *testing.T) {
	line := `{"role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":"plain"}],"isError":false},` + widget + `]}`
	m, err := msg.ParseMessage(value(t, line))
	if err != nil {
		t.Fatal(err)
	}
	if !shares(line, m.Content.Raw()) {
		t.Error("the content of a message is a copy")
	}
	blocks := slices.Collect(m.Content.Blocks())
	if r := blocks[0].(msg.ToolResult); !shares(line, r.Content.Raw()) {
		t.Error("the content of a result is a copy")
	}
	if u := blocks[1].(msg.Unknown); !shares(line, u.Raw) || u.Raw != widget {
		t.Error("an unknown block is a copy")
	}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := msg.ParseContent(m.Content.Value()); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("parsing plain content makes %v allocations", n)
	}
}

func TestContentViews(t *testing.T) {
	for _, c := range []struct {
		name          string
		in            msg.Content
		text          string
		calls         string
		withoutCalls  string
		withoutIsSame bool
	}{
		{"empty", msg.Content{}, "", "", `[]`, true},
		{"text is joined without separator", content(t, msg.Text{Text: "a"}, msg.Reasoning{Text: "no"}, msg.Text{Text: "b\n"}), "ab\n", "",
			`[{"type":"text","text":"a"},{"type":"reasoning","text":"no"},{"type":"text","text":"b\n"}]`, true},
		{"calls in order", content(t, msg.ToolCall{ID: "2", Name: "x", Arguments: "{}"}, msg.Text{Text: "t"}, msg.ToolCall{ID: "1", Name: "y"}), "t",
			"2 x {};1 y ;", `[{"type":"text","text":"t"}]`, false},
		{"only calls", content(t, msg.ToolCall{ID: "1"}), "", "1  ;", `[]`, false},
		{"text and calls of a result are its own", content(t, msg.ToolResult{CallID: "c", Content: content(t, msg.Text{Text: "in"}, msg.ToolCall{ID: "1"})}), "", "",
			`[{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":"in"},{"type":"tool-call","id":"1","name":"","arguments":""}],"isError":false}]`, true},
		{"unknown blocks stay", content(t, msg.Unknown{Raw: widget}, msg.ToolCall{ID: "1"}), "", "1  ;", `[` + widget + `]`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.in.Text(); got != c.text {
				t.Errorf("text %q, want %q", got, c.text)
			}
			calls := ""
			for _, call := range c.in.ToolCalls() {
				calls += call.ID + " " + call.Name + " " + call.Arguments + ";"
			}
			if calls != c.calls {
				t.Errorf("calls %q, want %q", calls, c.calls)
			}
			without := c.in.WithoutToolCalls()
			if without.Raw() != c.withoutCalls || without.IsEmpty() != (c.withoutCalls == "[]") {
				t.Errorf("without calls %s, want %s", without.Raw(), c.withoutCalls)
			}
			if (without == c.in) != c.withoutIsSame {
				t.Errorf("equal to the original: %v", without == c.in)
			}
		})
	}
	for b := range content(t, msg.Text{Text: "first"}, msg.Text{Text: "second"}).Blocks() {
		if b != (msg.Text{Text: "first"}) {
			t.Errorf("after a break: %v", b)
		}
		break
	}
}
