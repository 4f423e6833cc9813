package hclfile

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/config/diag"
)

// TestNotUTF8: what comes from outside and is no UTF-8 is refused where it is read.
func TestNotUTF8(t *testing.T) {
	const bad = "a\xffb"
	prompt := func(expr string) string {
		return "provider \"p\" {\n  protocol = \"openai\"\n}\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"a\" {\n  model = model.m\n  prefix {\n    text \"t\" { content = " + expr + " }\n  }\n}\n"
	}
	for _, c := range []struct {
		name, text string
		opts       func(*Options)
		want       string
	}{
		{"variable", "variable \"v\" {}\n" + prompt("var.v"), nil, "The value of DSH_VAR_v is not UTF-8 text."},
		{"typed variable", "variable \"v\" { type = list(string) }\n" + prompt("join(\"\", var.v)"), nil, "The value of DSH_VAR_v is not UTF-8 text."},
		{"sensitive variable", "variable \"v\" { sensitive = true }\n" + prompt("nonsensitive(var.v)"), nil, "The value of DSH_VAR_v is not UTF-8 text."},
		{"flag", "variable \"f\" {}\n" + prompt("var.f"), func(o *Options) { o.Inputs = []Input{{Name: "f", Value: bad}} }, "The value of --var f is not UTF-8 text."},
		{"name of a flag", prompt("\"x\""), func(o *Options) { o.Inputs = []Input{{Name: bad, Value: "x"}} }, "The name of a --var is not UTF-8 text."},
		{"environment", prompt("nonsensitive(env.E)"), nil, "The value of the environment variable E is not UTF-8 text."},
		{"environment in try", prompt("try(nonsensitive(env.E), \"x\")"), nil, "The value of the environment variable E is not UTF-8 text."},
		{"home", prompt("path.home"), func(o *Options) { o.Home = "/home/" + bad }, "The path of the home folder is not plain text"},
	} {
		m := memory{testDir + "/dsh.hcl": c.text}
		opts := options(m, map[string]string{"DSH_VAR_v": bad, "E": bad})
		if c.opts != nil {
			c.opts(&opts)
		}
		cfg, sources, diags := Load(testDir, testWorkspace, opts)
		if out := rendered(diags, sources); cfg != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), c.want) {
			t.Errorf("%s: %v\n%s", c.name, cfg, out)
		}
		for name, text := range sources {
			if !utf8.ValidString(name) || !utf8.Valid(text) {
				t.Errorf("%s: source %q", c.name, name)
			}
		}
		var b strings.Builder
		if err := diag.JSON(&b, diags, sources); err != nil || !utf8.ValidString(b.String()) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestSecretNotUTF8(t *testing.T) {
	p := provider(t, "  api_key = env.KEY", nil, map[string]string{"KEY": "canary\xff"})
	got, diags := p.APIKey.Reveal()
	if err := diags.Err(); got != "" || err == nil || !strings.Contains(err.Error(), "dsh.hcl:6,13: Not UTF-8: The value of the environment variable KEY is not UTF-8 text.") {
		t.Errorf("%q, %v", got, diags)
	}
}

