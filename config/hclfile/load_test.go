package hclfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

const fullConfig = `
dsh {
  required_version = ">= 1.0, < 2.0"
}

variable "team" {
  type        = string
  default     = "core"
  description = "Whose rules apply."
}

locals {
  greeting = "You review changes for ${var.team}."
}

provider "deepseek" {
  protocol     = "openai"
  dialect      = "deepseek"
  api_key      = env.DEEPSEEK_API_KEY
  headers      = { "X-Team" = "t-${env.TEAM_TOKEN}", "A" = env.TEAM_TOKEN }
  idle_timeout = "30s"
}

provider "local" {
  protocol = "script"
  script   = "model.hcl"
}

model "chat" {
  provider          = provider.deepseek
  id                = "deepseek-chat"
  context_window    = 131072
  max_output_tokens = 8192
  temperature       = 0.2
  stop              = ["END"]
}

model "small" {
  provider = provider.local
  id       = "tiny"
}

agent "reviewer" {
  description = "Reviews changes"
  model       = model.chat

  system {
    text "persona" { content = local.greeting }
    file "method"  { path = "prompts/reviewer.md" }
  }

  prefix {
    text "rules" {
      content   = "Follow the style guide. Never push."
      role      = "assistant"
      max_bytes = "1KiB"
      oversize  = "tail"
    }
    file "instructions" {
      path     = "${path.workspace}/AGENTS.md"
      optional = true
      envelope = "system-reminder"
      newlines = "lf"
    }
    template "workspace" {
      path = "prompts/workspace.md.tmpl"
      vars = { team = var.team }
    }
    template "inline" {
      content = "%{ for n in vars.names }${upper(n)}${n == "b" ? "." : " "}%{ endfor } for ${agent.name} on ${model.id}"
      vars    = { names = ["a", "b"] }
      when    = var.team == "core"
    }
  }

  log {
    chunks = true
  }

  limits {
    max_steps = 12
  }
}

agent "tester" {
  model = model.small
}
`

func fullFiles() map[string]string {
	return map[string]string{
		"dsh.hcl":                   fullConfig,
		"model.hcl":                 "reply {\n  text = \"ok\"\n}\n",
		"prompts/reviewer.md":       "Be kind.\n",
		"prompts/workspace.md.tmpl": "Workspace ${workspace.name} of ${vars.team}, model ${model.name}\r\n",
	}
}

func TestLoad(t *testing.T) {
	cfg := mustLoad(t, fullFiles(), nil)
	if cfg.Dir != testDir || cfg.Workspace != testWorkspace {
		t.Errorf("folders %q, %q", cfg.Dir, cfg.Workspace)
	}
	p, _ := cfg.Provider("deepseek")
	if p.BaseURL.V != deepseekURL || p.BaseURL.Set || !p.APIKey.IsSet() || p.IdleTimeout.V != 30*time.Second || p.Timeout.V != 5*time.Minute || p.Timeout.Set {
		t.Errorf("provider %+v", p)
	}
	if len(p.Headers) != 2 || p.Headers[0].Name != "A" || p.Headers[1].Name != "X-Team" {
		t.Errorf("headers %v", p.Headers)
	}
	s, _ := cfg.Provider("local")
	if s.Script.V != testDir+"/model.hcl" || s.Replies == nil || s.Replies.Replies[0].Text != "ok" || s.BaseURL.V != "" {
		t.Errorf("scripted provider %+v", s)
	}
	m, _ := cfg.Model("chat")
	if m.Provider != "deepseek" || m.ID.V != "deepseek-chat" || m.ContextWindow.V != 131072 || m.Temperature.V != "0.2" ||
		m.TopP.Set || m.TopP.V != "" || !slices.Equal(m.Stop.V, []string{"END"}) {
		t.Errorf("model %+v", m)
	}
	a, _ := cfg.Agent("reviewer")
	if a.Description.V != "Reviews changes" || a.Model.V != "chat" || !a.LogChunks.V || a.MaxSteps.V != 12 || len(a.Digest) != 64 {
		t.Errorf("agent %+v", a)
	}
	b, _ := cfg.Agent("tester")
	if b.LogChunks.V || b.MaxSteps.V != 64 || b.MaxSteps.Set || len(b.Prefix) != 0 {
		t.Errorf("defaults %+v", b)
	}
	var addresses []string
	for _, c := range append(slices.Clone(a.System), a.Prefix...) {
		addresses = append(addresses, c.Address)
	}
	want := []string{"system.text.persona", "system.file.method", "text.rules", "file.instructions", "template.workspace", "template.inline"}
	if !slices.Equal(addresses, want) {
		t.Errorf("addresses %v", addresses)
	}
	checkContributors(t, a)
}

