package hclfile

import (
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/schema"
)

func (l *loader) models(root *body, cfg *config.Config) {
	var declared []string
	for _, p := range cfg.Providers {
		declared = append(declared, p.Name)
	}
	for _, b := range l.unique(root.of("model"), "") {
		sc := everything()
		m := config.Model{
			Name:            b.label,
			At:              b.at,
			Provider:        l.reference(b, "provider", declared).V,
			ID:              l.setting(b, "id", sc).text(),
			ContextWindow:   l.setting(b, "context_window", sc).whole(),
			MaxOutputTokens: l.setting(b, "max_output_tokens", sc).whole(),
			Temperature:     l.setting(b, "temperature", sc).decimal(),
			TopP:            l.setting(b, "top_p", sc).decimal(),
			Stop:            l.setting(b, "stop", sc).texts(),
			Tokenizer:       l.tokenizer(b, sc),
			Thinking:        l.setting(b, "thinking", sc).text(),
			ThinkingTokens:  l.setting(b, "thinking_tokens", sc).whole(),
		}
		if p, ok := cfg.Provider(m.Provider); ok && p.Protocol.Set {
			l.suits(b, &m, p)
		}
		if m.ContextWindow.Set && m.MaxOutputTokens.Set && m.MaxOutputTokens.V >= m.ContextWindow.V {
			l.errorf(m.MaxOutputTokens.At, "Invalid value", "The argument \"max_output_tokens\" is %d, which leaves no room for a request in a context window of %d.",
				m.MaxOutputTokens.V, m.ContextWindow.V)
		}
		for _, n := range b.of("price") {
			m.Price = l.price(l.open(n, b.address))
		}
		cfg.Models = append(cfg.Models, m)
	}
}

// suits reports what the protocol of a model's provider demands or cannot carry.
func (l *loader) suits(b *body, m *config.Model, p *config.Provider) {
	if p.Protocol.V != "anthropic" {
		for _, name := range [...]string{"thinking", "thinking_tokens"} {
			if attr, written := b.attrs[name]; written {
				l.errorf(place(attr.Range), "Argument not allowed", "The argument %q is for models of protocol \"anthropic\", and the protocol of provider %q is %q.", name, p.Name, p.Protocol.V)
			}
		}
		return
	}
	if _, written := b.attrs["max_output_tokens"]; !written {
		l.errorf(b.at, "Missing argument", "A model of protocol \"anthropic\" needs max_output_tokens: the service takes no request without a limit of the answer.")
	}
	switch {
	case m.Thinking.Set && m.ThinkingTokens.Set:
		l.errorf(m.ThinkingTokens.At, "Conflicting arguments", "The arguments \"thinking\" and \"thinking_tokens\" are two ways to say the same: write one.")
	case m.ThinkingTokens.Set && m.MaxOutputTokens.Set && m.ThinkingTokens.V >= m.MaxOutputTokens.V:
		l.errorf(m.ThinkingTokens.At, "Invalid value", "The argument \"thinking_tokens\" is %d, which leaves no room for an answer within max_output_tokens of %d.", m.ThinkingTokens.V, m.MaxOutputTokens.V)
	}
}

// price reads a price block. What is not written of it costs what input costs.
func (l *loader) price(b *body) *config.Price {
	sc := everything()
	cost := l.setting(b, "input", sc)
	input := cost.amount()
	other := func(name string) int64 {
		if a := l.setting(b, name, sc).amount(); a.Set {
			return a.V
		}
		if cost.set {
			l.computed[b.address+"."+name] = canonical(cost.v)
		}
		return input.V
	}
	return &config.Price{
		At:          b.at,
		Input:       input.V,
		CachedInput: other("cached_input"),
		CacheWrite:  other("cache_write"),
		Output:      l.setting(b, "output", sc).amount().V,
		Currency:    l.setting(b, "currency", sc).text().V,
		AsOf:        l.setting(b, "as_of", sc).text().V,
	}
}

// tokenizer reads the name of a tokenizer or the path of its file, which is read and
// checked now.
func (l *loader) tokenizer(b *body, sc *scope) config.Attr[string] {
	s := l.setting(b, "tokenizer", sc)
	out := s.text()
	if s.bad || !s.set {
		return config.Attr[string]{}
	}
	names := schema.Tokenizers()
	if slices.Contains(names, out.V) {
		return out
	}
	if !strings.ContainsAny(out.V, `/\`) && !strings.HasSuffix(out.V, ".json") {
		l.errorf(s.at, "Invalid value", "The argument \"tokenizer\" is %s, neither one of %s nor the path of a tokenizer.json.%s",
			quoted(out.V), strings.Join(names, ", "), didYouMean(out.V, names))
		return config.Attr[string]{}
	}
	out.V = l.resolve(out.V, s.at.File)
	text, err := l.opts.Files.ReadFile(out.V, maxTokenizer)
	if err != nil {
		l.unreadable(out.V, err, s.at, "tokenizer")
		return out
	}
	if l.opts.Tokenizer != nil {
		if err := l.opts.Tokenizer(out.V, text); err != nil {
			l.errorf(s.at, "Tokenizer not supported", "Tokens cannot be counted with %s: %s Leave tokenizer out for an estimate.", l.opts.shown(out.V), sentence(err.Error()))
		}
	}
	return out
}
