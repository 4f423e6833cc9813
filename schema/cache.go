package schema

import "github.com/zclconf/go-cty/cty"

func cache() *Block {
	return &Block{
		Type: "cache",
		Doc: "How the prompt cache of the provider works, which says how many tokens of a request an answer without `usage` reports as cached. " +
			"The prompt is the tools and the messages of a request; it is compared with those of the earlier requests that were answered. " +
			"With `deepseek` and `openai` the longest beginning in common is cached, in whole units. With `anthropic` only what ends with the tools, with the system text or with the last message of a request is, and what is written into the cache is reported. " +
			"With `none` nothing is.",
		Example: `cache {
  rules = "anthropic"
  ttl   = "1h"
}`,
		Attributes: []Attribute{
			{
				Name: "rules", Type: Text, Default: cty.StringVal("deepseek"), Constraint: Constraint{OneOf: []string{"deepseek", "openai", "anthropic", "none"}},
				Doc: "The provider whose rules hold. Without a `cache` block those of `deepseek` do.",
			},
			{
				Name: "unit", Type: Whole, Constraint: Constraint{Range: atLeast(1)}, Absence: "64 with `deepseek`, 128 with `openai`",
				Doc: "Tokens of which a cached part is a multiple.",
			},
			{
				Name: "minimum", Type: Whole, Constraint: Constraint{Range: atLeast(1)}, Absence: "64 with `deepseek`, 1024 with `openai` and `anthropic`",
				Doc: "Tokens below which a part is not cached.",
			},
			{
				Name: "ttl", Type: Duration, Constraint: Constraint{Range: above(0)}, Absence: "24h with `deepseek`, 5m with `openai` and `anthropic`",
				Doc: "How long a part is kept after it was last used.",
			},
		},
	}
}