func checkContributors(t *testing.T, a *config.Agent) {
	t.Helper()
	persona, method := a.System[0], a.System[1]
	if persona.Content.V != "You review changes for core." || persona.Role.V != "user" || persona.Origin != "dsh.hcl:48" || persona.Kind != config.KindText {
		t.Errorf("persona %+v", persona)
	}
	if method.Path.V != testDir+"/prompts/reviewer.md" || method.Origin != "prompts/reviewer.md" || method.Newlines.V != "keep" || method.Optional.V {
		t.Errorf("method %+v", method)
	}
	rules, instructions, workspace, inline := a.Prefix[0], a.Prefix[1], a.Prefix[2], a.Prefix[3]
	if rules.Role.V != "assistant" || rules.MaxBytes.V != 1024 || rules.Oversize.V != "tail" || rules.OnError.V != "fail" || !rules.When.V {
		t.Errorf("rules %+v", rules)
	}
	if instructions.Envelope.V != "system-reminder" || !instructions.Optional.V || instructions.Newlines.V != "lf" || instructions.Origin != "AGENTS.md" {
		t.Errorf("instructions %+v", instructions)
	}
	text, diags := workspace.Template.Render()
	if text != "Workspace project of core, model chat\n" || len(diags) > 0 {
		t.Errorf("template %q, %v", text, diags)
	}
	text, diags = inline.Template.Render()
	if text != "A B. for reviewer on deepseek-chat" || len(diags) > 0 || !inline.When.V {
		t.Errorf("inline template %q, %v", text, diags)
	}
}

func TestPlacesOfValues(t *testing.T) {
	cfg := mustLoad(t, fullFiles(), nil)
	a, _ := cfg.Agent("reviewer")
	if got := a.MaxSteps.At.String(); got != "dsh.hcl:81,17" {
		t.Errorf("written value at %s", got)
	}
	b, _ := cfg.Agent("tester")
	if got := b.MaxSteps.At; got != b.At || got.String() != "dsh.hcl:85,1" {
		t.Errorf("default at %s", got)
	}
}

func TestMergeOrder(t *testing.T) {
	text := func(name string) string {
		return fmt.Sprintf("provider %q {\n  protocol = \"openai\"\n}\n", name)
	}
	cfg, sources, diags := load(map[string]string{
		"z.dsh.hcl": text("z"), "dsh.hcl": text("main"), "a.dsh.hcl": text("a"), "B.dsh.hcl": text("b"),
		".hidden.dsh.hcl": "not read", "other.hcl": "not read", "sub/x.dsh.hcl": "not read",
	}, nil)
	if diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	var names []string
	for _, p := range cfg.Providers {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, []string{"main", "b", "a", "z"}) {
		t.Errorf("order %v", names)
	}
}

func TestDuplicateShowsBothPlaces(t *testing.T) {
	p := "provider \"p\" {\n  protocol = \"openai\"\n}\n"
	_, sources, diags := load(map[string]string{"dsh.hcl": p, "b.dsh.hcl": "\n" + p}, nil)
	if len(diags) != 1 || diags[0].Subject.String() != "b.dsh.hcl:2,1" || len(diags[0].Related) != 1 || diags[0].Related[0].At.String() != "dsh.hcl:1,1" {
		t.Error(rendered(diags, sources))
	}
}

func TestVariables(t *testing.T) {
	const text = `
variable "name" {}
variable "count" {
  type    = number
  default = 1
}
variable "list" {
  type    = list(object({ name = string, size = optional(number, 7) }))
  default = [{ name = "a" }]
}
variable "none" {
  default = null
}
variable "kept" {
  default  = "kept"
  nullable = false
}
provider "p" {
  protocol = "openai"
}
model "m" {
  provider = provider.p
  id       = "${var.name}/${var.count}/${var.list[0].size}/${var.none == null}/${var.kept}"
}
agent "a" {
  model = model.m
}
`
	cases := []struct {
		vars, env map[string]string
		want      string
	}{
		{map[string]string{"name": "x"}, nil, "x/1/7/true/kept"},
		{map[string]string{"name": "12", "count": "3"}, map[string]string{"DSH_VAR_name": "env", "DSH_VAR_count": "4"}, "12/3/7/true/kept"},
		{nil, map[string]string{"DSH_VAR_name": "env", "DSH_VAR_list": `[{ name = "b", size = 9 }]`, "DSH_VAR_none": "n"}, "env/1/9/false/kept"},
		{map[string]string{"name": "${x}"}, nil, "${x}/1/7/true/kept"},
	}
	for _, c := range cases {
		m := memory{testDir + "/dsh.hcl": text}
		opts := options(m, c.env)
		for name, value := range c.vars {
			opts.Inputs = append(opts.Inputs, Input{Name: name, Value: value})
		}
		cfg, sources, diags := Load(testDir, testWorkspace, opts)
		if len(diags) > 0 {
			t.Error(rendered(diags, sources))
			continue
		}
		if got := cfg.Models[0].ID.V; got != c.want {
			t.Errorf("%v %v: %q, want %q", c.vars, c.env, got, c.want)
		}
	}
}

