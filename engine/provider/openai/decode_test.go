package openai

import (
	"errors"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
)

// TestUsage: the counters of every dialect become disjoint ones.
func TestUsage(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", `{"prompt_tokens":10,"completion_tokens":3}`, `{"inputTokens":10,"outputTokens":3}`},
		{"OpenAI", `{"prompt_tokens":100,"completion_tokens":30,"total_tokens":130,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":20}}`,
			`{"inputTokens":36,"outputTokens":30,"cacheReadTokens":64,"reasoningTokens":20}`},
		{"nothing cached", `{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":null}`,
			`{"inputTokens":10,"outputTokens":3,"cacheReadTokens":0}`},
		{"DeepSeek", `{"prompt_tokens":100,"completion_tokens":3,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`, `{"inputTokens":36,"outputTokens":3,"cacheReadTokens":64}`},
		{"only a miss", `{"prompt_tokens":100,"completion_tokens":3,"prompt_cache_miss_tokens":36}`, `{"inputTokens":36,"outputTokens":3}`},
		{"Moonshot", `{"prompt_tokens":100,"completion_tokens":3,"cached_tokens":60}`, `{"inputTokens":40,"outputTokens":3,"cacheReadTokens":60}`},
		{"OpenRouter", `{"prompt_tokens":194,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":100,"audio_tokens":0}}`,
			`{"inputTokens":94,"outputTokens":2,"cacheReadTokens":0,"cacheWriteTokens":100}`},
		{"read and written", `{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":6,"cache_write_tokens":3}}`, `{"inputTokens":1,"outputTokens":0,"cacheReadTokens":6,"cacheWriteTokens":3}`},
		{"more written than there is", `{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":6,"cache_write_tokens":30}}`, `{"inputTokens":0,"outputTokens":0,"cacheReadTokens":6,"cacheWriteTokens":30}`},
		{"negative writing", `{"prompt_tokens":10,"prompt_tokens_details":{"cache_write_tokens":-1}}`, `{"inputTokens":10,"outputTokens":0,"cacheWriteTokens":0}`},
		{"xAI", `{"prompt_tokens":10,"completion_tokens":3,"total_tokens":20,"completion_tokens_details":{"reasoning_tokens":7}}`,
			`{"inputTokens":10,"outputTokens":10,"reasoningTokens":7}`},
		{"contradictions", `{"prompt_tokens":10,"completion_tokens":-3,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":-1}}`,
			`{"inputTokens":0,"outputTokens":0,"cacheReadTokens":64,"reasoningTokens":0}`},
		{"negative cache", `{"prompt_tokens":10,"cached_tokens":-5}`, `{"inputTokens":10,"outputTokens":0,"cacheReadTokens":0}`},
		{"huge", `{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807,"prompt_tokens_details":{"cached_tokens":-9223372036854775808},"completion_tokens_details":{"reasoning_tokens":9223372036854775807},"total_tokens":-3}`,
			`{"inputTokens":9007199254740991,"outputTokens":9007199254740991,"cacheReadTokens":0,"reasoningTokens":9007199254740991}`},
		{"huge reasoning beside", `{"prompt_tokens":1,"completion_tokens":9007199254740990,"total_tokens":9007199254740991,"completion_tokens_details":{"reasoning_tokens":9007199254740991}}`,
			`{"inputTokens":1,"outputTokens":9007199254740990,"reasoningTokens":9007199254740991}`},
		{"beyond all", `{"prompt_tokens":1e300,"completion_tokens":99999999999999999999,"prompt_cache_miss_tokens":9223372036854775808}`, `{"inputTokens":9007199254740991,"outputTokens":9007199254740991}`},
		{"no integers", `{"prompt_tokens":"10","completion_tokens":1.5}`, `{"inputTokens":0,"outputTokens":0}`},
	}
	for _, test := range tests {
		v, err := canon.Parse(test.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := usage(v).Raw(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// TestChunks: shapes that no captured stream shows.
func TestChunks(t *testing.T) {
	const start = `{"type":"block-start","index":0,"blockType":"text"}` + "\n"
	text := func(i, s string) string { return `{"type":"text-delta","index":` + i + `,"text":"` + s + `"}` + "\n" }
	finish := func(kind string) string { return `{"type":"finish","reason":{"kind":"` + kind + `"}}` + "\n" }
	tests := []struct {
		name string
		in   []string
		want string
	}{
		{"a second choice is not asked for", []string{`{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"},{"index":0,"delta":{"content":"a"}}]}`},
			start + text("0", "a") + finish("stop")},
		{"usage in the choice", []string{`{"choices":[{"usage":{"prompt_tokens":3},"delta":{}}]}`},
			`{"type":"usage","usage":{"inputTokens":3,"outputTokens":0}}` + "\n" + finish("stop")},
		{"the last usage counts, null and nothing do not", []string{`{"usage":{"prompt_tokens":3}}`, `{"usage":{"prompt_tokens":4}}`, `{"usage":null}`, `{"usage":{}}`},
			`{"type":"usage","usage":{"inputTokens":4,"outputTokens":0}}` + "\n" + finish("stop")},
		{"content in parts", []string{`{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`},
			start + text("0", "a") + text("0", "b") + finish("stop")},
		{"refusal", []string{`{"choices":[{"delta":{"refusal":"I will not"}}]}`}, start + text("0", "I will not") + finish("stop")},
		{"text around a call", []string{
			`{"choices":[{"delta":{"content":"a","tool_calls":[{"index":0,"id":"c","function":{"name":"n"}}]}}]}`,
			`{"choices":[{"delta":{"content":"b","tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}`,
			`{"choices":[{"delta":{"content":"c"}}]}`},
			start + text("0", "a") + `{"type":"block-start","index":1,"blockType":"tool-call"}` + "\n" +
				`{"type":"tool-call-delta","index":1,"id":"c","name":"n","argumentsDelta":""}` + "\n" +
				`{"type":"block-start","index":2,"blockType":"text"}` + "\n" + text("2", "b") +
				`{"type":"tool-call-delta","index":1,"id":"c","argumentsDelta":"{}"}` + "\n" +
				`{"type":"block-start","index":3,"blockType":"text"}` + "\n" + text("3", "c") + finish("tool-calls")},
		{"name and id again and late", []string{
			`{"choices":[{"delta":{"tool_calls":[{"index":2}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":2,"id":"c"}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":2,"id":"c","function":{"name":"n","arguments":"1"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":2,"id":"c","function":{"name":"n","arguments":""}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":2,"id":"other","function":{"arguments":"2"}}]}}]}`},
			`{"type":"block-start","index":0,"blockType":"tool-call"}` + "\n" + `{"type":"tool-call-delta","index":0,"id":"","argumentsDelta":""}` + "\n" +
				`{"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":""}` + "\n" + `{"type":"tool-call-delta","index":0,"id":"c","name":"n","argumentsDelta":"1"}` + "\n" +
				`{"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":"2"}` + "\n" + finish("tool-calls")},
		{"no reason", []string{`{"choices":[{"delta":{},"finish_reason":null}]}`}, finish("stop")},
		{"unknown reason", []string{`{"choices":[{"delta":{},"finish_reason":"eos"}]}`}, finish("stop")},
		{"function_call", []string{`{"choices":[{"delta":{},"finish_reason":"function_call"}]}`}, finish("tool-calls")},
		{"length with calls", []string{`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"n"}}]},"finish_reason":"length"}]}`},
			`{"type":"block-start","index":0,"blockType":"tool-call"}` + "\n" + `{"type":"tool-call-delta","index":0,"id":"c","name":"n","argumentsDelta":""}` + "\n" + finish("max-tokens")},
		{"broken off", []string{`{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}`},
			`{"type":"finish","reason":{"kind":"error","message":"h/v1: the provider broke the answer off (insufficient_system_resource)","code":"PROVIDER_UNAVAILABLE"}}` + "\n"},
		{"no error", []string{`{"error":null,"choices":[]}`}, finish("stop")},
	}
	for _, test := range tests {
		var got strings.Builder
		d := decoder{Failure: &exchange.Failure{Endpoint: "h/v1"}, emit: func(c msg.Chunk) error { got.WriteString(c.Raw() + "\n"); return nil }}
		for _, in := range test.in {
			v, err := canon.Parse(in)
			if err == nil {
				err = d.chunk(v, false)
			}
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		if err := d.Finish(); err != nil || got.String() != test.want {
			t.Errorf("%s: %v\ngot\n%s\nwant\n%s", test.name, err, got.String(), test.want)
		}
	}
}

// TestEmitEnds: a consumer that leaves ends the decoding at any chunk.
func TestEmitEnds(t *testing.T) {
	v, err := canon.Parse(`{"usage":{"prompt_tokens":1},"choices":[{"delta":{"reasoning":"r","content":[{"text":"a"},{"text":"b"}],"refusal":"c","tool_calls":[{"id":"c"}]}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	leave := errors.New("leave")
	for n := range 11 {
		left := n
		d := decoder{Failure: &exchange.Failure{}, emit: func(msg.Chunk) error {
			if left--; left < 0 {
				return leave
			}
			return nil
		}}
		err := d.chunk(v, false)
		if err == nil {
			err = d.Finish()
		}
		if left == -1 && err != leave || left >= 0 && err != nil || left < -1 {
			t.Errorf("after %d chunks: %v, %d left", n, err, left)
		}
	}
}
