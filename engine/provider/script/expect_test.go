package script_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/script"
)

// conversation has a text that its body spells otherwise, and a part of every kind.
const conversation = `{"model":"m","messages":[{"role":"system","content":"Never <push>."},{"role":"user","content":[{"type":"text","text":"Say "},{"type":"text","text":"\"hi\"\nnow"}]},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]},{"role":"tool","tool_call_id":"c","content":"none"}],"stream":true}`

// TestExpect: an expectation is held against the body as it was sent and against
// what the model reads.
func TestExpect(t *testing.T) {
	const said = `; the last message of the user is "Say \"hi\"\nnow" (SCRIPT_EXPECTATION)`
	matches := func(list ...string) script.Expect {
		var e script.Expect
		for _, s := range list {
			e.Matches = append(e.Matches, regexp.MustCompile(s))
		}
		return e
	}
	long := strings.Repeat("x", 119) + "é"
	for _, test := range []struct {
		expect  script.Expect
		request string
		want    string // end of the error, "" when the expectation is met
	}{
		{script.Expect{}, conversation, ""},
		{script.Expect{Contains: []string{"Say \"hi\"\nnow", "Never <push>."}}, conversation, ""},
		{script.Expect{Contains: []string{`"role":"system"`, `\"hi\"\nnow`}}, conversation, ""},
		{script.Expect{Contains: []string{`{"path":"a.go"}`, "none"}}, conversation, ""},
		{matches(`(?m)^now$`, `"role":"tool"`, `^Never`, `^\{"model":"m"`), conversation, ""},
		{script.Expect{Contains: []string{"hi", "ho"}}, conversation, `reply 1 expects a request that contains "ho"` + said},
		{script.Expect{Contains: []string{"bye"}, Matches: matches(`x`).Matches}, conversation, `reply 1 expects a request that contains "bye"` + said},
		{matches(`^hi`), conversation, `reply 1 expects a request that matches "^hi"` + said},
		{matches(`a`), withUsage, ""},
		{matches(`z`), withUsage, `reply 1 expects a request that matches "z"; the request has no message of the user (SCRIPT_EXPECTATION)`},
		{script.Expect{Contains: []string{long}}, strings.Replace(conversation, "none", "none\"},{\"role\":\"user\",\"content\":\""+strings.Repeat("y", 200), 1),
			`that contains "` + strings.Repeat("x", 119) + `"…; the last message of the user is "` + strings.Repeat("y", 120) + `"… (SCRIPT_EXPECTATION)`},
	} {
		tr := script.New(script.Options{Replies: []script.Reply{{Text: "yes", Expect: &test.expect, Delay: time.Nanosecond}, {Text: "second"}}, Source: "model.hcl"})
		a, _, err := ask(t.Context(), tr, test.request)
		switch {
		case test.want == "" && (err != nil || a.Partial().Text() != "yes"):
			t.Errorf("%+v: %v", test.expect, err)
		case test.want != "" && (msg.CodeOf(err) != provider.CodeInvalidRequest || !strings.HasSuffix(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), "script/v1/chat/completions: HTTP 400 Bad Request: model.hcl: reply 1 expects ")):
			t.Errorf("%+v: %s %v\nwant %s", test.expect, msg.CodeOf(err), err, test.want)
		}
		if a, _, err := ask(t.Context(), tr, withUsage); err != nil || a.Partial().Text() != "second" {
			t.Errorf("the reply was not used up: %q %v", a.Partial().Text(), err)
		}
	}
	tr := script.New(script.Options{Default: &script.Reply{Error: &script.Error{Status: 429}, Expect: &script.Expect{Contains: []string{"stream"}}}})
	if _, _, err := ask(t.Context(), tr, noStream); err == nil || !strings.Contains(err.Error(), `400 Bad Request: the script: the default reply expects a request that contains "stream"`) {
		t.Error(err)
	}
	if _, _, err := ask(t.Context(), tr, withUsage); msg.CodeOf(err) != provider.CodeRateLimited {
		t.Error(err)
	}
}

// TestRetryAfter: the header is in whole seconds and never too early.
func TestRetryAfter(t *testing.T) {
	for after, want := range map[time.Duration]string{0: "", 1: "1", time.Second: "1", 1500 * time.Millisecond: "2", 2 * time.Minute: "120", 1<<63 - 1: "9223372037"} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://script/v1/chat/completions", strings.NewReader(withUsage))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := script.New(script.Options{Default: &script.Reply{Error: &script.Error{RetryAfter: after}}}).RoundTrip(req)
		if err != nil || resp.StatusCode != 500 || resp.Header.Get("Retry-After") != want {
			t.Errorf("%s: %v %v, want %q", after, resp.Header, err, want)
		}
		resp.Body.Close()
	}
}

