package hclfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
)

const nativeWhole = `
dsh {
  required_version = ">= 0.1.0"
}
variable "team" {
  type    = string
  default = "platform"
}
variable "names" {
  type    = list(string)
  default = ["a", "b"]
}
locals {
  greeting = "Hello ${var.team}"
  table    = { one = 1, two = [true, null] }
}
provider "service" {
  protocol = "openai"
  base_url = "https://models.example.com/v1"
  api_key  = env.KEY
  headers  = { "X-Team" = env.TEAM }
  timeout  = "30s"
}
model "chat" {
  provider    = provider.service
  id          = "m"
  temperature = 0.2
  stop        = ["END", "\"quoted\""]

  context_window = 16384
  price {
    input  = 0.27
    output = 1.1
  }
}
hook "guard" {
  on      = ["PreToolUse"]
  command = ["guard", "--strict"]
  env     = { TOKEN = env.KEY }
}
agent "a" {
  model = model.chat
  hooks = [hook.guard]
  system {
    text "persona" {
      content = local.greeting
    }
  }
  prefix {
    on_resume = "reuse"
    text "second" {
      content = "${length(var.names)} names: ${join(", ", var.names)}"
      when    = true
    }
    text "first" {
      content  = "Tab\tand é"
      envelope = "note"
    }
  }
  limits { max_steps = 12 }
  compaction {
    threshold_tokens = 9000
    min_gain         = 0.25
    summary {
      model  = model.other
      prompt = "Sum up, ${var.team}."
    }
    prune {}
    policy "chat" {
      retain_ratio = 0.16
    }
    policy "other" {
      threshold_ratio = 0.5
    }
  }
}
model "other" {
  provider       = provider.service
  id             = "o"
  context_window = 20000
}
`

const jsonWhole = `{
  "//": "The same in JSON.",
  "dsh": { "required_version": ">= 0.1.0" },
  "variable": {
    "team": { "type": "string", "default": "platform" },
    "names": { "type": "list(string)", "default": ["a", "b"] }
  },
  "locals": { "greeting": "Hello ${var.team}", "table": { "one": 1, "two": [true, null] } },
  "provider": { "service": {
    "protocol": "openai",
    "base_url": "https://models.example.com/v1",
    "api_key": "${env.KEY}",
    "headers": { "X-Team": "${env.TEAM}" },
    "timeout": "30s"
  } },
  "model": [ { "chat": {
    "provider": "provider.service",
    "id": "m",
    "temperature": 0.2,
    "stop": ["END", "\"quoted\""],
    "context_window": 16384,
    "price": { "input": 0.27, "output": 1.1 }
  } }, { "other": { "provider": "provider.service", "id": "o", "context_window": 20000 } } ],
  "hook": { "guard": { "on": ["PreToolUse"], "command": ["guard", "--strict"], "env": { "TOKEN": "${env.KEY}" } } },
  "agent": { "a": {
    "model": "${model.chat}",
    "hooks": ["hook.guard"],
    "system": [ { "text": { "persona": { "content": "${local.greeting}" } } } ],
    "prefix": [
      { "//": "as written", "on_resume": "reuse" },
      { "text": { "second": { "content": "${length(var.names)} names: ${join(\", \", var.names)}", "when": true } } },
      { "text": { "first": { "content": "Tab\tand \u00e9", "envelope": "note" } } }
    ],
    "limits": [ { "max_steps": 12 } ],
    "compaction": {
      "threshold_tokens": 9000,
      "min_gain": 0.25,
      "summary": { "model": "model.other", "prompt": "Sum up, ${var.team}." },
      "prune": {},
      "policy": { "chat": { "retain_ratio": 0.16 }, "other": { "threshold_ratio": 0.5 } }
    }
  } }
}
`

func loadOne(name, text string) (*config.Config, diag.Sources, diag.List) {
	m := memory{filepath.Join(testDir, name): text}
	return Load(testDir, testWorkspace, options(m, nil))
}

