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
  error {
    status  = 429
    code    = "rate"
    message = "slow down"
  }
}
`
	got, diags := LoadScript("model.hcl", []byte(text))
	if len(diags) > 0 {
		t.Fatal(rendered(diags, diag.Sources{"model.hcl": []byte(text)}))
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
			Usage: &config.ReplyUsage{Input: 100, CachedInput: 64, Output: 10, Reasoning: 4},
		},
		{Tools: []config.ReplyTool{
			{Name: "mcp/read file", Arguments: `{"Zed":12345678901234567890,"deep":{"a b":true,"b":null},"lines":[1,2.5,0,1e+21,0.1],"path":"a<b>&` + "\u2028" + `"}`},
			{Name: "none", Arguments: "{}"},
		}},
		{Error: &config.ReplyError{Status: 429, Code: "rate", Message: "slow down"}},
	}
	if !reflect.DeepEqual(got.Replies, want) {
		t.Errorf("replies\n%+v\nwant\n%+v", got.Replies, want)
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
