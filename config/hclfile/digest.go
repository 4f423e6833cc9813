package hclfile

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/dsh-hcl/dsh/config"
)

// digest identifies an evaluated agent: the SHA-256, in lower-case hex, of the
// canonical JSON of the agent, its hooks, tools and its contributors in order, its model
// and its provider, and those of its summaries. Its compaction counts as it is for
// that model: in tokens, and without the policies for others.
//
// Secrets are null, and only the names of headers and variables are in it. Paths
// are relative to the configuration or the workspace, so another checkout has the
// same digest unless the configuration itself puts an absolute path into a text. A
// template file counts with the digest of its source and its vars, inline content
// as it was evaluated; the contents of files, of programs and of the script do not
// count, since they are facts of a session and not of the configuration.
func (l *loader) digest(a *config.Agent, m *config.Model, p *config.Provider, cfg *config.Config, contributors []string) string {
	var o object
	o.text("agent", a.Name)
	o.text("description", a.Description.V)
	o.truth("log_chunks", a.LogChunks.V)
	o.text("log_title", a.LogTitle.V)
	o.whole("max_steps", a.MaxSteps.V)
	o.whole("max_input_tokens", a.MaxInputTokens.V)
	if a.MaxCost.Set {
		o.whole("max_cost", int(a.MaxCost.V))
	}
	o.text("turn_timeout", a.TurnTimeout.V.String())
	o.text("tool_timeout", a.ToolTimeout.V.String())
	if r := a.References; r != nil {
		var refs object
		refs.whole("max_references", r.MaxReferences.V)
		refs.whole("max_reference_bytes", r.MaxReferenceBytes.V)
		refs.whole("max_total_bytes", r.MaxTotalBytes.V)
		refs.whole("candidate_limit", r.CandidateLimit.V)
		if r.Allow.Set {
			refs.raw("allow", texts(r.Allow.V))
		}
		refs.raw("deny", texts(r.Deny.V))
		o.raw("references", refs.end())
	}
	if c := a.Compaction; c != nil {
		o.raw("compaction", l.compactionDigest(c, cfg))
	}
	o.raw("hooks", array(l.hookDigests(a, cfg)))
	if len(a.Tools) > 0 {
		o.raw("tools", array(l.toolDigests(a, cfg)))
	}
	if a.Permissions != nil {
		o.raw("permissions", permissionsDigest(a.Permissions))
	}
	if a.MaxTokens.Set {
		o.whole("max_tokens", a.MaxTokens.V)
	}
	o.text("on_resume", a.OnResume.V)
	o.text("on_fork", a.OnFork.V)
	o.raw("contributors", array(contributors))
	o.raw("model", l.modelDigest(m))
	if p != nil {
		o.raw("provider", l.providerDigest(p))
	}
	sum := sha256.Sum256([]byte(o.end()))
	return hex.EncodeToString(sum[:])
}

func (l *loader) compactionDigest(c *config.Compaction, cfg *config.Config) string {
	var o object
	o.whole("threshold", c.Threshold.V)
	o.whole("retain", c.Retain.V)
	o.truth("auto", c.Auto.V)
	o.whole("retries", c.Retries.V)
	o.whole("max_overflow_retries", c.MaxOverflowRetries.V)
	o.raw("min_gain", c.MinGain.V)
	var summary object
	if m, ok := cfg.Model(c.Summary.Model.V); ok {
		summary.raw("model", l.modelDigest(m))
		if p, ok := cfg.Provider(m.Provider); ok {
			summary.raw("provider", l.providerDigest(p))
		}
	}
	summary.whole("max_tokens", c.Summary.MaxTokens.V)
	summary.whole("retries", c.Summary.Retries.V)
	summary.text("prompt", c.Summary.Prompt.V)
	o.raw("summary", summary.end())
	if p := c.Prune; p != nil {
		var prune object
		prune.whole("threshold", p.Threshold.V)
		prune.whole("head", p.Head.V)
		prune.whole("tail", p.Tail.V)
		o.raw("prune", prune.end())
	}
	return o.end()
}

func (l *loader) modelDigest(m *config.Model) string {
	var o object
	o.text("name", m.Name)
	o.text("id", m.ID.V)
	o.whole("context_window", m.ContextWindow.V)
	o.whole("max_output_tokens", m.MaxOutputTokens.V)
	if t := m.Tokenizer; t.Set && filepath.IsAbs(t.V) {
		o.text("tokenizer", l.origin(t.V))
	} else if t.Set {
		o.text("tokenizer", t.V)
	}
	if m.Temperature.Set {
		o.raw("temperature", m.Temperature.V)
	}
	if m.TopP.Set {
		o.raw("top_p", m.TopP.V)
	}
	if m.Stop.Set {
		o.raw("stop", texts(m.Stop.V))
	}
	if m.Thinking.Set {
		o.text("thinking", m.Thinking.V)
	}
	if m.ThinkingTokens.Set {
		o.whole("thinking_tokens", m.ThinkingTokens.V)
	}
	if p := m.Price; p != nil {
		o.raw("price", priceDigest(p))
	}
	return o.end()
}

func priceDigest(p *config.Price) string {
	var o object
	o.whole("input", int(p.Input))
	o.whole("cached_input", int(p.CachedInput))
	o.whole("cache_write", int(p.CacheWrite))
	o.whole("output", int(p.Output))
	o.text("currency", p.Currency)
	o.text("as_of", p.AsOf)
	return o.end()
}

func (l *loader) providerDigest(p *config.Provider) string {
	var o object
	o.text("name", p.Name)
	o.text("protocol", p.Protocol.V)
	o.text("dialect", p.Dialect.V)
	o.text("base_url", p.BaseURL.V)
	if p.APIKey.IsSet() {
		o.raw("api_key", "null")
	}
	if p.APIKeyFile.Set || len(p.APIKeyCommand.V) > 0 {
		o.raw("api_key", "null") // where it comes from is the machine's business
	}
	if p.CA.Set {
		sum := sha256.Sum256([]byte(p.CA.V))
		o.text("ca", hex.EncodeToString(sum[:]))
	}
	var headers object
	for _, h := range p.Headers {
		headers.raw(h.Name, "null")
	}
	o.raw("headers", headers.end())
	o.text("timeout", p.Timeout.V.String())
	o.text("idle_timeout", p.IdleTimeout.V.String())
	var retry object
	retry.whole("attempts", p.Retry.Attempts.V)
	retry.text("min_delay", p.Retry.MinDelay.V.String())
	retry.text("max_delay", p.Retry.MaxDelay.V.String())
	o.raw("retry", retry.end())
	if p.CacheTTL.V != "" {
		o.text("cache_ttl", p.CacheTTL.V)
	}
	if p.Log.Set {
		o.text("log", l.origin(p.Log.V))
	}
	if p.Script.Set {
		o.text("script", l.origin(p.Script.V))
	}
	return o.end()
}

func texts(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = quoted(v)
	}
	return array(out)
}
