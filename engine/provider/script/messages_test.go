package script_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/anthropic"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
	"github.com/dsh-hcl/dsh/engine/provider/script"
)

// askMessages sends one request of the messages protocol through the real client.
func askMessages(t *testing.T, tr *script.Transport, request string) (*provider.Assembler, error) {
	a := new(provider.Assembler)
	for chunk, err := range anthropic.New(exchange.Access{BaseURL: "http://script", Transport: tr}).Stream(t.Context(), body(request)) {
		if err != nil {
			return a, err
		}
		a.Add(chunk)
	}
	return a, nil
}

// TestMessages: a script says the same in the messages protocol, streamed or not.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name    string
		reply   script.Reply
		content string
		finish  msg.FinishKind
	}{
		{"text", script.Reply{Text: "Looks good, as far as I can see."}, `[{"type":"text","text":"Looks good, as far as I can see."}]`, msg.FinishStop},
		{"nothing", script.Reply{}, `[]`, msg.FinishStop},
		{"reasoning and tools", script.Reply{Reasoning: "Hm", Tools: []script.Call{{Name: "read", Arguments: `{"path":"a long path/main.go"}`}, {ID: "mine", Name: "list"}}},
			`[{"type":"reasoning","text":"Hm","signature":"c2NyaXB0ZWQ="},{"type":"tool-call","id":"call_1","name":"read","arguments":"{\"path\":\"a long path/main.go\"}"},` +
				`{"type":"tool-call","id":"mine","name":"list","arguments":""}]`, msg.FinishToolCalls},
		{"cut short", script.Reply{Text: "So", Finish: "max-tokens"}, `[{"type":"text","text":"So"}]`, msg.FinishMaxTokens},
		{"refused", script.Reply{Text: "So", Finish: "refusal"}, `[{"type":"text","text":"So"}]`, msg.FinishError},
	} {
		for _, request := range []string{`{"model":"m","max_tokens":9,"stream":true,"messages":[]}`, `{"model":"m","max_tokens":9,"messages":[]}`} {
			a, err := askMessages(t, script.New(script.Options{Replies: []script.Reply{c.reply}}), request)
			content, e := a.Content()
			if err != nil || e != nil || content.Raw() != c.content || a.Finish().Kind != c.finish {
				t.Errorf("%s: %v %v\ngot  %s %s\nwant %s %s", c.name, err, e, content.Raw(), a.Finish().Kind, c.content, c.finish)
			}
		}
	}
	long := script.Reply{Text: strings.Repeat("word ", 30), Cut: true}
	a, err := askMessages(t, script.New(script.Options{Replies: []script.Reply{long}}), `{"max_tokens":9,"stream":true,"messages":[]}`)
	if kept := a.Partial().Text(); msg.CodeOf(err) != provider.CodeStreamCut || kept == "" || len(kept) >= len(long.Text) {
		t.Errorf("cut: %v, kept %q", err, kept)
	}
	_, err = askMessages(t, script.New(script.Options{Replies: []script.Reply{{Error: &script.Error{Status: 529, Code: "overloaded_error", Message: "busy"}}}}), `{"max_tokens":9,"messages":[]}`)
	var e *provider.Error
	if !errors.As(err, &e) || e.Status != 529 || e.ProviderCode != "overloaded_error" || e.Provider != "busy" {
		t.Errorf("error: %v", err)
	}
}

// TestMessagesCache: what ends at a breakpoint is kept, and the breakpoint that moves
// is no part of what is compared.
func TestMessagesCache(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	block := func(text, more string) string { return `{"type":"text","text":"` + text + `"` + more + `}` }
	long := strings.Repeat("x", 400)
	first := `{"max_tokens":9,"system":[` + block(long, mark) + `],"messages":[{"role":"user","content":[` + block(long, mark) + `]}]}`
	second := `{"max_tokens":9,"system":[` + block(long, mark) + `],"messages":[{"role":"user","content":[` + block(long, "") + `]},{"role":"assistant","content":[` +
		block("ok", "") + `]},{"role":"user","content":[` + block(long, mark) + `]}]}`
	without := strings.ReplaceAll(second, mark, "")
	tr := script.New(script.Options{Default: &script.Reply{Text: "ok"}, Cache: script.Rules{Minimum: 50, TTL: 1 << 40, Breakpoints: true}})
	for _, c := range []struct{ body, want string }{
		{first, "0 read, 214 written"},
		{second, "214 read, 118 written"},
		{second, "332 read, 0 written"},
		{without, "332 read, 0 written"},
		{strings.Replace(second, "xx", "yy", 1), "0 read, 332 written"},
	} {
		a, err := askMessages(t, tr, c.body)
		u, _ := a.Usage().Get()
		if got := fmt.Sprintf("%d read, %d written", u.CacheRead.Or(0), u.CacheWrite.Or(0)); err != nil || got != c.want {
			t.Errorf("%v: %s, want %s", err, got, c.want)
		}
	}
}
