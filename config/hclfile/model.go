package hclfile

import (
	"github.com/dsh-hcl/dsh/config"
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
