package hclfile

import (
	"path"
	"strings"
	"testing"
)

// digestIn loads the full configuration in a folder and returns its digest.
func digestIn(t *testing.T, dir string, edit func(files map[string]string), env map[string]string) string {
	t.Helper()
	files := fullFiles()
	if edit != nil {
		edit(files)
	}
	m := memory{}
	for name, text := range files {
		m[path.Join(dir, name)] = text
	}
	opts := options(m, env)
	opts.Dir = dir
	cfg, sources, diags := Load(dir, dir, opts)
	if diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	return cfg.Agents[0].Digest
}

func TestDigest(t *testing.T) {
	replace := func(old, new string) func(map[string]string) {
		return func(files map[string]string) {
			if !strings.Contains(files["dsh.hcl"], old) {
				t.Fatalf("the configuration has no %q", old)
			}
			files["dsh.hcl"] = strings.Replace(files["dsh.hcl"], old, new, 1)
		}
	}
	base := digestIn(t, testDir, nil, nil)
	same := map[string]func(map[string]string){
		"lines move":              func(f map[string]string) { f["dsh.hcl"] = "\n\n# comment\n" + f["dsh.hcl"] },
		"another agent":           replace("agent \"tester\" {", "agent \"other\" {"),
		"a prompt file":           func(f map[string]string) { f["prompts/reviewer.md"] = "Be strict.\n" },
		"a size, spelt otherwise": replace(`"1KiB"`, "1024"),
		"a default, written":      replace("oversize  = \"tail\"", "oversize  = \"tail\"\n      on_error  = \"fail\""),
	}
	for name, edit := range same {
		if got := digestIn(t, testDir, edit, nil); got != base {
			t.Errorf("%s: the digest changed", name)
		}
	}
	if digestIn(t, testDir, nil, map[string]string{"DEEPSEEK_API_KEY": "canary"}) != base {
		t.Error("a secret is in the digest")
	}
	different := map[string]func(map[string]string){
		"text":           replace("Never push.", "Push."),
		"order":          replace("text \"persona\" { content = local.greeting }\n    file \"method\"  { path = \"prompts/reviewer.md\" }", "file \"method\"  { path = \"prompts/reviewer.md\" }\n    text \"persona\" { content = local.greeting }"),
		"role":           replace(`"assistant"`, `"user"`),
		"limit":          replace("max_steps = 12", "max_steps = 13"),
		"model":          replace("temperature       = 0.2", "temperature       = 0.3"),
		"provider":       replace(`"30s"`, `"31s"`),
		"template":       func(f map[string]string) { f["prompts/workspace.md.tmpl"] += "." },
		"vars":           replace("vars = { team = var.team }", `vars = { team = "other" }`),
		"key is dropped": replace("api_key      = env.DEEPSEEK_API_KEY", ""),
		"header":         replace(`"X-Team"`, `"X-Group"`),
		"when":           replace(`when    = var.team == "core"`, "when    = false"),
	}
	seen := map[string]string{base: "base"}
	for name, edit := range different {
		got := digestIn(t, testDir, edit, nil)
		if earlier, again := seen[got]; again {
			t.Errorf("%s has the digest of %s", name, earlier)
		}
		seen[got] = name
	}
}

// TestDigestInAnotherCheckout holds for a configuration that puts no absolute
// path into a text.
func TestDigestInAnotherCheckout(t *testing.T) {
	rename := func(files map[string]string) {
		files["prompts/workspace.md.tmpl"] = "${vars.team}"
	}
	if digestIn(t, "/a/project", rename, nil) != digestIn(t, "/somewhere/else", rename, nil) {
		t.Error("the digest depends on the folder")
	}
}
