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

// TestDigestOfContributors holds that what a contributor declares is in the digest, and
// what its files say is not.
func TestDigestOfContributors(t *testing.T) {
	const text = `provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
prefix "g" {
  messages "primer" {
    message {
      role    = "user"
      content = "one"
    }
  }
}
agent "a" {
  model = model.m
  prefix {
    include { prefix = prefix.g }
    messages "lines" { path = "primer.jsonl" }
    files "docs" {
      include = ["docs/*.md"]
      exclude = ["docs/x.md"]
      path    = "."
    }
    instructions "project" { names = ["AGENTS.md"] }
    command "facts" {
      command = ["facts", "-v"]
      env     = { MODE = "strict" }
    }
    skills "team" { path = "skills" }
  }
}
`
	digest := func(text string, files map[string]string) string {
		all := map[string]string{"dsh.hcl": text, "primer.jsonl": "", "docs/a.md": "a", "AGENTS.md": "a", "skills/a/SKILL.md": "---\ndescription: a\n---\n", "facts": ""}
		for name, content := range files {
			all[name] = content
		}
		cfg, sources, diags := load(all, nil)
		if diags.HasErrors() {
			t.Fatal(rendered(diags, sources))
		}
		return cfg.Agents[0].Digest
	}
	base := digest(text, nil)
	if digest(text, map[string]string{"primer.jsonl": "{\"role\":\"user\",\"content\":\"x\"}", "docs/b.md": "b", "AGENTS.md": "b", "skills/a/SKILL.md": "---\ndescription: b\n---\n"}) != base {
		t.Error("the content of a file is in the digest")
	}
	if digest(strings.Replace(text, `"strict"`, `"lax"`, 1), nil) != base {
		t.Error("the value of a variable is in the digest")
	}
	for _, edit := range [][2]string{
		{`"one"`, `"two"`}, {`role    = "user"`, `role    = "assistant"`}, {`prefix "g"`, `prefix "h"`}, {`path = "primer.jsonl"`, `path = "./docs/../facts"`},
		{`["docs/*.md"]`, `["docs/*"]`}, {`["docs/x.md"]`, `["docs/y.md"]`}, {`path    = "."`, `split   = true`}, {`path    = "."`, `optional = true`}, {`path    = "."`, `max_file_bytes = 10`},
		{`["AGENTS.md"]`, `["CLAUDE.md"]`}, {`["facts", "-v"]`, `["facts", "-w"]`}, {`MODE`, `LEVEL`}, {`env     =`, "timeout = \"1s\"\n      env     ="},
		{`path = "skills" }`, `path = "skills/../skills/." }`},
	} {
		changed := strings.ReplaceAll(text, edit[0], edit[1])
		if edit[0] == `prefix "g"` {
			changed = strings.ReplaceAll(changed, "prefix.g", "prefix.h")
		}
		same := strings.HasPrefix(edit[0], `path = "skills"`)
		if changed == text || (digest(changed, nil) == base) != same {
			t.Errorf("%s for %s: the digest is wrong", edit[1], edit[0])
		}
	}
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
