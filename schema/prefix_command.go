package schema

import "github.com/zclconf/go-cty/cty"

func prefixCommand() *Block {
	return &Block{
		Type: "command",
		Doc: "One message from the standard output of a command, which runs once when the prefix is composed, in the workspace, with `PATH`, `HOME`, `LANG`, `TERM`, `TMPDIR` and `env` as its environment. " +
			"Its output is UTF-8 of at most 4 MiB; an exit code other than 0 is an error. `dsh check` does not run it, and a configuration must be trusted before it runs. " +
			"When it writes something else at the next start, the provider's cache holds nothing of what follows. With `on_change = \"notice\"` it runs again before every turn.",
		Example: `command "toolchain" {
  command = ["go", "version"]
  timeout = "5s"
}`,
		Attributes: []Attribute{
			{
				Name: "command", Type: Command, Required: true,
				Doc: "The program and its arguments. A program with a slash in its path is a file, and a relative path starts at the folder of this file; one without is looked up in `PATH` when it runs. No shell reads it: what looks like a line for one is an error when it stands in one text, `[\"ls -l\"]` is a program of that name, and `\"|\"` an argument. A program outside of the folders that may be read is not looked at before it runs. Sensitive values belong into `env`.",
			},
			{
				Name: "timeout", Type: Duration, Default: cty.StringVal("10s"), Constraint: Constraint{Range: above(0)},
				Doc: "How long it may take. A command that takes longer is ended, which is an error.",
			},
			{
				Name: "env", Type: Secrets, Sensitive: true, Absence: "none",
				Doc: "Variables of the command's environment, by name. Values are resolved when it runs, and none is null. A value from a sensitive source is replaced by `(sensitive)` in what the command writes.",
			},
			fileNewlines(),
		},
	}
}
