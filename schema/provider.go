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
				Name: "protocol", Type: Text, Required: true, Constraint: Constraint{OneOf: []string{"openai", "script", "replay"}},
				Doc: "How requests and answers are written: `openai` for chat completions, `script` for the same protocol answered from a file, `replay` for the same answered from the log of a session.",
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
			{
				Name: "log", Type: Path,
				Doc: "The log of a session whose answers are given again, as `dsh sessions export --exact` writes it; written for protocol `replay`, and only there. A request that is not the recorded one fails with the first byte that differs, code `REPLAY_DIFFERS`; nothing is asked of a network.",
			},
		},
	}
}