// TestEarlier: what earlier runs sent is in the cache until its time is over.
func TestEarlier(t *testing.T) {
	body := `{"stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"` + strings.Repeat("x", 256) + `"}]}`
	rules, _ := script.RulesOf("deepseek")
	start := time.Unix(0, 0)
	for after, want := range map[time.Duration]int64{time.Hour: 64, 24 * time.Hour: 0} {
		tr := script.New(script.Options{Default: &script.Reply{}, Cache: rules, Now: func() time.Time { return start.Add(after) },
			Earlier: []script.Earlier{{Body: []byte("{"), At: start}, {Body: []byte(body), At: start}}})
		a, _, err := ask(t.Context(), tr, body)
		if u, _ := a.Usage().Get(); err != nil || u.CacheRead.Or(0) != want || len(tr.Requests()) != 1 {
			t.Errorf("after %s: %s %v", after, u.Raw(), err)
		}
	}
}

// TestCached: what the cache says comes out of the real client, unless the reply
// has a usage of its own.
func TestCached(t *testing.T) {
	system := strings.Repeat("s", 4096)
	request := func(users ...string) string {
		body := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"` + system + `"}`
		for _, u := range users {
			body += fmt.Sprintf(`,{"role":"user","content":%q}`, u)
		}
		return body + "]}"
	}
	usage := func(total, cached, written int64) string {
		u := msg.Usage{Input: total - cached - written}
		if cached > 0 {
			u.CacheRead = msg.Some(cached)
		}
		if written > 0 {
			u.CacheWrite = msg.Some(written)
		}
		return u.Raw()
	}
	const m = time.Minute
	fixed := &script.Usage{Input: 1, CachedInput: 2, CacheWrite: 3}
	type step struct {
		at      time.Duration
		reply   script.Reply
		request string
		want    string
	}
	first, second := request("one"), request("one", "two") // 4239 and 4271 bytes, of which the prompts are 4157 and 4188
	for name, steps := range map[string][]step{
		"deepseek":  {{0, script.Reply{}, first, usage(1060, 0, 0)}, {0, script.Reply{}, second, usage(1068, 1024, 0)}, {24 * time.Hour, script.Reply{}, second, usage(1068, 0, 0)}},
		"openai":    {{0, script.Reply{}, first, usage(1060, 0, 0)}, {4 * m, script.Reply{}, second, usage(1068, 1024, 0)}, {8 * m, script.Reply{}, first, usage(1060, 1024, 0)}, {13 * m, script.Reply{}, first, usage(1060, 0, 0)}},
		"anthropic": {{0, script.Reply{}, first, usage(1060, 0, 1040)}, {4 * m, script.Reply{}, second, usage(1068, 1040, 7)}, {9 * m, script.Reply{}, second, usage(1068, 0, 1047)}},
		"none":      {{0, script.Reply{}, first, usage(1060, 0, 0)}, {0, script.Reply{}, second, usage(1068, 0, 0)}},
		// A usage that is written goes out as it is, and its prompt was read all the same.
		"own": {{0, script.Reply{Usage: fixed}, first, usage(6, 2, 3)}, {0, script.Reply{Usage: fixed}, first, usage(6, 2, 3)}, {0, script.Reply{}, first, usage(1060, 1024, 0)}},
		// No model reads what is refused.
		"refused": {{0, script.Reply{Error: &script.Error{}}, first, ""}, {0, script.Reply{Expect: &script.Expect{Contains: []string{"three"}}}, first, ""}, {0, script.Reply{}, first, usage(1060, 0, 0)}},
	} {
		rules, ok := script.RulesOf(name)
		if !ok {
			rules, _ = script.RulesOf("deepseek")
		}
		var at time.Duration
		opt := script.Options{Cache: rules, Now: func() time.Time { return time.Unix(0, 0).Add(at) }}
		for _, s := range steps {
			opt.Replies = append(opt.Replies, s.reply)
		}
		tr := script.New(opt)
		for i, s := range steps {
			at = s.at
			got := ""
			if a, _, err := ask(t.Context(), tr, s.request); err == nil {
				u, _ := a.Usage().Get()
				got = u.Raw()
			}
			if got != s.want {
				t.Errorf("%s, request %d: %s, want %s", name, i+1, got, s.want)
			}
		}
	}
}
