package hclfile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
)

const tooled = `
provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
tool "lint" {
  description = "Lints."
  command     = ["./lint.sh", "--json"]
  input = {
    type       = "object"
    required   = ["path"]
    properties = { path = { type = "string" } }
  }
  timeout    = "5s"
  max_output = "1KiB"
  env        = { TOKEN = env.TOKEN }
}
tool "now" {
  description = "Says what time it is."
  command     = ["date"]
}
agent "a" {
  model = model.m
  tools = [tool.now, builtin.shell, tool.lint, builtin.read]
  permissions {
    allow = ["lint", "shell(git status*)"]
    ask   = ["shell(git push*)"]
    deny  = ["read(secrets/**)"]
  }
}
`

const tooledJSON = `{
  "provider": { "p": { "protocol": "openai" } },
  "model": { "m": { "provider": "provider.p", "id": "m" } },
  "tool": {
    "lint": {
      "description": "Lints.", "command": ["./lint.sh", "--json"],
      "input": { "type": "object", "required": ["path"], "properties": { "path": { "type": "string" } } },
      "timeout": "5s", "max_output": "1KiB", "env": { "TOKEN": "${env.TOKEN}" }
    },
    "now": { "description": "Says what time it is.", "command": ["date"] }
  },
  "agent": { "a": {
    "model": "model.m",
    "tools": ["tool.now", "builtin.shell", "${tool.lint}", "builtin.read"],
    "permissions": { "allow": ["lint", "shell(git status*)"], "ask": ["shell(git push*)"], "deny": ["read(secrets/**)"] }
  } }
}`

func TestTools(t *testing.T) {
	files := map[string]string{"dsh.hcl": tooled, "lint.sh": ""}
	env := map[string]string{"TOKEN": "canary"}
	cfg := mustLoad(t, files, env)
	lint, _ := cfg.Tool("lint")
	if lint.Input.V != `{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"}` || lint.Timeout.V != 5*time.Second ||
		lint.MaxOutput.V != 1024 || !slices.Equal(lint.Command.V, []string{testDir + "/lint.sh", "--json"}) || len(lint.Env) != 1 {
		t.Errorf("%+v", lint)
	}
	if now, _ := cfg.Tool("now"); now.Input.V != noInput || now.Timeout.V != time.Minute || now.MaxOutput.V != 64<<10 {
		t.Errorf("%+v", now)
	}
	a := cfg.Agents[0]
	var names []string
	for _, ref := range a.Tools {
		names = append(names, ref.Kind+"."+ref.Name)
	}
	if got := strings.Join(names, " "); got != "tool.now builtin.shell tool.lint builtin.read" {
		t.Errorf("the order is %s", got)
	}
	if p := a.Permissions; !slices.Equal(p.Allow, []config.Rule{{Tool: "lint"}, {Tool: "shell", Pattern: "git status*"}}) || len(p.Ask) != 1 || len(p.Deny) != 1 {
		t.Errorf("%+v", p)
	}
	var starts []string
	for _, s := range cfg.Starts[1:] { // behind the endpoint
		starts = append(starts, s.Kind+" "+s.Text)
	}
	want := []string{
		`tool ["./lint.sh","--json"] for tool.lint`, `env env.TOKEN for tool.lint.env.TOKEN`, `tool ["date"] for tool.now`,
		`tool builtin.shell for agent.a, allow "shell(git status*)", ask "shell(git push*)"`, `tool tool.lint for agent.a, allow "lint"`,
	}
	if d := cmp.Diff(want, starts); d != "" {
		t.Errorf("what starts: %s", d)
	}
	other := mustLoad(t, map[string]string{"team.dsh.hcl.json": tooledJSON, "lint.sh": ""}, env)
	if a.Digest != other.Agents[0].Digest {
		t.Error("the digest in JSON is another")
	}
	if d := cmp.Diff(cfg, other, cmpopts.IgnoreTypes(diag.Range{}, config.Secret{}), cmpopts.IgnoreFields(config.Config{}, "Entries")); d != "" {
		t.Errorf("native and JSON differ:\n%s", d)
	}
}

// Whatever changes what the model sees, or what may run, changes the digest.
func TestDigestOfTools(t *testing.T) {
	files := func(text string) map[string]string {
		return map[string]string{"dsh.hcl": text, "lint.sh": "", "other.sh": ""}
	}
	base := mustLoad(t, files(tooled), map[string]string{"TOKEN": "x"}).Agents[0].Digest
	seen := map[string]string{base: "base"}
	for _, edit := range [][2]string{
		{"[tool.now, builtin.shell, tool.lint, builtin.read]", "[builtin.shell, tool.now, tool.lint, builtin.read]"},
		{`"Lints."`, `"Lints!"`}, {`"--json"`, `"--xml"`}, {`"./lint.sh"`, `"./other.sh"`}, {`type = "string"`, `type = "number"`}, {`"5s"`, `"6s"`},
		{`"1KiB"`, `"2KiB"`}, {"{ TOKEN = env.TOKEN }", "{ KEY = env.TOKEN }"}, {`allow = ["lint", `, `allow = [`}, {"git push*", "git pull*"}, {"secrets/**", "secrets/*"},
		{`deny  = ["read(secrets/**)"]`, ""}, {`"date"`, `"date", "-u"`},
	} {
		changed := strings.Replace(tooled, edit[0], edit[1], 1)
		if changed == tooled {
			t.Fatalf("there is no %s", edit[0])
		}
		d := mustLoad(t, files(changed), map[string]string{"TOKEN": "x"}).Agents[0].Digest
		if earlier, again := seen[d]; again {
			t.Errorf("%s: the digest is that of %s", edit[1], earlier)
		}
		seen[d] = edit[1]
	}
	if d := mustLoad(t, files(tooled), map[string]string{"TOKEN": "y"}).Agents[0].Digest; d != base {
		t.Error("a secret is in the digest")
	}
}
