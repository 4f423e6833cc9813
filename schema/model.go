package schema

func model() *Block {
	return &Block{
		Type:   "model",
		Labels: []Label{{Name: "NAME"}},
		Doc:    "A model of a provider with the settings of its calls. An `agent` names its model.",
		Example: `model "chat" {
  provider          = provider.deepseek
  id                = "deepseek-chat"
  context_window    = 131072
  max_output_tokens = 8192
}`,
		Attributes: []Attribute{
			{Name: "provider", Type: Reference, Refers: "provider", Required: true, Doc: "The provider that serves the model."},
			{
				Name: "id", Type: Text, Required: true, Constraint: Constraint{NotEmpty: true},
				Doc: "The name by which the provider knows the model.",
			},
			{
				Name: "context_window", Type: Whole, Constraint: Constraint{Range: atLeast(1)}, Absence: "unknown",
				Doc: "How many tokens a request and its answer may have together.",
			},
			{
				Name: "max_output_tokens", Type: Whole, Constraint: Constraint{Range: atLeast(1)}, Absence: "the provider's limit",
				Doc: "How many tokens an answer may have; less than `context_window`.",
			},
			{
				Name: "temperature", Type: Number, Constraint: Constraint{Range: within(0, 2)}, Absence: "the provider's default",
				Doc: "How freely the model chooses among likely words.",
			},
			{
				Name: "top_p", Type: Number, Constraint: Constraint{Range: Range{Min: Bound{Set: true, Open: true}, Max: Bound{Set: true, Value: 1}}},
				Absence: "the provider's default",
				Doc:     "The share of likely words among which the model chooses.",
			},
			{
				Name: "stop", Type: Texts, Constraint: Constraint{NotEmpty: true},
				Doc: "Texts at which the model stops; none of them empty.",
			},
		},
	}
}
