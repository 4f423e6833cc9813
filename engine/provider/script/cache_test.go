package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// sized is text of so many tokens, which no other name begins like.
func sized(name string, n int) string { return strings.Repeat(name, n*bytesPerToken) }

// TestCache asks one request after the other and compares what is cached of each.
func TestCache(t *testing.T) {
	type ask struct {
		at              time.Duration
		parts           string // letters with a number of tokens each: "a100 b20"; "|" is a breakpoint
		cached, written int
	}
	rules := func(name string, change func(*Rules)) Rules {
		r, ok := RulesOf(name)
		if !ok {
			t.Fatal(name)
		}
		if change != nil {
			change(&r)
		}
		return r
	}
	const m = time.Minute
	tests := []struct {
		name  string
		rules Rules
		asks  []ask
	}{
		{"none", rules("none", nil), []ask{{0, "a5000", 0, 0}, {0, "a5000", 0, 0}}},
		{"deepseek: whole units", rules("deepseek", nil), []ask{
			{0, "a63", 0, 0}, {0, "a63 b1", 0, 0}, {0, "a63 b1 c1", 64, 0}, {0, "a63 b1 c100", 64, 0}, {0, "a63 b1 c64", 128, 0}, {0, "a63 b1 c100 d1", 128, 0},
		}},
		{"deepseek: nothing in common", rules("deepseek", nil), []ask{{0, "a1000", 0, 0}, {0, "b1 a1000", 0, 0}}},
		{"deepseek: any earlier prompt", rules("deepseek", nil), []ask{{0, "a128 b64", 0, 0}, {0, "c200", 0, 0}, {0, "a128 d64", 128, 0}, {0, "a128 b64 e1", 192, 0}, {0, "c200", 192, 0}}},
		{"deepseek: kept for a day", rules("deepseek", nil), []ask{{0, "a64", 0, 0}, {24*time.Hour - 1, "a64", 64, 0}, {48*time.Hour - 2, "a64", 64, 0}, {72*time.Hour - 2, "a64", 0, 0}}},
		{"deepseek: use renews what was read, not the rest", rules("deepseek", nil), []ask{
			{0, "a64 b64", 0, 0}, {23 * time.Hour, "a64 c64", 64, 0}, {25 * time.Hour, "a64 b64", 64, 0}, {25 * time.Hour, "a64 b64", 128, 0},
		}},
		{"openai: from 1024 on in steps of 128", rules("openai", nil), []ask{
			{0, "a1023 b1000", 0, 0}, {0, "a1023 c1000", 0, 0}, {0, "a1023 b1 d1", 1024, 0}, {0, "a1023 b128", 1024, 0}, {0, "a1023 b129", 1152, 0}, {0, "a1023 b1000", 1920, 0},
		}},
		{"openai: kept for five minutes", rules("openai", nil), []ask{{0, "a1024", 0, 0}, {5*m - 1, "a1024 b1", 1024, 0}, {9 * m, "a1024 b1 c1", 1024, 0}, {14 * m, "a1024 b1 c1", 0, 0}}},
		{"openai: changed numbers", rules("openai", func(r *Rules) { r.Unit, r.Minimum, r.TTL = 10, 30, m }), []ask{
			{0, "a29 b100", 0, 0}, {0, "a29 c100", 0, 0}, {0, "a29 b9 d9", 30, 0}, {m, "a29 b9 d9", 0, 0},
		}},
		{"anthropic: what ends at a breakpoint", rules("anthropic", nil), []ask{
			{0, "t1024 | s100 | a10", 0, 1134},
			{0, "t1024 | s100 | a10 b10", 1134, 10},     // the last message of the earlier request
			{0, "t1024 | s100 | a10 c10", 1134, 10},     // b was not there
			{0, "t1024 | s100 | a5 d10", 1124, 15},      // in the middle of a: the system text
			{0, "t1024 | s99 | a10", 1024, 109},         // a changed system text: the tools
			{0, "u1024 | s100 | a10", 0, 1134},          // changed tools
			{0, "t1024 | s100 | a10 b10", 1144, 0},      // the same once more
			{0, "t1024 | s100 | a10 b10 e10", 1144, 10}, // and further
		}},
		{"anthropic: nothing below the minimum", rules("anthropic", nil), []ask{
			{0, "t500 | s523", 0, 0}, {0, "t500 | s523", 0, 0}, {0, "t500 | s523 | a1", 0, 1024}, {0, "t500 | s523 | a1 b1", 1024, 1}, {0, "t500 | s523 | c1", 0, 1024},
		}},
		{"anthropic: five minutes, renewed by use", rules("anthropic", nil), []ask{
			{0, "s1024 | a1", 0, 1025}, {4 * m, "s1024 | a1 b1", 1025, 1}, {8 * m, "s1024 | a1 b1 c1", 1026, 1}, {12 * m, "s1024 | a1", 1024, 1}, {17 * m, "s1024 | a1", 0, 1025},
		}},
		{"anthropic: an hour", rules("anthropic", func(r *Rules) { r.Minimum, r.TTL = 1, time.Hour }), []ask{
			{0, "s10 | a1", 0, 11}, {59 * m, "s10 | a1 b1", 11, 1}, {3 * time.Hour, "s10 | a1", 0, 11},
		}},
	}
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range tests {
		c := cache{rules: test.rules}
		for i, a := range test.asks {
			var p prompt
			for _, part := range strings.Fields(a.parts) {
				var n int
				if part == "|" {
					p.breakpoints = append(p.breakpoints, len(p.text))
				} else if _, err := fmt.Sscan(part[1:], &n); err != nil {
					t.Fatal(err)
				}
				p.text += sized(part[:1], n)
			}
			p.breakpoints = append(p.breakpoints, len(p.text))
			if cached, written := c.read(p, start.Add(a.at)); cached != a.cached || written != a.written {
				t.Errorf("%s, request %d: %d cached and %d written, want %d and %d", test.name, i+1, cached, written, a.cached, a.written)
			}
		}
	}
	if _, ok := RulesOf("else"); ok {
		t.Error("rules of nobody")
	}
}

