package hclfile

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
)

// provider reads a configuration with one provider that has these attributes.
func provider(t *testing.T, attrs string, files map[string]string, env map[string]string) config.Provider {
	t.Helper()
	all := map[string]string{"dsh.hcl": "locals {\n  prefix = \"Bearer\"\n}\nprovider \"p\" {\n  protocol = \"openai\"\n" + attrs + "\n}\n"}
	for name, text := range files {
		all[name] = text
	}
	cfg, sources, diags := load(all, env)
	if diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	return cfg.Providers[0]
}

func TestReveal(t *testing.T) {
	cases := []struct {
		expr  string
		files map[string]string
		env   map[string]string
		want  string
		fails string
	}{
		{expr: "env.KEY", env: map[string]string{"KEY": "k"}, want: "k"},
		{expr: `"${local.prefix} ${env.KEY}"`, env: map[string]string{"KEY": "k"}, want: "Bearer k"},
		{expr: `trimspace(file("key.txt"))`, files: map[string]string{"key.txt": "k\n"}, want: "k"},
		{expr: `try(env.KEY, env.OTHER)`, env: map[string]string{"OTHER": "o"}, want: "o"},
		{expr: `try(env.KEY, null)`, want: ""},
		{expr: `try(env.KEY, null)`, env: map[string]string{"KEY": "k"}, want: "k"},
		{expr: `env.KEY`, env: map[string]string{"KEY": " canary"}, fails: "dsh.hcl:6,13: Secret cannot be used: The credential begins or ends with a blank; trimspace(...) removes it."},
		{expr: `env.KEY`, env: map[string]string{"KEY": "canary\u00a0"}, fails: "The credential begins or ends with a blank"},
		{expr: `env.KEY`, fails: "dsh.hcl:6,13: Environment variable not set: KEY is not set, and what reads it is used now."},
		{expr: `env.KEY`, env: map[string]string{"KEY": ""}, fails: "dsh.hcl:6,13: Secret cannot be used: The credential is empty"},
		{expr: `env.KEY`, env: map[string]string{"KEY": "canary\n"}, fails: "The credential holds a line break"},
		{expr: `file("key.txt")`, fails: "the file key.txt does not exist"},
		{expr: `tonumber(env.KEY)`, env: map[string]string{"KEY": "canary"}, fails: "invalid argument (sensitive)"},
		{expr: `jsondecode(env.KEY)`, env: map[string]string{"KEY": "12"}, fails: "The credential is not a text"},
	}
	for _, c := range cases {
		if strings.HasPrefix(c.expr, "tonumber") {
			c.expr = "tostring(" + c.expr + ")"
		}
		p := provider(t, "  api_key = "+c.expr, c.files, c.env)
		got, diags := p.APIKey.Reveal()
		if c.fails == "" {
			if got != c.want || len(diags) > 0 {
				t.Errorf("%s: %q, %v", c.expr, got, diags)
			}
			continue
		}
		err := diags.Err()
		if err == nil || !strings.Contains(err.Error(), c.fails) || got != "" || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %q, %v, want %s", c.expr, got, err, c.fails)
		}
	}
}

// TestParts: what a secret is made of is known besides the whole.
func TestParts(t *testing.T) {
	env := map[string]string{"T": "token-1", "U": "user-2", "OTHER": "other-3", "DSH_VAR_pw": "secret-4"}
	files := map[string]string{"more.dsh.hcl": "variable \"pw\" {\n  sensitive = true\n}\nlocals {\n  made = \"Basic ${upper(env.U)}\"\n  unused = env.OTHER\n  s = sensitive([\"written-5\"])\n}\n"}
	for _, c := range []struct{ expr, value, parts string }{
		{`env.T`, "token-1", ""},
		{`"Token token=${env.T}"`, "Token token=token-1", "token-1"},
		{`"${env.T}:${env.U}"`, "token-1:user-2", "token-1 user-2"},
		{`format("Token token=%s", env.T)`, "Token token=token-1", "token-1"},
		{`"x=${upper(env.T)}"`, "x=TOKEN-1", "TOKEN-1 token-1"},
		{`"${local.made};"`, "Basic USER-2;", "Basic USER-2 USER-2 user-2"},
		{`"x ${var.pw}"`, "x secret-4", "secret-4"},
		{`"x ${local.s[0]}"`, "x written-5", "written-5"},
		{`"x"`, "x", ""},
	} {
		p := provider(t, "  headers = { \"X-A\" = "+c.expr+" }", files, env)
		value, parts, problems := p.Headers[0].Value.RevealParts()
		slices.Sort(parts)
		if value != c.value || strings.Join(parts, " ") != c.parts || problems.HasErrors() {
			t.Errorf("%s: %q, %q, %v", c.expr, value, parts, problems)
		}
	}
}

// TestHeaderIsNotNull: without a value there is no header to send, so it is left
// out by whoever writes it, not by chance.
func TestHeaderIsNotNull(t *testing.T) {
	p := provider(t, "  headers = { \"X-A\" = try(env.KEY, null) }", nil, nil)
	got, diags := p.Headers[0].Value.Reveal()
	if err := diags.Err(); got != "" || err == nil || !strings.Contains(err.Error(), "dsh.hcl:6,23: Secret cannot be used: The header X-A is null. Leave it out, or give it a value.") {
		t.Errorf("%q, %v", got, diags)
	}
}

