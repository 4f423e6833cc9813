package wire_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/wire"
)

var toAnthropic = header.Wire{Protocol: "anthropic", Dialect: "anthropic"}

func TestAnthropicBodies(t *testing.T) {
	user := message(t, msg.RoleUser, msg.Text{Text: "a\"b"}, msg.Text{Text: "<c>"})
	more := message(t, msg.RoleUser, msg.Text{Text: "d"})
	call := message(t, msg.RoleAssistant, msg.Reasoning{Text: "hm", Signature: "c2ln"}, msg.Text{Text: "\n\n"},
		msg.ToolCall{ID: "t1", Name: "ls", Arguments: `{ "d" : "/", "n": 1.50 }`}, msg.ToolCall{ID: "t2", Name: "pwd"}, msg.ToolCall{ID: "t3", Name: "cd", Arguments: `{"d":`})
	results := message(t, msg.RoleUser, msg.ToolResult{CallID: "t1", Content: content(t, "x\ny")})
	failed := message(t, msg.RoleUser, msg.ToolResult{CallID: "t2", IsError: true})
	talk := message(t, msg.RoleAssistant, msg.Reasoning{Text: "of another provider"}, msg.Text{Text: "done"})
	hidden := message(t, msg.RoleAssistant, msg.Reasoning{Redacted: "ZW5j"})
	config := msg.CallConfig{Model: "m", MaxTokens: msg.Some[int64](9)}
	const begin = `{"model":"m","max_tokens":9,"stream":true`
	const mark = `,"cache_control":{"type":"ephemeral"}`
	for _, c := range []struct {
		name    string
		parts   header.Parts
		history []msg.Message
		want    string
	}{
		{"bare", header.Parts{Config: config}, []msg.Message{user},
			begin + `,"messages":[{"role":"user","content":[{"type":"text","text":"a\"b"},{"type":"text","text":"<c>"` + mark + `}]}]}`},
		{"everything", header.Parts{
			Config: msg.CallConfig{Model: "m", Temperature: msg.Some("0.7"), MaxTokens: msg.Some[int64](9), Stop: []string{"S"}},
			System: "be\nbrief", Tools: []msg.Tool{{Name: "ls", Description: "list", Parameters: `{"type":"object"}`}, {Name: "pwd", Parameters: `{}`}},
			Prefix: header.Seal([]msg.Message{message(t, msg.RoleUser, msg.Text{Text: "p"})}),
			Wire:   header.Wire{Protocol: "anthropic", Dialect: "anthropic", TopP: msg.Some("0.9"), CacheTTL: "1h", Thinking: "4096"},
		}, []msg.Message{more, call, results, failed, talk, more},
			begin + `,"temperature":0.7,"top_p":0.9,"stop_sequences":["S"],"thinking":{"type":"enabled","budget_tokens":4096},` +
				`"tools":[{"name":"ls","description":"list","input_schema":{"type":"object"}},{"name":"pwd","description":"","input_schema":{},"cache_control":{"type":"ephemeral","ttl":"1h"}}],` +
				`"system":[{"type":"text","text":"be\nbrief","cache_control":{"type":"ephemeral","ttl":"1h"}}],` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"p","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"d"}]},` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"tool_use","id":"t1","name":"ls","input":{"d":"/","n":1.50}},` +
				`{"type":"tool_use","id":"t2","name":"pwd","input":{}},{"type":"tool_use","id":"t3","name":"cd","input":{"INVALID_JSON":"{\"d\":"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x\ny"},{"type":"tool_result","tool_use_id":"t2","content":"","is_error":true}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"done"}]},{"role":"user","content":[{"type":"text","text":"d","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`},
		{"a prefix alone is marked once", header.Parts{Config: config, Prefix: header.Seal([]msg.Message{more})}, nil,
			begin + `,"messages":[{"role":"user","content":[{"type":"text","text":"d"` + mark + `}]}]}`},
		{"no breakpoint on reasoning", header.Parts{Config: config}, []msg.Message{user, hidden},
			begin + `,"messages":[{"role":"user","content":[{"type":"text","text":"a\"b"},{"type":"text","text":"<c>"}]},{"role":"assistant","content":[{"type":"redacted_thinking","data":"ZW5j"}]}]}`},
		{"no breakpoints at all", header.Parts{Config: config, System: "s", Wire: header.Wire{Protocol: "anthropic", Dialect: "anthropic", CacheTTL: "none", Thinking: "adaptive"}}, []msg.Message{more},
			begin + `,"thinking":{"type":"adaptive"},"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"text","text":"d"}]}]}`},
		{"nothing", header.Parts{Config: config, System: " \n"}, []msg.Message{{Role: msg.RoleUser}, message(t, msg.RoleAssistant, msg.Text{Text: " "})}, begin + `,"messages":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.parts.Wire.Protocol == "" {
				c.parts.Wire = toAnthropic
			}
			e := encoder(t, c.parts)
			if err := e.Append(c.history...); err != nil {
				t.Fatal(err)
			}
			b := e.Body()
			if got := string(b.Bytes()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			checkBody(t, b)
			if n := strings.Count(string(b.Bytes()), `"cache_control"`); n > 4 {
				t.Errorf("%d breakpoints; the service takes 4", n)
			}
		})
	}
}

func TestAnthropicRefuses(t *testing.T) {
	limit := msg.CallConfig{Model: "m", MaxTokens: msg.Some[int64](9)}
	refused := func(what string, err error) {
		t.Helper()
		var unsupported *wire.UnsupportedError
		if !errors.As(err, &unsupported) || msg.CodeOf(err) != "UNSUPPORTED_CONTENT" {
			t.Errorf("%s: error %v", what, err)
		}
	}
	for name, p := range map[string]header.Parts{
		"no max_tokens":  {Wire: toAnthropic},
		"dialect":        {Config: limit, Wire: header.Wire{Protocol: "anthropic", Dialect: "openai"}},
		"ttl":            {Config: limit, Wire: header.Wire{Protocol: "anthropic", Dialect: "anthropic", CacheTTL: "2h"}},
		"thinking":       {Config: limit, Wire: header.Wire{Protocol: "anthropic", Dialect: "anthropic", Thinking: "much"}},
		"openai ttl":     {Config: limit, Wire: header.Wire{Protocol: "openai", Dialect: "openai", CacheTTL: "1h"}},
		"openai thought": {Config: limit, Wire: header.Wire{Protocol: "openai", Dialect: "openai", Thinking: "4096"}},
	} {
		_, err := wire.NewEncoder(header.New(p))
		refused(name, err)
	}
	widget := msg.Unknown{Raw: `{"type":"widget"}`}
	inner, err := msg.NewContent(widget)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []msg.Message{
		message(t, msg.RoleUser, widget), message(t, msg.RoleAssistant, widget), message(t, msg.RoleUser, msg.Reasoning{Text: "r"}),
		message(t, msg.RoleUser, msg.ToolResult{CallID: "c", Content: inner}), message(t, msg.RoleAssistant, msg.ToolResult{CallID: "c"}),
	} {
		refused(m.Raw(), encoder(t, header.Parts{Config: limit, Wire: toAnthropic}).Append(m))
	}
}

// rebuilds makes the same request many times and tells its digest.
func rebuilds(t *testing.T, w header.Wire, times int) string {
	call := message(t, msg.RoleAssistant, msg.Reasoning{Text: "hm", Signature: "c2ln"}, msg.Text{Text: "let me see"}, msg.ToolCall{ID: "t1", Name: "ls", Arguments: `{"z":1,"a":{"y":[1.0,2],"b":null}}`})
	parts := header.Parts{Config: msg.CallConfig{Model: "m", MaxTokens: msg.Some[int64](9)}, System: "s",
		Tools:  []msg.Tool{{Name: "ls", Description: "list", Parameters: `{"type":"object","properties":{"z":{},"a":{},"m":{}}}`}, {Name: "a", Parameters: `{}`}},
		Prefix: header.Seal([]msg.Message{message(t, msg.RoleUser, msg.Text{Text: "p"})}), Wire: w}
	first := ""
	for range times {
		e := encoder(t, parts)
		if err := e.Append(message(t, msg.RoleUser, msg.Text{Text: "q"}), call, message(t, msg.RoleUser, msg.ToolResult{CallID: "t1", Content: content(t, "r")})); err != nil {
			t.Fatal(err)
		}
		got := e.Body().SHA256()
		if first == "" {
			first = got
		}
		if got != first {
			t.Fatalf("%s: two digests, %s and %s", w.Dialect, first, got)
		}
	}
	return first
}

// TestOneDigest: a thousand rebuilds of one request, in twenty processes, are one
// body, in each protocol.
func TestOneDigest(t *testing.T) {
	const processes, each = 20, 50
	for _, w := range []header.Wire{{Protocol: "openai", Dialect: "openai"}, {Protocol: "openai", Dialect: "deepseek"}, toAnthropic} {
		want := "digest " + rebuilds(t, w, each)
		if os.Getenv("DSH_TEST_REBUILD") == w.Dialect {
			fmt.Println(want)
			return
		}
		if os.Getenv("DSH_TEST_REBUILD") != "" {
			continue
		}
		for range processes {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestOneDigest$", "-test.v")
			cmd.Env = append(os.Environ(), "DSH_TEST_REBUILD="+w.Dialect)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), want+"\n") {
				t.Fatalf("another process: %v, want %s\n%s", err, want, out)
			}
		}
	}
}