func TestTextFidelity(t *testing.T) {
	body := func(attrs string) string {
		return "provider \"p\" {\n  protocol = \"openai\"\n}\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"a\" {\n  model = model.m\n  prefix {\n    text \"t\" {\n" + attrs + "\n    }\n  }\n}\n"
	}
	cases := []struct{ attrs, want string }{
		{"content = \"a\\r\\nb\\rc\"", "a\nb\rc"},
		{"newlines = \"keep\"\ncontent = \"a\\r\\nb\"", "a\r\nb"},
		{"content = <<-EOT\r\n  a\r\n  b\r\nEOT\r\n", "a\nb\n"},
		{"newlines = \"keep\"\ncontent = <<EOT\r\na\r\nEOT\r\n", "a\r\n"},
		{"content = \"$${HOME} %%{x} \\u00e9 \u2028 <&>\"", "${HOME} %{x} é \u2028 <&>"},
		{"content = \"${1 + 1}\"", "2"},
		{"content = \"\"", ""},
	}
	for _, c := range cases {
		cfg := mustLoad(t, map[string]string{"dsh.hcl": body(c.attrs)}, nil)
		if got := cfg.Agents[0].Prefix[0].Content.V; got != c.want {
			t.Errorf("%q yields %q, want %q", c.attrs, got, c.want)
		}
	}
}

// TestBytes holds what cannot be written into a test file: bytes that are not
// text.
func TestBytes(t *testing.T) {
	agent := func(contributor string) string {
		return "provider \"p\" {\n  protocol = \"openai\"\n}\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"a\" {\n  model = model.m\n  prefix {\n" + contributor + "\n  }\n}\n"
	}
	cases := []struct {
		name  string
		files map[string]string
		want  []string // severity, place and summary
	}{
		{"byte order mark", map[string]string{"dsh.hcl": "\ufeff" + agent("text \"a\" {\n  content = 1\n}")},
			[]string{"error dsh.hcl:1,1 Byte order mark", "error dsh.hcl:12,13 Invalid value"}},
		{"not UTF-8", map[string]string{"dsh.hcl": "# é\n# ab\xff\n"}, []string{"error dsh.hcl:2,5 Not UTF-8"}},
		{"prompt with a mark", map[string]string{"dsh.hcl": agent(`file "f" { path = "f.md" }`), "f.md": "\ufeffx"},
			[]string{"warning dsh.hcl:11,19 Byte order mark dropped"}},
		{"template with a mark", map[string]string{"dsh.hcl": agent(`template "f" { path = "f.md" }`), "f.md": "\ufeffé ${vars.x}"},
			[]string{"warning dsh.hcl:11,23 Byte order mark dropped", "error f.md:1,5 Unknown attribute"}},
		{"prompt not UTF-8", map[string]string{"dsh.hcl": agent(`file "f" { path = "f.md" }`), "f.md": "é\nx\xc3"},
			[]string{"error f.md:2,2 Not UTF-8"}},
		{"template not UTF-8", map[string]string{"dsh.hcl": agent(`template "f" { path = "f.md" }`), "f.md": "\xff"},
			[]string{"error f.md:1,1 Not UTF-8"}},
		{"file() not UTF-8", map[string]string{"dsh.hcl": agent(`text "f" { content = file("f.md") }`), "f.md": "\xff"},
			[]string{"error dsh.hcl:11,27 Invalid function argument"}},
		{"file() with a mark", map[string]string{"dsh.hcl": agent(`text "f" { content = file("f.md") }`), "f.md": "\ufeffx"},
			[]string{"warning dsh.hcl:11,22 Byte order mark dropped"}},
		{"NUL", map[string]string{"dsh.hcl": agent(`text "f" { content = "a\u0000b" }`)},
			[]string{"error dsh.hcl:11,22 Invalid value"}},
		{"deep", map[string]string{"dsh.hcl": "locals {\n  a = " + strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000) + "\n}\n"},
			[]string{"error dsh.hcl:2,406 Nested too deeply"}},
		{"too large", map[string]string{"dsh.hcl": strings.Repeat("#", maxConfig+1)},
			[]string{"error  File cannot be read"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, sources, diags := load(c.files, nil)
			var got []string
			for _, d := range diags {
				at := ""
				if !d.Subject.IsZero() {
					at = d.Subject.String()
				}
				got = append(got, fmt.Sprintf("%s %s %s", d.Severity, at, d.Summary))
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q\n%s", got, rendered(diags, sources))
			}
		})
	}
}

