package hclfile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/schema"
)

const adviceBase = `provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
`

// Names that arguments have in other programs lead to those that they have here, and
// an argument that is there under another name is not missing as well.
func TestOtherNames(t *testing.T) {
	for text, want := range map[string]string{
		`model "n" { provider = provider.p
model = "x" }`: `Did you mean "id"?`,
		`model "n" { provider = provider.p
id = "x"
context = 1 }`: `Did you mean "context_window"?`,
		`model "n" { provider = provider.p
id = "x"
max_tokens = 1 }`: `Did you mean "max_output_tokens"?`,
		`provider "q" { type = "openai" }`: `Did you mean "protocol"?`,
		`provider "q" { protocol = "openai"
url = "https://example.com" }`: `Did you mean "base_url"?`,
		`provider "q" { protocol = "openai"
key = "k" }`: `Did you mean "api_key"?`,
		`variable "v" { default = 1
required = true }`: "A variable without a default is required.",
		`locals { now = timestamp() }`:      "No function reads the clock.",
		`locals { y = yamldecode("a: 1") }`: "Write the values as HCL or JSON",
	} {
		_, sources, diags := load(map[string]string{"dsh.hcl": adviceBase + strings.TrimSuffix(strings.Replace(text, "{ ", "{\n", 1), " }") + "\n}\n"}, nil)
		out := rendered(diags, sources)
		if n, _ := diags.Counts(); n != 1 || !strings.Contains(out, want) {
			t.Errorf("%s: %q is wanted in\n%s", text, want, out)
		}
	}
	for from, to := range elsewhere {
		block, _, _ := strings.Cut(from, ".")
		if b := blockNamed(schema.Language(), block); b == nil || otherwise(b, strings.TrimPrefix(from, block+".")) != to {
			t.Errorf("%s leads to nothing", from)
		}
	}
}

// What is wrong in a group for one agent names that agent.
func TestGroupProblemNamesAgent(t *testing.T) {
	_, sources, diags := load(map[string]string{"dsh.hcl": adviceBase + `agent "a" {
  description = "Reviews."
  model       = model.m
  prefix {
    include { prefix = prefix.x }
  }
}
agent "b" {
  model = model.m
  prefix {
    include { prefix = prefix.x }
  }
}
agent "c" {
  model = model.m
  prefix {
    include { prefix = prefix.x }
  }
}
prefix "x" {
  text "t" { content = agent.description }
}
`}, nil)
	out := rendered(diags, sources)
	for _, want := range []string{`included by agent "b" at dsh.hcl:16,24`, `included by agent "c" at dsh.hcl:22,24`, "coalesce(agent.description"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not there:\n%s", want, out)
		}
	}
	if strings.Contains(out, `by agent "a"`) {
		t.Errorf("the agent without a problem is named:\n%s", out)
	}
}

// Objects whose values are read late say what is wrong with them.
func TestWrittenObjects(t *testing.T) {
	for text, want := range map[string]string{
		`headers = { "X-${local.s}" = "v" }`: "The names of \"headers\" are constants",
		`headers = ["X-A=1"]`:                `The argument "headers" is a list, not an object`,
		`headers = local.h`:                  "must be written out",
	} {
		_, sources, diags := load(map[string]string{"dsh.hcl": "locals {\n  s = \"a\"\n  h = {}\n}\nprovider \"p\" {\n  protocol = \"openai\"\n  " + text + "\n}\n"}, nil)
		if out := rendered(diags, sources); !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s: %q is wanted in\n%s", text, want, out)
		}
	}
}

