package schema

import "github.com/zclconf/go-cty/cty"

// BuiltinTools are the tools that the program has, as an agent lists them.
func BuiltinTools() []string {
	return []string{"read", "list", "glob", "grep", "write", "edit", "shell", "todo"}
}

func tool() *Block {
	return &Block{
		Type:   "tool",
		Labels: []Label{{Name: "NAME"}},
		Doc: "A command as a tool. The model sees NAME, `description` and `input`; its arguments are held against `input` before the command starts, and reach it as one line of JSON on standard input. " +
			"What it writes to standard output is the result; when it fails, so are its standard error and its exit code. No shell reads the command. " +
			"It runs in the workspace, with `PATH`, `HOME`, `LANG`, `TERM`, `TMPDIR` and `env` as its environment. A configuration must be trusted before its tools run.",
		Example: `tool "lint" {
  description = "Runs the linter on one file and returns its findings."
  command     = ["./tools/lint.sh", "--json"]
  input = {
    type       = "object"
    properties = { path = { type = "string", description = "The file, relative to the workspace." } }
    required   = ["path"]
  }
  timeout    = "30s"
  max_output = "64KiB"
}`,
		Attributes: []Attribute{
			{Name: "description", Type: Text, Required: true, Constraint: Constraint{NotEmpty: true}, Doc: "What the tool does and when it is of use, for the model."},
			{
				Name: "command", Type: Command, Required: true,
				Doc: "The program and its arguments. A program with a slash in its path is a file, and a relative path starts at the folder of this file; one without is looked up in `PATH` when it runs. Sensitive values belong into `env`.",
			},
			{
				Name: "input", Type: Values, Absence: "no arguments",
				Doc: "The JSON Schema of the arguments, draft 2020-12; its `type` is `object`. Arguments that do not fit it are refused with what is wrong, and the model may try again. A keyword that is not known is an error, and so is a `$ref` that leads out of the schema.",
			},
			{
				Name: "timeout", Type: Duration, Default: cty.StringVal("60s"), Constraint: Constraint{Range: above(0)},
				Doc: "How long a call may take; `tool_timeout` in the agent's limits holds as well. A command that takes longer is ended with all it started, and the result is an error.",
			},
			{
				Name: "max_output", Type: Size, Default: cty.StringVal("64KiB"), Constraint: Constraint{Range: within(1, 16<<20)},
				Doc: "How much of standard output, and of standard error, is kept. The result says when something was left out.",
			},
			{
				Name: "env", Type: Secrets, Sensitive: true,
				Doc: "Variables of the command's environment, by name. Values are resolved when it is first needed, and none is null. A value from a sensitive source is replaced by `(sensitive)` in what the command writes.",
			},
		},
	}
}

func permissions() *Block {
	rules := "A rule is the name of a tool of the agent, or `NAME(PATTERN)` with a pattern for what the call is about: "
	return &Block{
		Type: "permissions",
		Doc: "Which calls of tools run. `deny` is asked first, then `ask`, then `allow`, and the first that has a rule for the call decides. Of a call without one, `read`, `list`, `glob`, `grep` and `todo` are allowed, and a person is asked about every other tool. " +
			"`dsh chat` asks at the terminal; elsewhere there is nobody to ask, and the call is refused. Hooks are asked before, and what they make of the arguments is what counts here.",
		Attributes: []Attribute{
			{Name: "allow", Type: Texts, Absence: "none", Constraint: Constraint{NotEmpty: true}, Doc: "Calls that run. " + rules + "the command of `shell`, the path of a file or folder, the arguments of another tool as JSON. [agent-tools.md](agent-tools.md#permissions) has the patterns."},
			{Name: "ask", Type: Texts, Absence: "none", Constraint: Constraint{NotEmpty: true}, Doc: "Calls that a person is asked about."},
			{Name: "deny", Type: Texts, Absence: "none", Constraint: Constraint{NotEmpty: true}, Doc: "Calls that are refused."},
		},
	}
}
