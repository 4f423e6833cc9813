package scenarios

import "testing"

// TestDeclares: whatever the language reads as a hook, a tool or a command is found.
func TestDeclares(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`hook "a" {`, "hook"},
		{`hook a {`, "hook"},
		{`	hook"a" {`, "hook"},
		{`/* x */ hook "a" {`, "hook"},
		{`x */ hook "a" {`, "hook"},
		{`hook /* x */ "a" {`, "hook"},
		{`>>hook "a" {`, "hook"},
		{`{ "hook": { "a": {} } }`, "hook"},
		{`    command "a" {`, "command"},
		{`"command" : { "a": {} }`, "command"},
		{`tool "shell" {`, "tool"},
		{`tool "read" { path = "x" }`, ""},
		{`tool "reader" {`, "tool"},
		{`tool /* x */ "read" {`, "tool"},
		{`  tools = [builtin.read]`, ""},
		{`{"reply": {"tool": {"read": {}}}}`, "tool"},
		{`  command = ["x"]`, ""},
		{`# what a hook is`, ""},
		{`unhook "a" {`, ""},
	} {
		got := ""
		for _, d := range Declares([]byte("agent a\n-- dsh.hcl --\n" + c.line + "\n")) {
			if d.Line != 3 || d.Name != "dsh.hcl" || len(d.SHA256) != 64 {
				t.Errorf("%q: %+v", c.line, d)
			}
			got += d.Kind
		}
		if got != c.want {
			t.Errorf("%q declares %q, not %q", c.line, got, c.want)
		}
	}
	both := Declares([]byte("-- a --\ncommand \"x\" {\n-- b --\nhook \"y\" {\ncommand \"z\" {\n"))
	if len(both) != 3 || both[0].Kind != "hook" || both[1].Name != "a" || both[2].Name != "b" || both[0].SHA256 != both[2].SHA256 {
		t.Errorf("%+v", both)
	}
}
