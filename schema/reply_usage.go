package schema

import "github.com/zclconf/go-cty/cty"

func replyUsage() *Block {
	tokens := func(name, doc string) Attribute {
		return Attribute{Name: name, Type: Whole, Default: cty.Zero, Constraint: Constraint{Range: atLeast(0)}, Doc: doc}
	}
	return &Block{
		Type: "usage",
		Doc:  "The usage that the answer reports, in tokens.",
		Attributes: []Attribute{
			tokens("input", "Tokens of the request, cached ones included."),
			tokens("cached_input", "Tokens of the request that were cached; at most `input`."),
			tokens("output", "Tokens of the answer, reasoning included."),
			tokens("reasoning", "Tokens of reasoning; at most `output`."),
		},
	}
}
