package hclfile

import (
	"strings"
	"testing"
)

// TestPrecedence: the environment is below the folder's variable files, those are
// below the command line, and within a layer the later counts.
func TestPrecedence(t *testing.T) {
	const text = `
variable "team" {
  type     = string
  default  = "default"
  nullable = false
}
variable "key" {
  default   = "kept"
  sensitive = true
}
provider "p" {
  protocol = "openai"
  api_key  = var.key
}
model "m" {
  provider = provider.p
  id       = var.team
}
agent "a" {
  model = model.m
}
`
	file := func(name, value string) Input {
		return Input{File: name, Text: []byte("team = " + value + "\n")}
	}
	for _, c := range []struct {
		name   string
		files  map[string]string
		env    string
		inputs []Input
		want   string
	}{
		{"default", nil, "", nil, "default"},
		{"environment", nil, "env", nil, "env"},
		{"folder", map[string]string{"a.auto.dshvars": "team = \"a\"\n"}, "env", nil, "a"},
		{"later file", map[string]string{"a.auto.dshvars": "team = \"a\"\n", "b.auto.dshvars": "team = \"b\"\n"}, "", nil, "b"},
		{"not by itself", map[string]string{"a.dshvars": "team = \"a\"\n", ".a.auto.dshvars": "team = \"a\"\n"}, "", nil, "default"},
		{"named file", map[string]string{"a.auto.dshvars": "team = \"a\"\n"}, "", []Input{file("c", `"c"`)}, "c"},
		{"flag behind file", nil, "", []Input{file("c", `"c"`), {Name: "team", Value: "flag"}}, "flag"},
		{"file behind flag", nil, "", []Input{{Name: "team", Value: "flag"}, file("c", `upper("c")`)}, "C"},
		{"null means the default", map[string]string{"a.auto.dshvars": "team = \"a\"\n"}, "", []Input{file("c", "null")}, "default"},
		{"nothing in it", nil, "", []Input{{File: "c"}}, "default"},
		{"sensitive in a file", map[string]string{"a.auto.dshvars": "key = \"canary\"\n"}, "", nil, "default"},
	} {
		m := memory{testDir + "/dsh.hcl": text}
		for name, content := range c.files {
			m[testDir+"/"+name] = content
		}
		env := map[string]string{}
		if c.env != "" {
			env["DSH_VAR_team"] = c.env
		}
		opts := options(m, env)
		opts.Inputs = c.inputs
		cfg, sources, diags := Load(testDir, testWorkspace, opts)
		if len(diags) > 0 {
			t.Errorf("%s: %s", c.name, rendered(diags, sources))
			continue
		}
		if got := cfg.Models[0].ID.V; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		key := "kept"
		if strings.HasPrefix(c.name, "sensitive") {
			key = "canary"
		}
		if got, problems := cfg.Providers[0].APIKey.Reveal(); got != key || len(problems) > 0 {
			t.Errorf("%s: key %q, %v", c.name, got, problems)
		}
	}
}
