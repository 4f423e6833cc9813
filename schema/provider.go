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
				Name: "protocol", Type: Text, Required: true, Constraint: Constraint{OneOf: []string{"openai", "anthropic", "script", "replay"}},
				Doc: "How requests and answers are written: `openai` for chat completions, `anthropic` for messages, `script` for chat completions answered from a file, `replay` for the same answered from the log of a session.",
			},
			{
				Name: "dialect", Type: Text, Default: cty.StringVal("openai"), Constraint: Constraint{OneOf: []string{"openai", "deepseek"}},
				Doc: "Where servers of protocol `openai` differ: how limits are spelt, and where reasoning and cache counters stand. Protocol `anthropic` has no dialects.",
			},
			{
				Name: "base_url", Type: Text, Constraint: Constraint{Format: URL},
				Absence: "`https://api.openai.com/v1`, `https://api.deepseek.com` for dialect `deepseek`, or `https://api.anthropic.com` for protocol `anthropic`",
				Doc:     "The address in front of the protocol's paths, `/chat/completions` or `/v1/messages`, which the protocol adds itself. A configuration must be trusted before it reaches one, the default included.",
			},
			{
				Name: "api_key", Type: Secret, Sensitive: true,
				Doc: "The credential, usually `env.NAME`. It is resolved when the provider is first used, so checking and testing need no key. Null is no credential.",
			},
			{
				Name: "api_key_file", Type: Path,
				Doc: "A file that holds the credential, in place of `api_key`; white space at its end does not count. It may lie anywhere, is read for every request and is never shown.",
			},
			{
				Name: "api_key_command", Type: Command,
				Doc: "A program that prints the credential on its standard output, in place of `api_key`, such as `[\"pass\", \"show\", \"deepseek\"]`. It runs in the workspace when the provider is first used, gets `PATH`, `HOME`, `LANG`, `TERM` and `TMPDIR`, has 30 seconds, and is asked again after five minutes.",
			},
			{
				Name: "ca_file", Type: Path,
				Doc: "Certificates in PEM form that the provider's may be signed by, besides those that the machine trusts. It is read like every file of a configuration, so it lies below its folder, the workspace or a trusted path.",
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
		Blocks: []Child{{Block: retry(), Max: 1}, {Block: promptCache(), Max: 1}},
	}
}

func promptCache() *Block {
	return &Block{
		Type: "cache",
		Doc: "How long the provider's prompt cache is asked to keep what requests begin with: tools, system text, prefix and history each end in a breakpoint. " +
			"For protocol `anthropic` only; the others cache by themselves.",
		Example: `cache { ttl = "1h" }`,
		Attributes: []Attribute{{
			Name: "ttl", Type: Text, Default: cty.StringVal("5m"), Constraint: Constraint{OneOf: []string{"5m", "1h", "none"}},
			Doc: "The time after its last use. `1h` costs more to write, which the model's `cache_write` price should say. `none` sets no breakpoints, so nothing is cached. Changing it begins the cache anew.",
		}},
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
