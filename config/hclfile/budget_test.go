package hclfile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestHostile: what would take the memory or the day is a problem like others, and
// is found soon.
func TestHostile(t *testing.T) {
	letters := strings.Repeat("é", 1_500_000)
	big := "  a = \"" + strings.Repeat("a", 100_000) + "\"\n  lines = replace(local.a, \"a\", \"\\n\")\n"
	loop := func(body string) string {
		return "  x = \"" + strings.Repeat("%{ for i in range(1000) }", 3) + body + strings.Repeat("%{ endfor }", 3) + "\"\n"
	}
	for name, c := range map[string][2]string{
		"replace":          {big + "  x = replace(local.a, \"a\", local.a)\n", "more than 16 MiB"},
		"replace empty":    {big + "  x = replace(local.a, \"\", local.a)\n", "more than 16 MiB"},
		"regexreplace":     {big + "  x = regexreplace(local.a, \"a\", local.a)\n", "more than 16 MiB"},
		"regexreplace $":   {big + "  x = regexreplace(local.a, \"a*\", \"" + strings.Repeat("$0", 1000) + "\")\n", "more than 16 MiB"},
		"join":             {big + "  x = join(local.a, split(\"\", local.a))\n", "more than 16 MiB"},
		"formatlist":       {big + "  x = formatlist(\"%s%s\", local.a, split(\"\", local.a))\n", "more than 16 MiB"},
		"indent":           {big + "  x = indent(1000, local.lines)\n", "more than 16 MiB"},
		"number":           {"  x = \"${tonumber(\"1e100000000\")}\"\n", "too large or too small"},
		"small number":     {"  x = \"${tonumber(\"1e-100000000\")}\"\n", "too large or too small"},
		"json":             {"  x = jsondecode(\"1e300000000\")\n", "too large or too small"},
		"json inside":      {"  x = jsonencode(jsondecode(\"{\\\"a\\\":[1e300000000]}\"))\n", "too large or too small"},
		"format":           {"  x = format(\"%d\", tonumber(\"1e10000000\"))\n", "too large or too small"},
		"product":          {"  x = \"${" + strings.Repeat("1e1000*", 5000) + "1}\"\n", "too large or too small"},
		"quotient":         {"  x = \"${1" + strings.Repeat("/1e1000", 5000) + "}\"\n", "too large or too small"},
		"key":              {"  x = { (1e1000*1e1000) = 1 }\n", "too large or too small"},
		"loops":            {loop("x"), "takes too much"},
		"loops of nothing": {loop(""), "takes too much"},
		"loops of values":  {"  x = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a]]]\n", "takes too much"},
		"loops of keys":    {"  x = [for a in range(1000) : [for b in range(1000) : { for c in range(1000) : c => a if false }]]\n", "takes too much"},
		"loops in try":     {"  x = try([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a]]], 1)\n", "takes too much"},
		"loops in can":     {"  x = [for a in range(1000) : can([for b in range(1000) : [for c in range(1000) : a]])]\n", "takes too much"},
		"long loop":        {big + "  x = \"%{ for i in range(1000) }${local.a}%{ endfor }\"\n", "takes too much"},
		"lines of text":    {"  x = <<E\n" + strings.Repeat("x\n", 200_000) + "E\n", "at most 10000 lines"},
		"empty lines":      {"  x = <<E\n" + strings.Repeat("\n", 500_000) + "E\n", "at most 10000 lines"},
		"unclosed text":    {"  x = <<E\n" + strings.Repeat("x\n", 200_000), "at most 10000 lines"},
		"long list":        {"  x = tolist([" + strings.Repeat("1,", 200_000) + "])\n", "takes too much"},
		"doubling":         {doubling(40), "too large"},
		"many calls":       {"  n = \"" + strings.Repeat("1,", 10_000) + "\"\n  x = [for i in range(1000) : length(sort(split(\",\", local.n)))]\n", "takes too much"},
		"long literal":     {"  x = [for i in range(1000) : length(sort(split(\",\", \"" + strings.Repeat("1,", 130_000) + "\")))]\n", "takes too much"},
		"distinct":         {"  x = distinct(flatten([for i in range(200) : [for j in range(200) : i * 200 + j]]))\n", "takes too much"},
		"contains":         {"  n = split(\",\", \"" + strings.Repeat("1,", 50_000) + "\")\n  x = [for i in range(1000) : [for j in range(3) : i if contains(local.n, \"2\")]]\n", "takes too much"},
		"matches":          {big + "  x = length(regexall(\"x*y|x\", \"" + strings.Repeat("x", 200_000) + "\"))\n", "takes too much"},
		"matches behind":   {big + "  x = length(regexall(\"x*y$|x\", \"" + strings.Repeat("x", 200_000) + "\"))\n", "takes too much"},
		"pattern":          {"  x = [for i in range(10) : length(regexall(\"(?:a?){990}b\", \"" + strings.Repeat("a", 300_000) + "\"))]\n", "takes too much"},
		"lines":            {"  x = [for i in range(1000) : strlen(indent(1000, \"" + strings.Repeat("\\n", 15_000) + "\"))]\n", "takes too much"},
		"letters":          {"  x = [for i in range(250) : strlen(file(\"w.txt\"))]\n", "takes too much"},
		"jsondecode":       {"  x = [for i in range(1000) : length(jsondecode(\"[" + strings.Repeat("1,", 100_000) + "1]\"))]\n", "takes too much"},
		"long body":        {"  x = [for i in range(1000) : [for j in range(240) : " + strings.Repeat("1+", 100_000) + "1]]\n", "takes too much"},
	} {
		start := time.Now()
		_, sources, diags := load(map[string]string{"dsh.hcl": "locals {\n" + c[0] + "}\n", "w.txt": letters}, nil)
		out := strings.Join(strings.Fields(rendered(diags, sources)), " ")
		if !diags.HasErrors() || !strings.Contains(out, c[1]) {
			t.Errorf("%s: %.500s", name, out)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		} else {
			t.Logf("%s took %v", name, took)
		}
	}
}