// TestFileNames: the place of a problem is shown, so names that could pass for
// something else are refused.
func TestFileNames(t *testing.T) {
	for _, name := range []string{"a\xff.dsh.hcl", "a\nb.dsh.hcl", "\x1b[2Ka.dsh.hcl", "a\u202eb.dsh.hcl", "a\u0085.dsh.hcl", "a\x1b.dsh.hcl.json"} {
		cfg, sources, diags := load(map[string]string{"dsh.hcl": "", name: "locals {\n  x = y\n}\n"}, nil)
		if err := diags.Err(); cfg != nil || err == nil || !strings.Contains(err.Error(), "File name cannot be used") {
			t.Errorf("%q: %v", name, err)
		}
		plainDiagnostics(t, diags, sources)
	}
	for _, name := range []string{"a\u001b[2K.md", "a\u202eb.md"} {
		quoted := strings.NewReplacer("\u001b", `\u001b`, "\u202e", `\u202e`).Replace(name)
		_, sources, diags := load(map[string]string{"dsh.hcl": "locals {\n  x = file(\"" + quoted + "\")\n}\nprovider \"p\" {\n  protocol = \"script\"\n  script = \"" + quoted + "\"\n}\n"}, nil)
		if out := rendered(diags, sources); strings.Count(out, "holds a control character") != 2 {
			t.Errorf("%q: %s", name, out)
		}
		plainDiagnostics(t, diags, sources)
	}
	// Names of other files are passed over, and not suggested.
	_, sources, diags := load(map[string]string{"dsh.hcl": "locals {\n  x = file(\"a.md\")\n}\n", "a\x1b.md": "", "b\xff.md": ""}, nil)
	plainDiagnostics(t, diags, sources)
}

func plainDiagnostics(t *testing.T, diags diag.List, sources diag.Sources) {
	t.Helper()
	for _, d := range diags {
		for _, s := range []string{d.Summary, d.Detail, d.Subject.File} {
			if !isPlain(s) {
				t.Errorf("raw characters in %q", s)
			}
		}
	}
	for name := range sources {
		if !isPlain(name) {
			t.Errorf("source %q", name)
		}
	}
}

func TestFolderNames(t *testing.T) {
	for _, dir := range []string{"/work/a\xffb", "/work/a\nb", "/work/\x1b[2K"} {
		for _, where := range [][2]string{{dir, testWorkspace}, {testDir, dir}} {
			m := memory{where[0] + "/dsh.hcl": "locals {\n  x = y\n}\n"}
			cfg, sources, diags := Load(where[0], where[1], options(m, nil))
			if err := diags.Err(); cfg != nil || err == nil || !strings.Contains(err.Error(), "Folder name cannot be used") {
				t.Errorf("%q: %v", dir, err)
			}
			plainDiagnostics(t, diags, sources)
		}
	}
}

// TestEnvironmentNames: the name stands in the question whether to trust, so
// nothing but a name can be one.
func TestEnvironmentNames(t *testing.T) {
	for _, expr := range []string{`env["A\nB"]`, `env["A B"]`, `env["\u001b[2K"]`, `env.A-B`, `env["1A"]`, `env[""]`, `env.É`, `try(env["A\nB"], "x")`} {
		for _, text := range []string{
			"locals {\n  x = " + expr + "\n}\n",
			"provider \"p\" {\n  protocol = \"openai\"\n  api_key = " + expr + "\n}\n",
		} {
			cfg, sources, diags := load(map[string]string{"dsh.hcl": text}, map[string]string{"A\nB": "x", "A-B": "x"})
			if err := diags.Err(); cfg != nil || err == nil || !strings.Contains(err.Error(), "Invalid variable name") {
				t.Errorf("%s: %v", text, err)
			}
			plainDiagnostics(t, diags, sources)
		}
	}
}

// TestStartsArePlain: what a person is asked to trust holds no character that
// could change what she reads.
func TestStartsArePlain(t *testing.T) {
	cfg, sources, diags := load(map[string]string{"dsh.hcl": `provider "p" {
  protocol = "openai"
  base_url = "https://example.com/\u202ea"
}
hook "h" {
  on      = ["Stop"]
  command = ["sh", "-c", "a\n\u001b[2K\u202e\u0085b"]
  env     = { A = env.B }
}
`}, nil)
	if cfg == nil {
		t.Fatal(rendered(diags, sources))
	}
	if len(cfg.Starts) != 3 {
		t.Errorf("%v", cfg.Starts)
	}
	for _, s := range cfg.Starts {
		if !isPlain(s.Text) || !isPlain(s.At.File) {
			t.Errorf("%q", s.Text)
		}
	}
}
