package schema

import "github.com/zclconf/go-cty/cty"

func provider() *Block {
	return &Block{
		Type:   "provider",
		Labels: []Label{{Name: "NAME"}},
		Doc:    "Where a model is reached, and how. A `model` names its provider.",
		Example: `provider "deepseek" {
  protocol = "openai"
  dialect  = "deepseek"
  base_url = "https://api.deepseek.com"
  api_key  = env.DEEPSEEK_API_KEY
}`,
		Attributes: []Attribute{
			{
				Name: "protocol", Type: Text, Required: true, Constraint: Constraint{OneOf: []string{"openai", "script"}},
				Doc: "How requests and answers are written: `openai` for chat completions, `script` for the same protocol answered from a file.",
			},
			{
				Name: "dialect", Type: Text, Default: cty.StringVal("openai"), Constraint: Constraint{OneOf: []string{"openai", "deepseek"}},
				Doc: "Where servers of one protocol differ: how limits are spelt, and where reasoning and cache counters stand.",
			},
			{
				Name: "base_url", Type: Text, Constraint: Constraint{Format: URL},
				Absence: "`https://api.openai.com/v1`, or `https://api.deepseek.com` for dialect `deepseek`",
				Doc:     "The address in front of the protocol's paths, such as `/chat/completions`, which the protocol adds itself. A configuration must be trusted before it reaches one, the default included.",
			},
			{
				Name: "api_key", Type: Secret, Sensitive: true,
				Doc: "The credential, usually `env.NAME`. It is resolved when the provider is first used, so checking and testing need no key. Null is no credential.",
			},
			{
				Name: "headers", Type: Secrets, Sensitive: true,
				Doc: "HTTP headers of every request, by name. Values are resolved like `api_key`, and none is null.",
			},
			{
				Name: "timeout", Type: Duration, Default: cty.StringVal("5m"), Constraint: Constraint{Range: above(0)},
				Doc: "How long the beginning of an answer may take.",
			},
			{
				Name: "idle_timeout", Type: Duration, Default: cty.StringVal("2m"), Constraint: Constraint{Range: above(0)},
				Doc: "How long an answer may pause.",
			},
			{
				Name: "script", Type: Path,
				Doc: "The file of a scripted model; written for protocol `script`, and only there.",
			},
		},
		Blocks: []Child{{Block: retry(), Max: 1}},
	}
}

func retry() *Block {
	return &Block{
		Type: "retry",
		Doc: "When a request that failed is sent again. It is where no answer began and the failure may pass: no connection, no beginning of an answer in time, " +
			"or one of the statuses 408, 429, 500, 502, 503, 504 and 529. Every attempt is in the log.",
		Example: `retry {
  attempts  = 5
  min_delay = "2s"
  max_delay = "2m"
}`,
		Attributes: []Attribute{
			{
				Name: "attempts", Type: Whole, Default: cty.NumberIntVal(3), Constraint: Constraint{Range: Range{Min: Bound{Set: true, Value: 1}, Max: Bound{Set: true, Value: 20}}},
				Doc: "How often a request is sent at most; 1 never sends one again.",
			},
			{
				Name: "min_delay", Type: Duration, Default: cty.StringVal("1s"), Constraint: Constraint{Range: above(0)},
				Doc: "The pause before the second attempt. It doubles with each further one, and a random part of up to a half is taken off.",
			},
			{
				Name: "max_delay", Type: Duration, Default: cty.StringVal("1m"), Constraint: Constraint{Range: above(0)},
				Doc: "The longest pause; not less than `min_delay`. A provider that says how long to wait (`Retry-After`) is waited for so long; when that is longer than `max_delay`, the request fails at once.",
			},
		},
	}
}
