package schema

import "github.com/zclconf/go-cty/cty"

func limits() *Block {
	return &Block{
		Type: "limits",
		Doc:  "Limits of a turn. A limit ends the turn with its code, after every tool call has a result.",
		Example: `limits {
  max_steps = 64
}`,
		Attributes: []Attribute{
			{
				Name: "max_steps", Type: Whole, Default: cty.NumberIntVal(64), Constraint: Constraint{Range: atLeast(1)},
				Doc: "Calls of the model in one turn.",
			},
		},
	}
}