// A pattern without a match beside one with a match is a warning, unless the files may
// be missing; one whose matches are all left out is none.
func TestPatternWithoutMatch(t *testing.T) {
	check := func(arguments string) string {
		_, sources, diags := load(map[string]string{"a.md": "A", "b.txt": "B", "dsh.hcl": adviceBase + `agent "a" {
  model = model.m
  prefix {
    files "f" {
` + arguments + `
    }
  }
}
`}, nil)
		return strings.Join(strings.Fields(rendered(diags, sources)), " ")
	}
	const all = `include = ["a.md", "tpyo.md", "b.*"]`
	if out := check(all); !strings.Contains(out, `matches "tpyo.md". Change`) || !strings.HasPrefix(out, "Warning: ") {
		t.Error(out)
	}
	for _, arguments := range []string{all + "\noptional = true", "include = [\"*.md\", \"b.*\"]\nexclude = [\"*.txt\"]"} {
		if out := check(arguments); out != "" {
			t.Errorf("%s: %s", arguments, out)
		}
	}
}

// In JSON a name with nothing behind it declares nothing, which is an error.
func TestJSONNameWithoutBlock(t *testing.T) {
	_, sources, diags := load(map[string]string{"dsh.hcl.json": `{"agent": {"c": [], "d": null}}`}, nil)
	if out := rendered(diags, sources); !strings.Contains(out, `This declares no agent "c"`) || !strings.Contains(out, `This declares no agent "d"`) {
		t.Error(out)
	}
}

// Reading one name of a large object takes no walk through all of it.
func TestManyReadersOfOneObject(t *testing.T) {
	var b strings.Builder
	b.WriteString("locals {\n  big = {\n")
	for i := range 20000 {
		fmt.Fprintf(&b, "a%d=1\n", i)
	}
	b.WriteString("}\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "x%d = local.big.a%d\n", i, i)
	}
	b.WriteString("}\n")
	start := time.Now()
	if _, _, diags := load(map[string]string{"dsh.hcl": b.String()}, nil); diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// What is nearly a value is none: a number a little beyond its bound, a duration in
// units that the language does not have, an address with a comment, a name given twice.
func TestNearlyValues(t *testing.T) {
	for text, want := range map[string]string{
		"model \"n\" {\nprovider = provider.p\nid = \"x\"\ntemperature = 2.0000000000000000000000001\n}":                                "must be",
		"model \"n\" {\nprovider = provider.p\nid = \"x\"\nprice {\ncurrency = \"USD\"\ninput = 1000000000.000000001\noutput = 1\n}\n}": "must be",
		"provider \"q\" {\nprotocol = \"openai\"\ntimeout = \"1µs\"\n}":                                                                 "not a duration",
		"provider \"q\" {\nprotocol = \"openai\"\ntimeout = \"+1s\"\n}":                                                                 "not a duration",
		"provider \"q\" {\nprotocol = \"openai\"\ntimeout = \".5s\"\n}":                                                                 "not a duration",
	} {
		_, sources, diags := load(map[string]string{"dsh.hcl": adviceBase + text + "\n"}, nil)
		if out := rendered(diags, sources); !diags.HasErrors() || !strings.Contains(out, want) {
			t.Errorf("%s: %q is wanted in\n%s", text, want, out)
		}
	}
	_, _, diags := load(map[string]string{"dsh.hcl": adviceBase + "model \"n\" {\nprovider = provider.p\nid = \"x\"\ntemperature = 2.0\ntop_p = 0.1\n}\n"}, nil)
	if diags.HasErrors() {
		t.Error(diags.Err())
	}
	_, _, diags = load(map[string]string{"dsh.hcl": adviceBase, "a.dsh.hcl.json": `{"agent": {"a": {"model": "model.m # c"}}}`}, nil)
	if !diags.HasErrors() {
		t.Error("an address with a comment is taken")
	}
	opts := options(memory{testDir + "/dsh.hcl": "variable \"o\" {\n  type = any\n}\n" + adviceBase}, nil)
	opts.Inputs = []Input{{Name: "o", Value: `{a = "x", "a" = "y"}`}}
	if _, _, diags = Load(testDir, testWorkspace, opts); !diags.HasErrors() || !strings.Contains(diags.Err().Error(), "a name twice") {
		t.Error(diags.Err())
	}
}