func TestStarts(t *testing.T) {
	cfg, sources, diags := load(map[string]string{
		"model.hcl": `default { text = "ok" }`,
		"dsh.hcl": `
locals {
  key  = env.KEY
  lang = nonsensitive(env.LANG)
}
provider "a" {
  protocol = "openai"
  base_url = "https://a.example/v1"
  api_key  = local.key
}
`,
		"b.dsh.hcl": `
provider "b" {
  protocol = "openai"
  headers  = { "X-B" = upper(env.TOKEN) }
}
provider "c" {
  protocol = "openai"
  dialect  = "deepseek"
  api_key  = "written"
}
provider "d" {
  protocol = "script"
  script   = "model.hcl"
}
model "m" {
  provider = provider.a
  id       = "m-${local.lang}"
}
model "c" {
  provider = provider.c
  id       = "c"
}
model "d" {
  provider = provider.d
  id       = "d"
}
agent "c" {
  model = model.c
}
agent "d" {
  model = model.d
}
model "n" {
  provider = provider.b
  id       = "n"
}
agent "a" {
  model = model.m
}
agent "b" {
  model = model.n
}
`,
	}, map[string]string{"KEY": "canary", "LANG": "C"})
	if diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	var got []string
	for _, s := range cfg.Starts {
		got = append(got, s.Kind+" "+s.Text+" "+s.At.String())
	}
	want := []string{
		"env env.KEY for local.key dsh.hcl:3,10",
		"env env.LANG for local.lang dsh.hcl:4,23",
		"base_url https://a.example/v1 for provider.a dsh.hcl:8,14",
		"env env.KEY for provider.a.api_key dsh.hcl:9,14",
		"base_url https://api.openai.com/v1 for provider.b b.dsh.hcl:2,1",
		"env env.TOKEN for provider.b.headers.X-B b.dsh.hcl:4,24",
		"base_url https://api.deepseek.com for provider.c b.dsh.hcl:6,1",
		"literal a credential written in the configuration for provider.c.api_key b.dsh.hcl:9,14",
	}
	if !slices.Equal(got, want) {
		t.Errorf("starts:\n%s", strings.Join(got, "\n"))
	}
}

// TestExamplesOfTheTable reads every example that the reference shows.
func TestExamplesOfTheTable(t *testing.T) {
	var text strings.Builder
	for _, c := range schema.Language().Blocks {
		text.WriteString(c.Block.Example + "\n")
	}
	cfg, sources, diags := load(map[string]string{
		"dsh.hcl": text.String(), "prompts/workspace.md.tmpl": "${vars.team}", "AGENTS.md": "x", "hooks/guard.sh": "", "tools/lint.sh": "",
	}, nil)
	if diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	if len(cfg.Agents) != 1 || len(cfg.Agents[0].Prefix) != 5 {
		t.Errorf("agents %+v", cfg.Agents)
	}
	text.Reset()
	agent, _ := schema.Language().Child("agent")
	prefix, _ := agent.Block.Child("prefix")
	for _, c := range prefix.Block.Blocks {
		text.WriteString(c.Block.Example + "\n")
	}
	_, sources, diags = load(map[string]string{
		"dsh.hcl": "variable \"team\" { default = \"x\" }\nprovider \"p\" { protocol = \"openai\" }\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\n" +
			"prefix \"house_rules\" {}\nagent \"a\" {\n  model = model.m\n  prefix {\n" + text.String() + "}\n}\n",
		"prompts/workspace.md.tmpl": "${vars.team}", "AGENTS.md": "x", "docs/style.md": "x", ".claude/skills/a/SKILL.md": "---\ndescription: x\n---\n",
	}, nil)
	if diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	text.Reset()
	for _, c := range schema.Script().Blocks {
		text.WriteString(c.Block.Example + "\n")
		for _, inner := range c.Block.Blocks {
			if inner.Block.Like == "" && inner.Block.Example != "" {
				fmt.Fprintf(&text, "reply {\n%s\n}\n", inner.Block.Example)
			}
		}
	}
	script, diags := LoadScript("model.hcl", []byte(text.String()))
	if len(diags) > 0 {
		t.Fatal(rendered(diags, diag.Sources{"model.hcl": []byte(text.String())}))
	}
	if len(script.Replies) < 3 || script.Default == nil {
		t.Errorf("script %+v", script)
	}
}
