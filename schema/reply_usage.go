package schema

import "github.com/zclconf/go-cty/cty"

func replyUsage() *Block {
	tokens := func(name, doc string) Attribute {
		return Attribute{Name: name, Type: Whole, Default: cty.Zero, Constraint: Constraint{Range: atLeast(0)}, Doc: doc}
	}
	return &Block{
		Type: "usage",
		Doc:  "The usage that the answer reports, in tokens. Without it a token is estimated for every four bytes, and `cache` says how many of them were cached.",
		Attributes: []Attribute{
			tokens("input", "Tokens of the request, cached and written ones included."),
			tokens("cached_input", "Tokens of the request that were cached; at most `input`."),
			tokens("cache_write", "Tokens of the request that were written into the cache; with `cached_input` at most `input`."),
			tokens("output", "Tokens of the answer, reasoning included."),
			tokens("reasoning", "Tokens of reasoning; at most `output`."),
		},
	}
}
