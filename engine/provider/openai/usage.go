package openai

import (
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// readUsage takes the usage of a chunk; the last one counts. Some gateways send
// null or an empty object on the way.
func (d *decoder) readUsage(v canon.Value) {
	if v.Get("prompt_tokens").Exists() || v.Get("completion_tokens").Exists() {
		d.usage = msg.Some(usage(v))
	}
}

// usage makes the counters of all dialects disjoint: Input is what was not read
// from the cache. Output is everything the model wrote, Reasoning the part of it
// that was reasoning, as providers bill it. Counters that contradict each other
// never yield a negative number.
func usage(v canon.Value) msg.Usage {
	prompt, _ := v.Get("prompt_tokens").Int()
	completion, _ := v.Get("completion_tokens").Int()
	u := msg.Usage{Input: prompt, Output: completion}

	cached, ok := v.Get("prompt_tokens_details").Get("cached_tokens").Int()
	if !ok {
		cached, ok = v.Get("prompt_cache_hit_tokens").Int() // DeepSeek
	}
	if !ok {
		cached, ok = v.Get("cached_tokens").Int() // Moonshot
	}
	if ok {
		u.CacheRead = msg.Some(max(cached, 0))
		u.Input = prompt - max(cached, 0)
	}
	if miss, ok := v.Get("prompt_cache_miss_tokens").Int(); ok { // DeepSeek
		u.Input = miss
	}
	if reasoning, ok := v.Get("completion_tokens_details").Get("reasoning_tokens").Int(); ok {
		u.Reasoning = msg.Some(max(reasoning, 0))
		// xAI does not count reasoning as completion; its total gives it away.
		if total, _ := v.Get("total_tokens").Int(); reasoning > 0 && total == prompt+completion+reasoning {
			u.Output += reasoning
		}
	}
	u.Input, u.Output = max(u.Input, 0), max(u.Output, 0)
	return u
}