// A configuration means the same in both syntaxes, digest and places of blocks
// included.
func TestJSONMeansTheSame(t *testing.T) {
	native, _, diags := loadOne("dsh.hcl", nativeWhole)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	other, sources, diags := loadOne("team.dsh.hcl.json", jsonWhole)
	if diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	if native.Agents[0].Digest != other.Agents[0].Digest {
		t.Errorf("digest %s, in JSON %s", native.Agents[0].Digest, other.Agents[0].Digest)
	}
	ignore := cmp.Options{
		cmpopts.IgnoreTypes(diag.Range{}, config.Secret{}, config.Template{}),
		cmpopts.IgnoreFields(config.Contributor{}, "Origin"),
		cmpopts.IgnoreFields(config.Config{}, "Entries"),
	}
	if d := cmp.Diff(native, other, ignore); d != "" {
		t.Errorf("native and JSON differ:\n%s", d)
	}
	shown := func(c *config.Config) []string {
		var out []string
		for _, e := range c.Entries() {
			if !e.Hidden {
				out = append(out, e.Address()+" = "+e.Value)
			}
		}
		slices.Sort(out)
		return out
	}
	if d := cmp.Diff(shown(native), shown(other)); d != "" {
		t.Errorf("the values of native and JSON differ:\n%s", d)
	}
	if at := other.Agents[0].Prefix[1].At; at.File != "team.dsh.hcl.json" || at.Start.Line != 32 {
		t.Errorf("a contributor is said to stand at %v", at)
	}
	if value, problems := native.Providers[0].APIKey.Reveal(); value != "" || !problems.HasErrors() {
		t.Errorf("the key is %q, %v", value, problems)
	}
}

// Both syntaxes may stand in one folder, and a name is declared once in both.
func TestJSONBesideNative(t *testing.T) {
	m := memory{
		filepath.Join(testDir, "dsh.hcl"):             "provider \"p\" { protocol = \"openai\" }\nagent \"a\" { model = model.m }\n",
		filepath.Join(testDir, "models.dsh.hcl.json"): `{ "model": { "m": { "provider": "provider.p", "id": "x" } } }`,
	}
	if _, sources, diags := Load(testDir, testWorkspace, options(m, nil)); diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	m[filepath.Join(testDir, "more.dsh.hcl.json")] = `{ "agent": { "a": { "model": "model.m" } } }`
	_, sources, diags := Load(testDir, testWorkspace, options(m, nil))
	if out := rendered(diags, sources); !strings.Contains(out, "Duplicate name") || !strings.Contains(out, "dsh.hcl:2") {
		t.Errorf("declared twice:\n%s", out)
	}
}

