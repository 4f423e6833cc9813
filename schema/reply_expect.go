package schema

func replyExpect() *Block {
	return &Block{
		Type: "expect",
		Doc: "What the request has to hold, in its body as it was sent or in the text of its messages. At least one of `contains` and `matches` is written. " +
			"A request that does not hold all of it uses the reply up and fails with HTTP status 400 and the code `SCRIPT_EXPECTATION`, in a message that says what was expected.",
		Example: `expect {
  contains = "main.go"
  matches  = ["(?i)please", "\"role\":\"system\""]
}`,
		Attributes: []Attribute{
			{Name: "contains", Type: TextOrTexts, Constraint: Constraint{NotEmpty: true}, Doc: "Texts that the request contains."},
			{Name: "matches", Type: TextOrTexts, Constraint: Constraint{Format: Regexp, NotEmpty: true}, Doc: "Expressions that match somewhere in the request."},
		},
	}
}
