package hclfile

import (
	"fmt"
	"strings"
	"testing"
)

// project is a configuration of ten files with some twenty contributors each in
// three agents, the size that the checking of one is budgeted for: 5 ms.
func project() memory {
	m := memory{}
	write := func(name, text string) { m[testDir+"/"+name] = text }
	write("dsh.hcl", "variable \"team\" {\n  type = string\n  default = \"core\"\n}\n")
	write("providers.dsh.hcl", "provider \"p\" {\n  protocol = \"openai\"\n  api_key = env.KEY\n}\nprovider \"s\" {\n  protocol = \"script\"\n  script = \"model.hcl\"\n}\n")
	write("models.dsh.hcl", "model \"chat\" {\n  provider = provider.p\n  id = \"m\"\n  context_window = 100000\n}\nmodel \"small\" {\n  provider = provider.s\n  id = \"s\"\n}\n")
	write("model.hcl", strings.Repeat("reply {\n  text = \"ok\"\n  tool \"read\" {\n    path = \"x\"\n  }\n}\n", 20))
	var locals strings.Builder
	locals.WriteString("locals {\n")
	for i := range 20 {
		fmt.Fprintf(&locals, "  l%d = \"Rules of ${upper(var.team)} number %d.\"\n", i, i)
	}
	write("locals.dsh.hcl", locals.String()+"}\n")
	for a := range 3 {
		var b strings.Builder
		fmt.Fprintf(&b, "agent \"a%d\" {\n  model = model.%s\n  system {\n    text \"persona\" { content = \"You are ${agent.name}.\" }\n  }\n  prefix {\n", a, []string{"chat", "small", "chat"}[a])
		for i := range 20 {
			fmt.Fprintf(&b, "    text \"t%d\" {\n      content = <<-EOT\n        %s\n        ${local.l%d}\n      EOT\n      envelope = \"rules\"\n    }\n", i, strings.Repeat("Follow the style guide. ", 10), i)
		}
		fmt.Fprintf(&b, "    file \"f\" { path = \"prompts/f.md\" }\n    template \"x\" {\n      path = \"prompts/x.tmpl\"\n      vars = { team = var.team }\n    }\n  }\n}\n")
		write(fmt.Sprintf("agent%d.dsh.hcl", a), b.String())
	}
	write("prompts/f.md", strings.Repeat("A line of instructions.\n", 200))
	write("prompts/x.tmpl", strings.Repeat("For ${vars.team} in ${workspace.name}.\n", 20))
	return m
}

func BenchmarkLoad(b *testing.B) {
	m := project()
	opts := options(m, nil)
	b.ReportAllocs()
	for b.Loop() {
		cfg, sources, diags := Load(testDir, testWorkspace, opts)
		if cfg == nil || len(diags) > 0 {
			b.Fatal(rendered(diags, sources))
		}
	}
}

func BenchmarkLoadSmall(b *testing.B) {
	m := memory{testDir + "/dsh.hcl": fullConfig}
	for name, text := range fullFiles() {
		m[testDir+"/"+name] = text
	}
	opts := options(m, nil)
	b.ReportAllocs()
	for b.Loop() {
		if cfg, _, _ := Load(testDir, testWorkspace, opts); cfg == nil {
			b.Fatal("errors")
		}
	}
}
