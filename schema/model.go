package schema

import "github.com/zclconf/go-cty/cty"

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

  price {
    input        = 0.27
    cached_input = 0.07
    output       = 1.10
  }
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
				Doc: "How many tokens an answer may have; less than `context_window`. Protocol `anthropic` requires it.",
			},
			{
				Name: "tokenizer", Type: Path, Absence: "an estimate",
				Doc: "How tokens are counted before a provider has counted them. `\"o200k\"` and `\"cl100k\"` count the text exactly; `\"deepseek\"` is an estimate for that family. " +
					"Anything else is the path of a `tokenizer.json` that counts exactly: byte level BPE, below the configuration folder, the workspace and trusted paths. " +
					"Without it, tokens are estimated for `deepseek` with a provider of that dialect, and for `o200k` otherwise. " +
					"What a provider reports corrects the count in any case.",
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
			{
				Name: "thinking", Type: Text, Constraint: Constraint{OneOf: []string{"adaptive"}}, Absence: "the provider's default",
				Doc: "Whether a model of protocol `anthropic` thinks before it answers: `adaptive` leaves it to the model how much. Its thoughts are kept in the log and returned with their signature.",
			},
			{
				Name: "thinking_tokens", Type: Whole, Constraint: Constraint{Range: atLeast(1024)}, Absence: "no budget",
				Doc: "A budget of tokens to think with, for models of protocol `anthropic` that want one in place of `thinking`; less than `max_output_tokens`.",
			},
		},
		Blocks: []Child{{Block: price(), Max: 1}},
	}
}

// Tokenizers are the names of tokenizers that need no file.
func Tokenizers() []string { return []string{"o200k", "cl100k", "deepseek"} }

func price() *Block {
	amount := func(name, absence, doc string) Attribute {
		return Attribute{Name: name, Type: Amount, Required: absence == "", Absence: absence, Constraint: Constraint{Range: within(0, 1e9)}, Doc: doc}
	}
	return &Block{
		Type: "price",
		Doc: "What a million tokens cost. The log then says of every answer what it cost, at the price of that day and with the usage that the provider reported, " +
			"and `max_cost` can bound a session. A fraction of a billionth of the currency's unit counts as a whole one.",
		Example: `price {
  input        = 0.27
  cached_input = 0.07
  output       = 1.10
  currency     = "USD"
  as_of        = "2026-11-30"
}`,
		Attributes: []Attribute{
			amount("input", "", "Tokens of a request that the provider did not have in its cache."),
			amount("cached_input", "the price of `input`", "Tokens of a request that the provider read from its cache."),
			amount("cache_write", "the price of `input`", "Tokens of a request that the provider wrote into its cache and reports apart."),
			amount("output", "", "Tokens of an answer, reasoning included."),
			{
				Name: "currency", Type: Text, Default: cty.StringVal("USD"), Constraint: Constraint{Format: Currency},
				Doc: "The currency of the prices.",
			},
			{
				Name: "as_of", Type: Text, Constraint: Constraint{Format: Date},
				Doc: "The day on which the prices were looked up, for those who read the configuration.",
			},
		},
	}
}