// TestTokensInCommon: a token of which only a part is the same does not count, and
// the rest of a prompt counts as one.
func TestTokensInCommon(t *testing.T) {
	c := cache{rules: Rules{Unit: 1, TTL: time.Hour}}
	now := time.Now()
	c.read(prompt{text: "aaaabbb1"}, now)
	if n, _ := c.read(prompt{text: "aaaabbb2"}, now); n != 1 {
		t.Errorf("%d tokens", n)
	}
	c = cache{rules: Rules{TTL: time.Hour, Breakpoints: true}}
	if _, n := c.read(prompt{text: "aaaab", breakpoints: []int{5}}, now); n != 2 {
		t.Errorf("%d tokens written", n)
	}
	if n, w := c.read(prompt{text: "aaaabc", breakpoints: []int{6}}, now); n != 2 || w != 0 {
		t.Errorf("%d tokens, %d written", n, w)
	}
}

// TestKept: a conversation is kept once, however many requests it has.
func TestKept(t *testing.T) {
	r, _ := RulesOf("deepseek")
	c := cache{rules: r}
	text := ""
	for range 100 {
		text += sized("a", 10)
		c.read(prompt{text: text}, time.Now())
	}
	if len(c.kept) != 1 {
		t.Errorf("%d prompts are kept", len(c.kept))
	}
}

// TestPrompt: tools and messages are the prompt, and nothing else of a body.
func TestPrompt(t *testing.T) {
	const system, user = `{"role":"system","content":"s"}`, `{"role":"user","content":"u"}`
	for _, test := range []struct {
		body, text string
		ends       []int
	}{
		{`{"model":"m","stream":true,"messages":[]}`, "", nil},
		{`{"model":"m","messages":[` + user + `]}`, user, []int{len(user)}},
		{`{"messages":[` + system + ` , ` + user + `],"tools":[1, 2]}`, "[1, 2]" + system + user, []int{6, 6 + len(system), 6 + len(system) + len(user)}},
		{`{"tools":[],"messages":[` + system + `]}`, "[]" + system, []int{2, 2 + len(system)}},
		{`{"messages":[` + system + `,` + user + `,` + system + `,` + user + `]}`, system + user + system + user, []int{len(system), 2 * (len(system) + len(user))}},
	} {
		v, err := canon.Parse(test.body)
		if err != nil {
			t.Fatal(err)
		}
		if p := promptOf(v); p.text != test.text || !slices.Equal(p.breakpoints, test.ends) {
			t.Errorf("%s: %q %v, want %q %v", test.body, p.text, p.breakpoints, test.text, test.ends)
		}
	}
}