func TestRevealAtTheSameTime(t *testing.T) {
	p := provider(t, "  api_key = \"${workspace.name} ${env.KEY}\"\n  headers = { \"X-A\" = \"${upper(env.KEY)}\" }", nil, map[string]string{"KEY": "k"})
	var wait sync.WaitGroup
	for range 20 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			a, _ := p.APIKey.Reveal()
			b, _ := p.Headers[0].Value.Reveal()
			if a != "project k" || b != "K" {
				t.Errorf("%q, %q", a, b)
			}
		}()
	}
	wait.Wait()
}

func TestSecretsDoNotPrint(t *testing.T) {
	p := provider(t, "  api_key = env.KEY", nil, map[string]string{"KEY": "canary"})
	for _, s := range []string{fmt.Sprint(p), fmt.Sprintf("%+v %#v %q", p, p.APIKey, p.APIKey)} {
		if strings.Contains(s, "canary") {
			t.Error(s)
		}
	}
}

// TestSecretsInSources reads configurations that hold secrets and a mistake, and
// looks for the secrets in everything that is shown.
func TestSecretsInSources(t *testing.T) {
	cases := map[string]string{
		"beside a mistake":    "provider \"p\" { api_key = \"canary\" }",
		"in a header":         "provider \"p\" {\n  headers = {\n    \"X-A\" = \"canary\"\n    \"X B\" = \"x canary\"\n  }\n}",
		"in an expression":    "provider \"p\" {\n  protocol = \"openai\"\n  api_key = upper(\"canary${local.x}\")\n}",
		"in a heredoc":        "provider \"p\" {\n  api_key = <<EOT\ncanary\nEOT\n}",
		"in an address":       "provider \"p\" {\n  protocol = \"openai\"\n  base_url = \"https://x:canary@example.com\"\n}",
		"of a variable":       "variable \"v\" {\n  sensitive = true\n  type = number\n  default = \"canary\"\n}",
		"of a name":           "variable \"v\" {\n  sensitive = true\n  default = sk-canary\n}",
		"of odd a variable":   "variable \"v\" {\n  sensitive = \"x\"\n  default = [\"canary\"]\n}",
		"without a scheme":    "provider \"p\" {\n  protocol = \"openai\"\n  base_url = \"x:canary@example.com\"\n}",
		"in a query":          "provider \"p\" {\n  protocol = \"openai\"\n  base_url = \"https://example.com?a=b@canary\"\n}",
		"as a name":           "provider \"p\" {\n  api_key = sk-canary\n}",
		"as a call":           "provider \"p\" {\n  api_key = sk-canary(1)\n}",
		"of a misspelt name":  "provider \"p\" {\n  protocol = \"openai\"\n  apikey = \"canary\"\n}",
		"of another name":     "provider \"p\" {\n  protocol = \"openai\"\n  access_token = \"canary\"\n}",
		"misspelt, broken":    "provider \"p\" {\n  protocol = \"openai\"\n  apikey = \"canary\" x\n}",
		"elsewhere":           "agent \"p\" {\n  api_key = \"canary\"\n}",
		"in an unknown block": "providr \"p\" { api_key = \"canary\" }",
		"unclosed":            "provider \"p\" {\n  api_key = \"canary\n}",
		"unclosed header":     "provider \"p\" {\n  headers = {\n    \"X-A\" = \"canary\n  }\n}",
		"unquoted":            "provider \"p\" {\n  api_key = sk-canary !\n}",
		"with a stray sign":   "provider \"p\" {\n  api_key = \"canary\" ]\n}",
		"on one line":         "provider \"p\" { api_key = \"canary }",
	}
	for name, text := range cases {
		_, sources, diags := load(map[string]string{"dsh.hcl": text}, nil)
		if !diags.HasErrors() {
			t.Errorf("%s: no error", name)
		}
		var b strings.Builder
		if err := diag.JSON(&b, diags, sources); err != nil {
			t.Fatal(err)
		}
		for file, s := range sources {
			if len(s) != len(text) {
				t.Errorf("%s: %s has %d bytes, not %d", name, file, len(s), len(text))
			}
		}
		if out := rendered(diags, sources) + b.String(); strings.Contains(out, "canary") {
			t.Errorf("%s: the secret is shown:\n%s", name, out)
		}
	}
}

// TestSecretsInPrompts: a configuration file that is a prompt as well keeps its
// secrets.
func TestSecretsInPrompts(t *testing.T) {
	_, sources, diags := load(map[string]string{"dsh.hcl": `provider "p" {
  protocol = "openai"
  api_key  = "canary"
}
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
  prefix {
    template "t" { path = "dsh.hcl" }
  }
}
# ${nothing}
`}, nil)
	if out := rendered(diags, sources); !diags.HasErrors() || strings.Contains(out, "canary") || strings.Contains(string(sources["dsh.hcl"]), "canary") {
		t.Error(out)
	}
}

// TestLiteralsAreBlotted: what somebody wrote as a secret is in no snippet, whatever
// its type and wherever it stands.
func TestLiteralsAreBlotted(t *testing.T) {
	for _, text := range []string{
		"provider \"p\" {\n  protocol = \"openai\"\n  api_key = 4242424242\n}\n",
		"locals {\n  x = nope(sensitive(\"4242424242\"))\n}\n",
		"locals {\n  x = nope(sensitive({ a = [4242424242] }))\n}\n",
	} {
		_, sources, diags := load(map[string]string{"dsh.hcl": text}, nil)
		if out := rendered(diags, sources); !diags.HasErrors() || strings.Contains(out, "4242") {
			t.Errorf("%s", out)
		}
	}
}
