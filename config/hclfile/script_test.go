package hclfile

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
)

func TestLoadScript(t *testing.T) {
	const text = `
reply {
  text      = "Looks ${upper("good")}."
  reasoning = "hm"
  finish    = "max-tokens"
  delay     = "250ms"
  cut       = true
  usage {
    input        = 100
    cached_input = 64
    cache_write  = 36
    output       = 10
    reasoning    = 4
  }
}

default {
  text = "ok"
}

reply {
  tool "mcp/read file" {
    path  = "a<b>&\u2028"
    lines = [1, 2.5, -0, 1e21, 0.1]
    deep  = { b = null, "a b" = true }
    Zed   = 12345678901234567890
  }
  tool "none" {}
}

reply {
  expect {
    contains = "slow"
    matches  = ["^a", "b$"]
  }
  error {
    status      = 429
    code        = "rate"
    message     = "slow down"
    retry_after = "1.5s"
  }
}

cache {
  rules   = "openai"
  unit    = 16
  minimum = 32
  ttl     = "1h"
}
`
	got, diags := LoadScript("model.hcl", []byte(text))
	if len(diags) > 0 {
		t.Fatal(rendered(diags, diag.Sources{"model.hcl": []byte(text)}))
	}
	if want := (config.ScriptCache{Rules: "openai", Unit: 16, Minimum: 32, TTL: time.Hour}); got.Cache != want {
		t.Errorf("cache %+v", got.Cache)
	}
	if got.Path != "model.hcl" || len(got.Replies) != 3 || got.Default == nil || got.Default.Text != "ok" {
		t.Fatalf("%+v", got)
	}
	for i := range got.Replies {
		if got.Replies[i].At.IsZero() {
			t.Errorf("reply %d has no place", i)
		}
		got.Replies[i].At = diag.Range{}
	}
	want := []config.Reply{
		{
			Text: "Looks GOOD.", Reasoning: "hm", Finish: "max-tokens", Delay: 250 * time.Millisecond, Cut: true,
			Usage: &config.ReplyUsage{Input: 100, CachedInput: 64, CacheWrite: 36, Output: 10, Reasoning: 4},
		},
		{Tools: []config.ReplyTool{
			{Name: "mcp/read file", Arguments: `{"Zed":12345678901234567890,"deep":{"a b":true,"b":null},"lines":[1,2.5,0,1e+21,0.1],"path":"a<b>&` + "\u2028" + `"}`},
			{Name: "none", Arguments: "{}"},
		}},
		{
			Expect: &config.ReplyExpect{Contains: []string{"slow"}, Matches: []string{"^a", "b$"}},
			Error:  &config.ReplyError{Status: 429, Code: "rate", Message: "slow down", RetryAfter: 1500 * time.Millisecond},
		},
	}
	if !reflect.DeepEqual(got.Replies, want) {
		t.Errorf("replies\n%+v\nwant\n%+v", got.Replies, want)
	}
}

// TestScriptCache: a script has the rules of a provider without a word about them,
// and is told of numbers that change nothing.
func TestScriptCache(t *testing.T) {
	for text, want := range map[string]struct {
		cache    config.ScriptCache
		warnings int
	}{
		"":                                  {config.ScriptCache{Rules: "deepseek"}, 0},
		"cache {}\n":                        {config.ScriptCache{Rules: "deepseek"}, 0},
		"cache { rules = \"anthropic\" }\n": {config.ScriptCache{Rules: "anthropic"}, 0},
		"cache {\nrules = \"anthropic\"\nunit = 4\nminimum = 5\n}\n":          {config.ScriptCache{Rules: "anthropic", Unit: 4, Minimum: 5}, 1},
		"cache {\nrules = \"none\"\nunit = 4\nminimum = 5\nttl = \"1s\"\n}\n": {config.ScriptCache{Rules: "none", Unit: 4, Minimum: 5, TTL: time.Second}, 3},
	} {
		got, diags := LoadScript("model.hcl", []byte(text+"reply {}\n"))
		if got == nil || got.Cache != want.cache || len(diags) != want.warnings || diags.HasErrors() {
			t.Errorf("%s: %+v %v", text, got, diags)
		}
	}
}

// TestScriptErrors reads every script below testdata/scripts, as TestErrors does.
func TestScriptErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/scripts/*.hcl")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".hcl"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			script, diags := LoadScript("model.hcl", text)
			checkExpected(t, expectations("model.hcl", string(text)), diags, diag.Sources{"model.hcl": text})
			if script != nil {
				t.Error("a script in spite of errors")
			}
		})
	}
}
