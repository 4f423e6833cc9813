package openai

import (
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
)

// readUsage takes the usage of a chunk; the last one counts. Some gateways send
// null or an empty object on the way.
func (d *decoder) readUsage(v canon.Value) {
	if v.Get("prompt_tokens").Exists() || v.Get("completion_tokens").Exists() {
		d.usage = msg.Some(usage(v))
	}
}

// usage makes the counters of all dialects disjoint: Input is what was neither read
// from the cache nor written into it. Output is everything the model wrote, Reasoning the part of it
// that was reasoning, as providers bill it. Counters that contradict each other
// never yield a negative number.
func usage(v canon.Value) msg.Usage {
	prompt, _ := exchange.Count(v.Get("prompt_tokens"))
	completion, _ := exchange.Count(v.Get("completion_tokens"))
	u := msg.Usage{Input: prompt, Output: completion}

	cached, ok := exchange.Count(v.Get("prompt_tokens_details").Get("cached_tokens"))
	if !ok {
		cached, ok = exchange.Count(v.Get("prompt_cache_hit_tokens")) // DeepSeek
	}
	if !ok {
		cached, ok = exchange.Count(v.Get("cached_tokens")) // Moonshot
	}
	if ok {
		u.CacheRead = msg.Some(max(cached, 0))
		u.Input = prompt - max(cached, 0)
	}
	if written, ok := exchange.Count(v.Get("prompt_tokens_details").Get("cache_write_tokens")); ok { // OpenRouter
		u.CacheWrite = msg.Some(max(written, 0))
		u.Input -= max(written, 0)
	}
	if miss, ok := exchange.Count(v.Get("prompt_cache_miss_tokens")); ok { // DeepSeek
		u.Input = miss
	}
	if reasoning, ok := exchange.Count(v.Get("completion_tokens_details").Get("reasoning_tokens")); ok {
		u.Reasoning = msg.Some(max(reasoning, 0))
		// xAI does not count reasoning as completion; its total gives it away.
		if total, _ := exchange.Count(v.Get("total_tokens")); reasoning > 0 && total == prompt+completion+reasoning {
			u.Output = min(u.Output+reasoning, exchange.MaxCount)
		}
	}
	u.Input, u.Output = max(min(u.Input, exchange.MaxCount), 0), max(u.Output, 0)
	return u
}
