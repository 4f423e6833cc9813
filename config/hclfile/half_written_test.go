package hclfile

import (
	"strings"
	"testing"
)

// TestHalfWrittenSecrets: no message shows a secret of a file that is not yet right,
// in either syntax. What is hidden besides does no harm.
func TestHalfWrittenSecrets(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","api_key":"canary",}}}`},
		{"x.dsh.hcl.json", `{"variable":{"z":{"sensitive":true,"default":"canary"},"model":{}}`},
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","api_key":"canary ${"}}}`},
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","api_key":"canary\q"}}}`},
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","api_key":"A","api_key":"canary"}}}`},
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","api_key":canary}}}`},
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","api_key":"canary}}}`},
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","headers":{"X: canary":"x"}}}}`},
		{"dsh.hcl", "provider \"p\" {\n  protocol=\"openai\" api_key = \"canary\"\n}\n"},
		{"dsh.hcl", "provider \"p\" {\n  api_key \"canary\"\n}\n"},
		{"dsh.hcl", "provider \"p\" {\n  api_key canary\n}\n"},
		{"dsh.hcl", "provider \"p\" {\n  protocol = \"openai\"\n  api_key = { canary = 1 }\n}\n"},
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","api_key":{"canary":1}}}}`},
		{"x.dsh.hcl.json", `{"provider":{"z":{"protocol":"openai","api_key":[{"canary":1}]}}}`},
		{"dsh.hcl", "locals {\n  password = \"canary\"\n  y = local.password + 1\n}\n"},
		{"dsh.hcl", "locals {\n  password = \"canary\"\n  y = tonumber(local.password)\n}\n"},
		{"dsh.hcl", "provider \"p\" {\n  api_key: \"canary\"\n}\n"},
		{"dsh.hcl", "variable \"s\" { default = \"canary\" sensitive = true }\n"},
		{"dsh.hcl", "variable \"s\" {\n  sensitive = true\n  default: \"canary\"\n}\n"},
		{"dsh.hcl", "variable \"s\" {\n  default: \"canary\"\n  sensitive = true\n}\n"},
		{"dsh.hcl", "variable \"s\" {\n  type = number\n  sensitve = true\n  default = \"canary\"\n}\n"},
		{"dsh.hcl", "provider \"p\" {\n  protocol = \"openai\"\n  headers = canary\n}\n"},
		{"dsh.hcl", "provider \"p\" {\n  protocol = \"openai\"\n  headers = { A = canary }\n}\n"},
		{"dsh.hcl", "hook \"p\" {\n  on = [\"Stop\"]\n  command = [\"true\"]\n  env = canary\n}\n"},
		{"dsh.hcl", "provider \"p\" {\n  protocol = \"openai\"\n  headers = { \"X: canary\" = \"x\" }\n}\n"},
	} {
		m := memory{testDir + "/" + c.name: c.text}
		if c.name != "dsh.hcl" {
			m[testDir+"/dsh.hcl"] = "# nothing\n"
		}
		_, sources, diags := Load(testDir, testWorkspace, options(m, nil))
		if !diags.HasErrors() {
			t.Errorf("%s is right", c.text)
		}
		if out := rendered(diags, sources); strings.Contains(out, "canary") {
			t.Errorf("%s\n%s", c.text, out)
		}
	}
}
