package hclfile

import (
	"strings"
	"testing"
)

// TestMisread holds what is said of one syntax error.
func TestMisread(t *testing.T) {
	const text, number = "Text without quotes: ", "Invalid number: A number has digits and a point only: write "
	cases := []struct{ in, line, want string }{
		{"agent", "prefix = {\n text \"a\" {\n content = \"x\"\n }\n}", `2,1: Unknown argument: "prefix" is a block. Remove the equals sign: prefix { ... }.`},
		{"agent", "prefix {\n text \"a\" = {\n content = \"x\"\n }\n}", `3,2: Unknown argument: "text" is a block. Remove the equals sign: text "NAME" { ... }.`},
		{"agent", "limits = { max_steps: 3 ] }", `2,1: Unknown argument: "limits" is a block. Remove the equals sign: limits { ... }.`},
		{"agent", "model = {\n a b\n}", `3,4: Missing key/value separator`},
		{"agent", "prefix {\n template \"a\" {\n vars = {\n a b\n }\n }\n}", `5,4: Missing key/value separator`},
		{"agent", "description = Be kind.", `2,15: ` + text + `A text is written in quotes: description = "...".`},
		{"agent", "description = Never.", `2,15: ` + text},
		{"agent", "description = Don't push # really", `2,15: ` + text},
		{"agent", "description = never: push", `2,15: ` + text},
		{"agent", "description = never, push", `2,15: ` + text},
		{"agent", "description = 4 eyes", `2,15: ` + text},
		{"agent", "description = \"a\" b", `2,19: Missing newline after argument`},
		{"agent", "description = var.a var.b", `2,21: Missing newline after argument`},
		{"agent", "description = not var.b", `2,19: Missing newline after argument`},
		{"agent", "description = upper(\"a\"\nmodel = model.m", `3,1: Missing argument separator`},
		{"agent", "description = [1", `Missing`},
		{"model", "context_window = 128k", `2,18: ` + number + `128000.`},
		{"model", "context_window = 128 K", `2,18: ` + number + `128000.`},
		{"model", "context_window = 1m", `2,18: ` + number + `1000000.`},
		{"model", "context_window = 128_000_000", `2,18: ` + number + `128000000.`},
		{"model", "context_window = 128,000", `2,18: ` + number + `128000.`},
		{"model", "temperature = 0,5", `2,15: ` + number + `0.5.`},
		{"model", "temperature = 1,024.5", `2,16: Unexpected comma after argument`},
		{"model", "context_window = 128 thousand", `2,22: Missing newline after argument`},
		{"model", "id = 4o-mini", `2,6: ` + text},
		{"provider", "timeout = 1m30s", `2,11: ` + text + `A duration is written in quotes: "1m30s".`},
		{"provider", "timeout = 5 minutes", `2,11: Invalid number: Write a text with units, such as "30s" or "1m30s"; the units are h, m, s and ms.`},
		{"provider", "api_key = 128k", `2,11: ` + text + `A text is written in quotes: api_key = "...".`},
		{"text", "max_bytes = 64KiB", `2,13: ` + text + `A size with a unit is written in quotes: "64KiB".`},
		{"text", "max_bytes = 64 k", `2,13: Invalid number: Write a whole number of bytes, or a text with a unit, such as "64KiB"; the units are B, kB, KiB, MB and MiB.`},
		{"text", "max_bytes = 1,000,000", `2,13: ` + number + `1000000.`},
		{"text", "max_bytes = 1.5M", `2,13: Invalid number: Write a whole number of bytes`},
		{"\ufeffagent", "description = Be kind.", `2,15: ` + text},
	}
	for _, c := range cases {
		_, sources, diags := load(map[string]string{"dsh.hcl": c.in + " \"x\" {\n" + c.line + "\n}\n"}, nil)
		var all []string
		for _, d := range diags {
			all = append(all, strings.TrimPrefix(d.Subject.String(), "dsh.hcl:")+": "+d.Summary+": "+d.Detail)
		}
		if strings.HasPrefix(c.in, "\ufeff") {
			all = all[1:]
		}
		if len(all) != 1 || !strings.Contains(all[0], c.want) {
			t.Errorf("%s: want %s\n%s", c.line, c.want, rendered(diags, sources))
		}
	}
}

// TestCommentNotClosed stands apart from the files with errors, since it has no place
// for a comment that says what is expected.
func TestCommentNotClosed(t *testing.T) {
	_, _, diags := load(map[string]string{"dsh.hcl": "locals {\n  a = 1\n}\n/* open\nagent \"a\" {}\n"}, nil)
	if len(diags) != 1 || diags[0].Summary != "Comment not closed" || diags[0].Subject.Start.Line != 4 {
		t.Errorf("%v", diags)
	}
}
