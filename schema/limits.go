package schema

import "github.com/zclconf/go-cty/cty"

func limits() *Block {
	return &Block{
		Type: "limits",
		Doc:  "Limits of a turn, and of what a session may cost. One that is reached ends the turn with its code, after every tool call has a result; only `tool_timeout` lets it go on.",
		Example: `limits {
  max_steps        = 64
  max_input_tokens = 500000
  max_cost         = 1.50
  turn_timeout     = "10m"
  tool_timeout     = "2m"
}`,
		Attributes: []Attribute{
			{
				Name: "max_steps", Type: Whole, Default: cty.NumberIntVal(64), Constraint: Constraint{Range: atLeast(1)},
				Doc: "Calls of the model in one turn. Code `MAX_STEPS`.",
			},
			{
				Name: "max_input_tokens", Type: Whole, Constraint: Constraint{Range: atLeast(1)}, Absence: "no limit",
				Doc: "Tokens of input, cached ones included, that the requests of one turn may take together. The provider's report counts, so the request that goes beyond is still answered; no further one is sent. Code `MAX_INPUT_TOKENS`.",
			},
			{
				Name: "max_cost", Type: Amount, Constraint: Constraint{Range: Range{Min: Bound{Set: true, Open: true}, Max: Bound{Set: true, Value: 1e9}}}, Absence: "no limit",
				Doc: "What the answers of one session may cost, in the currency of the model's `price`, which it needs. What a parent of the session paid does not count. The request that goes beyond is still answered; no further one is sent. An answer whose provider reports no usage ends the turn too, since its cost is unknown; one that was cancelled before its usage came does not count. Code `MAX_COST`.",
			},
			{
				Name: "turn_timeout", Type: Duration, Constraint: Constraint{Range: above(0)}, Absence: "no limit",
				Doc: "How long a turn may take, its hooks and tools included. What runs then is cancelled, and text that streamed is kept. Code `TURN_TIMEOUT`.",
			},
			{
				Name: "tool_timeout", Type: Duration, Default: cty.StringVal("2m"), Constraint: Constraint{Range: above(0)},
				Doc: "How long one call of a tool may take. The model reads an error result with code `TIMEOUT`.",
			},
		},
	}
}