// TestLongLists: the default of a variable is held to the same.
func TestLongLists(t *testing.T) {
	_, _, diags := load(map[string]string{"dsh.hcl": "variable \"x\" {\n  type = list(number)\n  default = [" + strings.Repeat("1,", 200_000) + "]\n}\n"}, nil)
	if err := diags.Err(); err == nil || !strings.Contains(err.Error(), "it is too long a list") {
		t.Errorf("%.300v", err)
	}
}

func doubling(n int) string {
	var b strings.Builder
	b.WriteString("  l0 = \"0123456789abcdef\"\n")
	for i := range n {
		fmt.Fprintf(&b, "  l%d = \"${local.l%d}${local.l%d}\"\n", i+1, i, i)
	}
	return b.String()
}

// longChain is so many locals, each of which is the next one.
func longChain(from, n int) string {
	var b strings.Builder
	b.WriteString("locals {\n")
	for i := range n {
		fmt.Fprintf(&b, "  l%d = local.l%d\n", from+i, from+i+1)
	}
	b.WriteString("}\n")
	return b.String()
}

func TestLongChains(t *testing.T) {
	end := "locals {\n  l%d = 1\n}\n"
	cfg, sources, diags := load(map[string]string{"dsh.hcl": longChain(0, 9000) + fmt.Sprintf(end, 9000)}, nil)
	if cfg == nil {
		t.Errorf("9000: %.500s", rendered(diags, sources))
	}
	_, _, diags = load(map[string]string{"dsh.hcl": longChain(0, 12000) + fmt.Sprintf(end, 12000)}, nil)
	if err := diags.Err(); err == nil || !strings.Contains(err.Error(), "Too many declarations") {
		t.Errorf("12000: %v", err)
	}
	files := map[string]string{"dsh.hcl": fmt.Sprintf(end, 30*14200)}
	for i := range 30 {
		files[fmt.Sprintf("f%d.dsh.hcl", i)] = longChain(i*14200, 14200)
	}
	_, _, diags = load(files, nil)
	if err := diags.Err(); err == nil || !strings.Contains(err.Error(), "Configuration too large") {
		t.Errorf("426000: %v", err)
	}
	var blocks strings.Builder
	for i := range 12000 {
		fmt.Fprintf(&blocks, "variable \"v%d\" { default = 1 }\n", i)
	}
	_, _, diags = load(map[string]string{"dsh.hcl": blocks.String()}, nil)
	if err := diags.Err(); err == nil || !strings.Contains(err.Error(), "Too many declarations") {
		t.Errorf("variables: %v", err)
	}
	_, _, diags = load(map[string]string{"dsh.hcl": strings.Repeat("x y {}\n", 60000)}, nil)
	if len(diags) > maxProblems+1 {
		t.Errorf("%d problems", len(diags))
	}
}

// TestLoopsAreSeen: what stands in a loop is read and checked like everything else.
func TestLoopsAreSeen(t *testing.T) {
	cfg := mustLoad(t, map[string]string{"dsh.hcl": `
variable "x" { default = "v" }
locals {
  yes  = true
  name = "n"
  out  = { for i in ["a"] : local.name => upper(var.x) if local.yes }
  text = "%{ for i in ["a"] }${local.name}%{ endfor }"
}
provider "p" {
  protocol = "openai"
}
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
  prefix {
    text "t" { content = "${jsonencode(local.out)} ${local.text}" }
  }
}
`}, nil)
	if got := cfg.Agents[0].Prefix[0].Content.V; got != `{"n":"V"} n` {
		t.Error(got)
	}
}
