package openai

import (
	"math"

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

// maxCount is what a larger counter becomes: the largest number that every reader
// of JSON holds exactly. Sums over a session do not overflow with it.
const maxCount = 1<<53 - 1

// count is a counter, between -maxCount and maxCount. ok is false for what is no
// whole number.
func count(v canon.Value) (n int64, ok bool) {
	if n, ok = v.Int(); !ok {
		f, number := v.Float()
		if !number || math.Abs(f) < maxCount {
			return 0, false
		}
		n, ok = int64(math.Copysign(maxCount, f)), true
	}
	return max(min(n, maxCount), -maxCount), ok
}

// usage makes the counters of all dialects disjoint: Input is what was neither read
// from the cache nor written into it. Output is everything the model wrote, Reasoning the part of it
// that was reasoning, as providers bill it. Counters that contradict each other
// never yield a negative number.
func usage(v canon.Value) msg.Usage {
	prompt, _ := count(v.Get("prompt_tokens"))
	completion, _ := count(v.Get("completion_tokens"))
	u := msg.Usage{Input: prompt, Output: completion}

	cached, ok := count(v.Get("prompt_tokens_details").Get("cached_tokens"))
	if !ok {
		cached, ok = count(v.Get("prompt_cache_hit_tokens")) // DeepSeek
	}
	if !ok {
		cached, ok = count(v.Get("cached_tokens")) // Moonshot
	}
	if ok {
		u.CacheRead = msg.Some(max(cached, 0))
		u.Input = prompt - max(cached, 0)
	}
	if written, ok := count(v.Get("prompt_tokens_details").Get("cache_write_tokens")); ok { // OpenRouter
		u.CacheWrite = msg.Some(max(written, 0))
		u.Input -= max(written, 0)
	}
	if miss, ok := count(v.Get("prompt_cache_miss_tokens")); ok { // DeepSeek
		u.Input = miss
	}
	if reasoning, ok := count(v.Get("completion_tokens_details").Get("reasoning_tokens")); ok {
		u.Reasoning = msg.Some(max(reasoning, 0))
		// xAI does not count reasoning as completion; its total gives it away.
		if total, _ := count(v.Get("total_tokens")); reasoning > 0 && total == prompt+completion+reasoning {
			u.Output = min(u.Output+reasoning, maxCount)
		}
	}
	u.Input, u.Output = max(min(u.Input, maxCount), 0), max(u.Output, 0)
	return u
}
