package script

import (
	"slices"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// bytesPerToken is the estimate of this package.
const bytesPerToken = 4

// tokens estimates what so many bytes are, rounded up.
func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// Rules are how a provider caches the prompts that it reads. The zero Rules cache
// nothing.
type Rules struct {
	Unit        int           // tokens; a cached part is a multiple of it. 0 is 1; it does not count with Breakpoints
	Minimum     int           // tokens; a smaller part is not cached
	TTL         time.Duration // how long a part is kept after its last use
	Breakpoints bool          // a part ends at a breakpoint, and what is written is reported
}

// RulesOf returns the rules of a provider: "deepseek", "openai", "anthropic" or
// "none". ok is false for another name.
func RulesOf(provider string) (r Rules, ok bool) {
	switch provider {
	case "deepseek":
		return Rules{Unit: 64, Minimum: 64, TTL: 24 * time.Hour}, true
	case "openai":
		return Rules{Unit: 128, Minimum: 1024, TTL: 5 * time.Minute}, true
	case "anthropic":
		return Rules{Minimum: 1024, TTL: 5 * time.Minute, Breakpoints: true}, true
	case "none":
		return Rules{}, true
	}
	return Rules{}, false
}

// prompt is what a model reads of a request: the tools and then every message, as
// the body spells them.
type prompt struct {
	text        string
	breakpoints []int // lengths: up to the end of the tools, of the system text, of the messages
}

func promptOf(body canon.Value) prompt {
	if !body.Get("stream_options").Exists() && body.Get("max_tokens").Exists() && body.Get("messages").Kind() == canon.ArrayKind && listed(body) {
		return messagesPrompt(body)
	}
	var p prompt
	var b strings.Builder
	end := func() {
		if n := b.Len(); n > 0 && !slices.Contains(p.breakpoints, n) {
			p.breakpoints = append(p.breakpoints, n)
		}
	}
	b.WriteString(body.Get("tools").Raw())
	end()
	system := true
	for m := range body.Get("messages").Elements() {
		if role, _ := m.Get("role").Text(); system && role != "system" {
			system = false
			end()
		}
		b.WriteString(m.Raw())
	}
	end()
	p.text = b.String()
	return p
}

// listed reports whether the contents of messages are lists, as the messages protocol
// has them.
func listed(body canon.Value) bool {
	for m := range body.Get("messages").Elements() {
		return m.Get("content").Kind() == canon.ArrayKind
	}
	return body.Get("system").Kind() == canon.ArrayKind
}

// cache is the prompt cache of a provider. It has no clock: the times of its
// requests are handed in, and ascend.
type cache struct {
	rules Rules
	kept  []part
}

// part is a beginning of prompts that was kept.
type part struct {
	text string
	used time.Time
}

// read returns how many tokens of a prompt come from the cache and how many are
// written into it, as the provider reports them, and keeps the prompt.
func (c *cache) read(p prompt, now time.Time) (cached, written int) {
	if c.rules.TTL <= 0 {
		return 0, 0
	}
	c.kept = slices.DeleteFunc(c.kept, func(k part) bool { return now.Sub(k.used) >= c.rules.TTL })
	if c.rules.Breakpoints {
		return c.readBreakpoints(p, now)
	}
	longest := 0
	for _, k := range c.kept {
		longest = max(longest, common(k.text, p.text))
	}
	// A token of which only a part is the same is another token.
	cached = longest / bytesPerToken
	cached -= cached % max(c.rules.Unit, 1)
	if cached < c.rules.Minimum {
		cached = 0
	}
	// What was read is the beginning of this prompt as well, so that it is renewed.
	c.kept = slices.DeleteFunc(c.kept, func(k part) bool { return strings.HasPrefix(p.text, k.text) })
	c.kept = append(c.kept, part{p.text, now})
	return cached, 0
}

// readBreakpoints is read where only what ends at a breakpoint is kept.
func (c *cache) readBreakpoints(p prompt, now time.Time) (cached, written int) {
	longest := ""
	for _, k := range c.kept {
		if len(k.text) > len(longest) && strings.HasPrefix(p.text, k.text) {
			longest = k.text
		}
	}
	if longest != "" {
		c.keep(longest, now)
		cached = tokens(len(longest))
	}
	for _, n := range p.breakpoints {
		if tokens(n) >= c.rules.Minimum {
			c.keep(p.text[:n], now)
			written = tokens(n) - cached
		}
	}
	return cached, written
}

// keep adds a part, or renews it.
func (c *cache) keep(text string, now time.Time) {
	i := slices.IndexFunc(c.kept, func(k part) bool { return k.text == text })
	if i < 0 {
		c.kept = append(c.kept, part{text, now})
		return
	}
	c.kept[i].used = now
}

// common is how many bytes two texts have in common at their beginning.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
