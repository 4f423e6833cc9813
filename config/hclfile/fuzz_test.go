package hclfile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/config/diag"
)

// FuzzLoad holds that no configuration, template or script makes Load fail in
// another way than by diagnostics, which can be rendered.
func FuzzLoad(f *testing.F) {
	paths, err := filepath.Glob("testdata/[es]*/*")
	if err != nil || len(paths) == 0 {
		f.Fatal(len(paths), err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, []byte("${vars.x} %{ if vars.y }a%{ endif }"))
	}
	const read = "provider \"p\" { protocol = \"openai\" }\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"a\" {\n  model = model.m\n  prefix {\n" +
		"    messages \"m\" { path = \"primer.jsonl\" }\n    files \"f\" { include = [\"**\"] }\n    instructions \"i\" {}\n    skills \"s\" { path = \"skills\" }\n  }\n}\n"
	for _, text := range []string{"{\"role\": \"user\", \"content\": \"x\"}\n[", "---\nname: &a [*a]\ndescription: |\n  x\n---\n", "@docs/a.md `@AGENTS.md` @AGENTS.md"} {
		f.Add([]byte(read), []byte(text))
	}
	f.Add([]byte(fullConfig), []byte("Hello ${vars.team}, ${agent.name}\n"))
	f.Fuzz(func(t *testing.T, text, template []byte) {
		m := memory{
			testDir + "/dsh.hcl":                   string(text),
			testDir + "/prompts/workspace.md.tmpl": string(template),
			testDir + "/prompts/reviewer.md":       string(template),
			testDir + "/a.tmpl":                    string(template),
			testDir + "/model.hcl":                 string(text),
			testDir + "/primer.jsonl":              string(template),
			testDir + "/AGENTS.md":                 string(template),
			testDir + "/docs/a.md":                 string(template),
			testDir + "/skills/pdf/SKILL.md":       string(template),
		}
		opts := options(m, map[string]string{"TOKEN": "t"})
		opts.Inputs = []Input{{Name: "team", Value: string(template)}, {File: "v.dshvars", Text: template}}
		cfg, sources, diags := Load(testDir, testWorkspace, opts)
		if (cfg == nil) != diags.HasErrors() {
			t.Errorf("configuration %v, errors %v", cfg != nil, diags.HasErrors())
		}
		render(t, diags, sources)
		if cfg != nil {
			for _, e := range cfg.Entries() {
				if !json.Valid([]byte(e.Value)) || e.Block == "" {
					t.Errorf("entry %+v", e)
				}
			}
		}
		script, diags := LoadScript("model.hcl", text)
		if (script == nil) != diags.HasErrors() {
			t.Errorf("script %v, errors %v", script != nil, diags.HasErrors())
		}
		render(t, diags, diag.Sources{"model.hcl": text})
	})
}

func render(t *testing.T, diags diag.List, sources diag.Sources) {
	t.Helper()
	rendered(diags, sources)
	var b strings.Builder
	if err := diag.JSON(&b, diags, sources); err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		if d.Summary == "" || d.Severity == diag.Warning && d.Rule == "" {
			t.Errorf("diagnostic %+v", d)
		}
	}
}

// TestHostileInputs reads small files that are made to take much time or stack.
func TestHostileInputs(t *testing.T) {
	local := func(expr string) string { return "locals {\n  a = " + expr + "\n}\n" }
	many := func(s string) string { return strings.Repeat(s, (maxConfig-100)/len(s)) }
	var doubling strings.Builder
	doubling.WriteString("locals {\n  x0 = \"aaaaaaaaaaaaaaaa\"\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&doubling, "  x%d = \"${local.x%d}${local.x%d}\"\n", i, i-1, i-1)
	}
	doubling.WriteString("}\n")
	cases := map[string]string{
		"brackets":       local(many("(")),
		"lists":          local(many("[")),
		"objects":        local(many("{a=")),
		"not":            local(many("!") + "true"),
		"not on lines":   local("(" + many("!\n") + "true)"),
		"minus":          local(many("-") + "1"),
		"conditionals":   local(many("a?b:")),
		"sums":           local(many("1+") + "1"),
		"indexes":        local("b" + many("[b]")),
		"attributes":     local("b" + many(".b")),
		"splats":         local("b" + many("[*]")),
		"dotted splats":  local("b" + many(".*")),
		"calls":          local(many("upper(")),
		"templates":      local(many("\"${")),
		"heredocs":       local(many("<<A\n${")),
		"directives":     local("<<A\n" + many("%{if true}") + "\nA\n"),
		"blocks":         many("a {"),
		"for":            local(many("[for x in ")),
		"comments":       many("/*"),
		"json":           local("jsondecode(\"" + many("[") + "\")"),
		"doubling":       doubling.String(),
		"product":        local("setproduct(range(1000), range(1000), range(1000))"),
		"width":          local("format(\"%999999999d\", 1)"),
		"indent":         local("indent(999999999, \"a\\nb\")"),
		"number":         local("\"${1e999999999}\""),
		"distant locals": "locals {\n" + chain(20000) + "}\n",
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, _, diags := load(map[string]string{"dsh.hcl": text}, nil)
			if !diags.HasErrors() && name != "sums" && name != "distant locals" {
				t.Error("no error")
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

// chain is n locals, each made of the one after it.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  x%d = local.x%d\n", i, i+1)
	}
	fmt.Fprintf(&b, "  x%d = 1\n", n)
	return b.String()
}
