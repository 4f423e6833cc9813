package hclfile

import (
	"strings"
	"testing"
)

func TestNumbersInText(t *testing.T) {
	cases := []struct{ expr, want string }{
		{`"x${1/3}"`, "x0.3333333333333333"},
		{`"x${-1/3}"`, "x-0.3333333333333333"},
		{`"x${200/3}"`, "x66.66666666666667"},
		{`"x${1/3*3}"`, "x1"},
		{`"${1/8} ${0.1} ${0.10}"`, "0.125 0.1 0.1"},
		{`"x${0.1 + 0.2}"`, "x0.3"},
		{`"x${12345678901234567890}"`, "x12345678901234567890"},
		{`"x${0.12345678901234567}"`, "x0.12345678901234567"},
		{`"x${0.123456789012345678}"`, "x0.12345678901234568"},
		{`"x${0.0000001}"`, "x0.0000001"},
		{`"x${1/30000000}"`, "x3.3333333333333334e-8"},
		{`"x${0} ${-0.0} ${1e3}"`, "x0 0 1000"},
		{`"%{ for n in [1, 1/3] }${n} %{ endfor }"`, "1 0.3333333333333333 "},
		{`"%{ if true }${1/3}%{ endif }"`, "0.3333333333333333"},
		{`"x${true} ${"a${1/3}"}"`, "xtrue a0.3333333333333333"},
		{`tostring(1/3)`, "0.3333333333333333"},
		{`tostring(true)`, "true"},
		{`upper("x${1/3}")`, "X0.3333333333333333"},
		{`"${nonsensitive("${sensitive(1/3)}x")}"`, "0.3333333333333333x"},
		{`try("${nothing_here}x${1}", "x${1/3}")`, ""},
		{`try("x${1/0}", "y${1/3}")`, "y0.3333333333333333"},
		{`"${7 % 4} ${6 / 4}"`, "3 1.5"},
	}
	for _, c := range cases {
		l := evaluated("locals {\n  x = "+c.expr+"\n}\n", nil, nil)
		got := ""
		if v := l.locals["x"].value; !v.IsNull() && v.IsKnown() {
			got = v.AsString()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q\n%s", c.expr, got, c.want, rendered(l.diags, l.sources))
		}
	}
}

// TestNumberAlone: a text that is one number is written in the same way.
func TestNumberAlone(t *testing.T) {
	cfg := mustLoad(t, map[string]string{
		"dsh.hcl": `
provider "p" {
  protocol = "openai"
}
model "m" {
  provider = provider.p
  id       = "${1/3}"
}
agent "a" {
  model = model.m
  prefix {
    template "t" { path = "t.tmpl" }
    template "u" { path = "u.tmpl" }
  }
}
`,
		"t.tmpl": "${2/3}", "u.tmpl": "${2/3}\n",
	}, nil)
	first, _ := cfg.Agents[0].Prefix[0].Template.Render()
	second, _ := cfg.Agents[0].Prefix[1].Template.Render()
	if id := cfg.Models[0].ID.V; id != "0.3333333333333333" || first != "0.6666666666666666" || second != first+"\n" {
		t.Errorf("%q, %q, %q", id, first, second)
	}
}

func TestNumbersWithoutText(t *testing.T) {
	const division = "Operation failed: Error during operation: division by zero."
	cases := []struct{ expr, want string }{
		{`"${1/0}"`, "2,10: " + division},
		{`"x${-1/0}"`, division},
		{`1/0`, division},
		{`5 % 0`, division},
		{`jsonencode(1/0)`, division},
		{`log(0, 10)`, "the result is infinite"},
		{`"x${pow(10, 400)}"`, "the result is infinite"},
		{`"x${sensitive(1)/0}"`, "The details are withheld"},
		{`var.large`, "DSH_VAR_large:1,1: Invalid input: The value of DSH_VAR_large is not number: it holds a number that is infinite."},
	}
	for _, c := range cases {
		m := memory{testDir + "/dsh.hcl": "locals {\n  x = " + c.expr + "\n}\n"}
		opts := options(m, map[string]string{"DSH_VAR_large": "1/0"})
		if strings.Contains(c.expr, "var.") {
			m[testDir+"/v.dsh.hcl"] = "variable \"large\" {\n  type = number\n}\n"
		}
		_, sources, diags := Load(testDir, testWorkspace, opts)
		err := diags.Err()
		switch {
		case c.want == "" && err == nil:
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %s\n%s", c.expr, err, c.want, rendered(diags, sources))
		}
	}
}
