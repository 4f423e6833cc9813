package schema

import "github.com/zclconf/go-cty/cty"

func replyError() *Block {
	return &Block{
		Type: "error",
		Doc:  "The answer is an HTTP error. A reply with it has nothing else besides `delay` and `expect`.",
		Example: `error {
  status  = 429
  message = "slow down"
}`,
		Attributes: []Attribute{
			{Name: "status", Type: Whole, Default: cty.NumberIntVal(500), Constraint: Constraint{Range: within(400, 599)}, Doc: "The HTTP status."},
			{Name: "code", Type: Text, Doc: "The provider's code for the error."},
			{Name: "message", Type: Text, Doc: "The provider's message."},
			{
				Name: "retry_after", Type: Duration, Constraint: Constraint{Range: above(0)}, Absence: "no word about it",
				Doc: "When to ask again, sent as the header `Retry-After` in whole seconds, rounded up.",
			},
		},
	}
}
