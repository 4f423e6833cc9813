package cli_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/provider/script"
	"github.com/dsh-hcl/dsh/schema"
)

// TestCacheNumbers: the reference of the language states the numbers of the rules.
func TestCacheNumbers(t *testing.T) {
	child, _ := schema.Script().Child("cache")
	names, _ := child.Block.Attribute("rules")
	rules := map[string]script.Rules{}
	for _, name := range names.Constraint.OneOf {
		r, ok := script.RulesOf(name)
		if !ok {
			t.Errorf("there are no rules %q", name)
		}
		rules[name] = r
	}
	d, o, a := rules["deepseek"], rules["openai"], rules["anthropic"]
	if a.Minimum != o.Minimum || a.TTL != o.TTL {
		t.Errorf("openai and anthropic differ: %+v %+v", o, a)
	}
	for name, want := range map[string]string{
		"unit":    fmt.Sprintf("%d with `deepseek`, %d with `openai`", d.Unit, o.Unit),
		"minimum": fmt.Sprintf("%d with `deepseek`, %d with `openai` and `anthropic`", d.Minimum, o.Minimum),
		"ttl":     fmt.Sprintf("%gh with `deepseek`, %gm with `openai` and `anthropic`", d.TTL.Hours(), o.TTL.Minutes()),
	} {
		if a, _ := child.Block.Attribute(name); a.Absence != want {
			t.Errorf("%s: %q, want %q", name, a.Absence, want)
		}
	}
}

// TestScriptedCache: a model file changes single numbers of the rules it names.
func TestScriptedCache(t *testing.T) {
	const body = `{"messages":[{"role":"user","content":"aaaaaaaaaaaaaaaa"}]}` // a prompt of 44 bytes
	for _, test := range []struct {
		cache config.ScriptCache
		after time.Duration
		want  string // in the second answer, "" for nothing cached
	}{
		{config.ScriptCache{Rules: "deepseek"}, 0, ""},
		{config.ScriptCache{Rules: "deepseek", Unit: 4, Minimum: 8}, 0, `{"cached_tokens":8}`},
		{config.ScriptCache{Rules: "deepseek", Unit: 4, Minimum: 9}, 0, ""},
		{config.ScriptCache{Rules: "openai", Unit: 1, Minimum: 8}, 299 * time.Second, `{"cached_tokens":11}`},
		{config.ScriptCache{Rules: "openai", Unit: 1, Minimum: 8}, 300 * time.Second, ""},
		{config.ScriptCache{Rules: "openai", Unit: 1, Minimum: 8, TTL: time.Hour}, 300 * time.Second, `{"cached_tokens":11}`},
		{config.ScriptCache{Rules: "anthropic", Minimum: 11}, 300 * time.Second, `{"cache_write_tokens":11}`},
		{config.ScriptCache{Rules: "none", Unit: 1, Minimum: 1, TTL: time.Hour}, 0, ""},
	} {
		now := time.Unix(0, 0)
		model := cli.Scripted(&config.Script{Cache: test.cache, Default: &config.Reply{}}, cli.ScriptedOptions{Now: func() time.Time { return now }})
		var got string
		for range 2 {
			req, err := http.NewRequestWithContext(t.Context(), "POST", "http://script/chat/completions", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := model.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := resp.Write(&b); err != nil {
				t.Fatal(err)
			}
			_, got, _ = strings.Cut(b.String(), `"prompt_tokens_details":`)
			got, _, _ = strings.Cut(got, "}")
			now = now.Add(test.after)
		}
		if want := strings.TrimSuffix(test.want, "}"); got != want {
			t.Errorf("%+v after %s: %s, want %s", test.cache, test.after, got, want)
		}
	}
}
