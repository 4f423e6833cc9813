package hclfile

import (
	"strings"
	"testing"
)

// TestNothingIsIgnored: what would change nothing without a word is said.
func TestNothingIsIgnored(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
		fails bool
	}{
		"local":       {map[string]string{"dsh.hcl": "locals {\n  a = { x = 1, y = 2, x = 3 }\n}\n"}, `The name "x" is declared twice.`, true},
		"quoted":      {map[string]string{"dsh.hcl": "locals {\n  a = { x = 1, \"x\" = 3 }\n}\n"}, `The name "x" is declared twice.`, true},
		"number":      {map[string]string{"dsh.hcl": "locals {\n  a = { 1 = 1, \"1\" = 3 }\n}\n"}, `The name "1" is declared twice.`, true},
		"inside":      {map[string]string{"dsh.hcl": "locals {\n  a = upper([{ b = { x = 1, x = 3 } }][0].b.x)\n}\n"}, `The name "x" is declared twice.`, true},
		"vars":        {map[string]string{"dsh.hcl": "provider \"p\" {\n  protocol = \"openai\"\n}\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"a\" {\n  model = model.m\n  prefix {\n    template \"t\" {\n      content = \"${vars.a}\"\n      vars = { a = 1, a = 2 }\n    }\n  }\n}\n"}, `The name "a" is declared twice.`, true},
		"headers":     {map[string]string{"dsh.hcl": "provider \"p\" {\n  protocol = \"openai\"\n  headers = { A = \"x\", a = \"y\" }\n}\n"}, "is declared twice.", true},
		"env":         {map[string]string{"dsh.hcl": "hook \"p\" {\n  on = [\"Stop\"]\n  command = [\"x\"]\n  env = { A = \"x\", A = \"y\" }\n}\n"}, "is declared twice.", true},
		"upper case":  {map[string]string{"dsh.hcl": "", "dsh.HCL": ""}, "dsh.HCL is not read", false},
		"mixed case":  {map[string]string{"dsh.hcl": "", "Extra.DSH.hcl": ""}, "Rename it to Extra.dsh.hcl.", false},
		"environment": {map[string]string{"dsh.hcl": "variable \"team\" {\n  default = \"x\"\n}\n"}, "DSH_VAR_taem is set, and no variable \"taem\" is declared. Did you mean DSH_VAR_team?", false},
	} {
		m := memory{}
		for file, text := range c.files {
			m[testDir+"/"+file] = text
		}
		opts := options(m, nil)
		opts.EnvNames = func() []string { return []string{"PATH", "DSH_VAR_taem", "DSH_VAR_unrelated"} }
		_, sources, diags := Load(testDir, testWorkspace, opts)
		out := strings.Join(strings.Fields(rendered(diags, sources)), " ")
		if !strings.Contains(out, c.want) || diags.HasErrors() != c.fails || strings.Contains(out, "unrelated") {
			t.Errorf("%s: %s", name, out)
		}
	}
	// Names that are computed may be the same by chance.
	if _, sources, diags := load(map[string]string{"dsh.hcl": "locals {\n  k = \"x\"\n  a = { (local.k) = 1, x = 3 }\n}\n"}, nil); diags.HasErrors() {
		t.Error(rendered(diags, sources))
	}
}