func TestJSONErrors(t *testing.T) {
	const rest = `"provider": { "p": { "protocol": "openai" } }, "model": { "m": { "provider": "provider.p", "id": "x" } }`
	for _, c := range []struct{ text, want string }{
		{``, "1: Invalid JSON: The file ends in the middle of a value."},
		{`[]`, "1: Invalid JSON: A configuration file in JSON is one object"},
		{"{\n  \"agent\": {\n", "2: Invalid JSON: The file ends in the middle of a value."},
		{"{\n  \"agent\": nope\n}", "2: Invalid JSON: This is not JSON: invalid character 'o' in literal null"},
		{"{} {}", "1: Invalid JSON: Behind the object, the file goes on."},
		{"{\n \"model\": 3 }", "2: Block required: A model block is an object of names"},
		{"{\n \"model\": { \"m\": true } }", "2: Block required: A model block is an object here"},
		{"{\n \"modle\": {} }", `2: Unknown`},
		{"{ \"model\": { \"m\": {\n \"idd\": \"x\" } } }", "2: Unknown argument"},
		{"{ " + rest + ", \"agent\": { \"a\": { \"model\": \"model.n\" } } }", "1: "},
		{"{ " + rest + ", \"agent\": { \"a\": { \"model\": \"model.m\",\n \"prefix\": { \"text\": {}, \"file\": {} } } } }", "2: Order required: The order of what stands in prefix"},
		{"{ " + rest + ", \"agent\": { \"a\": { \"model\": \"model.m\",\n \"prefix\": [ { \"text\": {}, \"file\": {} } ] } } }", "2: Order required: An object of this list has one member"},
		{"{ " + rest + ", \"agent\": { \"a\": { \"model\": \"model.m\",\n \"prefix\": [ 3 ] } } }", "2: Block required: An element of this list"},
		{"{ " + rest + ", \"agent\": { \"a\": { \"model\": \"model.m\",\n \"limits\": { \"max_steps\": \"12\" } } } }", `2: Invalid value: The argument "max_steps" is a text`},
		{"{ " + rest + ", \"agent\": { \"a\": { \"model\": \"model.m\",\n \"description\": \"${nope(\" } } }", "2: "},
		{"{ " + rest + ", \"agent\": {\n \"a\": { \"model\": \"model.m\" },\n \"a\": { \"model\": \"model.m\" } } }", `3: Duplicate name: agent "a" is declared twice.`},
		{"{ " + rest + ", \"agent\": { \"a\": { \"model\": \"model.m\",\n \"model\": \"model.m\" } } }", `2: Duplicate name: "model" stands twice in one object.`},
		{"{ \"locals\": { \"a\": {\n \"b\": 1, \"b\": 2 } } }", `2: Duplicate name: "b" stands twice in one object.`},
		{strings.Repeat("[", 1000), "1: Nested too deeply"},
		{"{ \"locals\": { \"a\": " + strings.Repeat("[", 500) + strings.Repeat("]", 500) + " } }", "1: Nested too deeply"},
		{"{ \"locals\": { \"a\": \"" + strings.Repeat("${[", 500) + "\" } }", "1: Nested too deeply"},
	} {
		_, _, diags := loadOne("x.dsh.hcl.json", c.text)
		var got []string
		for _, d := range diags {
			got = append(got, fmt.Sprintf("%d: %s: %s", d.Subject.Start.Line, d.Summary, d.Detail))
		}
		all := strings.Join(got, "\n")
		if !diags.HasErrors() || !strings.Contains(all, c.want) {
			t.Errorf("%.80s\ngot  %s\nwant %s", c.text, all, c.want)
		}
	}
}

// A secret that is written into a file in JSON is not shown beside a mistake, with
// escapes in it or without, and also where the file cannot be read.
func TestJSONHidesSecrets(t *testing.T) {
	for _, text := range []string{
		`{ "provider": { "p": { "protocol": "nope", "api_key": "canary-1" } } }`,
		`{ "provider": { "p": { "protocol": "nope", "api_key": "\u0063anary-\"2\"-canary" } } }`,
		"{\n \"provider\": { \"p\": {\n \"protocol\": nope,\n \"api_key\": \"canary-3\" } } }",
		"{\n \"provider\": { \"p\": {\n \"api_key\": \"canary-4\" nope } } }",
	} {
		_, sources, diags := loadOne("x.dsh.hcl.json", text)
		out := rendered(diags, sources)
		if !diags.HasErrors() || strings.Contains(out, "canary") || strings.Contains(out, `anary-\"2`) {
			t.Errorf("%s:\n%s", text, out)
		}
	}
}

// No text in JSON syntax crashes the loader, and what is reported lies in the file.
func FuzzJSON(f *testing.F) {
	f.Add(jsonWhole)
	f.Add(`{ "locals": { "a": "${local.b}", "b": "\u00e9${" } }`)
	f.Add(`{"agent":{"a":{"prefix":[{"text":{"x":{"content":"${1/0}"}}}]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, sources, diags := loadOne("x.dsh.hcl.json", text)
		for _, d := range diags {
			if src := sources[d.Subject.File]; d.Subject.File != "" && (d.Subject.Start.Byte > d.Subject.End.Byte || d.Subject.End.Byte > len(src)) {
				t.Errorf("%q: %s at %v", text, d.Summary, d.Subject)
			}
		}
		rendered(diags, sources)
	})
}

// TestLocalNamesInJSON: a name that no expression can write is none.
func TestLocalNamesInJSON(t *testing.T) {
	for _, name := range []string{"a b", "$(touch x)", "", "1a"} {
		_, _, diags := load(map[string]string{"dsh.hcl.json": `{"locals": {"` + name + `": 1}}`}, nil)
		if err := diags.Err(); err == nil || !strings.Contains(err.Error(), "Invalid name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
