package schema

import "github.com/zclconf/go-cty/cty"

func hook() *Block {
	return &Block{
		Type:   "hook",
		Labels: []Label{{Name: "NAME"}},
		Doc: "A command that is asked at interception points, in the shape of Claude Code's hooks: it reads JSON on standard input and decides by exit code and output; exit code 2 blocks. " +
			"[hooks.md](hooks.md) describes both. An agent lists its hooks; none runs by itself. It runs in the workspace, with `PATH`, `HOME`, `LANG`, `TERM`, `TMPDIR` and `env` as its environment. " +
			"A configuration must be trusted before its hooks run.",
		Example: `hook "guard" {
  on      = ["PreToolUse"]
  match   = "bash|write"
  command = ["./hooks/guard.sh", "--strict"]
  timeout = "10s"
  env     = { POLICY_TOKEN = env.POLICY_TOKEN }
}`,
		Attributes: []Attribute{
			{
				Name: "on", Type: TextOrTexts, Required: true, Constraint: Constraint{OneOf: HookPoints()},
				Doc: "The interception points at which the command is asked.",
			},
			{
				Name: "match", Type: Text, Constraint: Constraint{Format: Regexp, NotEmpty: true}, Absence: "every subject",
				Doc: "Which subjects it is asked about: the name of the tool at `PreToolUse` and `PostToolUse`, `startup` or `resume` at `SessionStart`. The whole subject has to fit. The other points have no subject, and every hook is asked there.",
			},
			{
				Name: "command", Type: Command, Required: true,
				Doc: "The program and its arguments. A program with a slash in its path is a file, and a relative path starts at the folder of this file; one without is looked up in `PATH` when it runs. Sensitive values belong into `env`.",
			},
			{
				Name: "timeout", Type: Duration, Default: cty.StringVal("60s"), Constraint: Constraint{Range: above(0)},
				Doc: "How long it may take. A hook that takes longer is ended and blocks nothing.",
			},
			{
				Name: "env", Type: Secrets, Sensitive: true,
				Doc: "Variables of the command's environment, by name. Values are resolved when it is first needed, and none is null. A value from a sensitive source is replaced by `(sensitive)` in what the command writes.",
			},
		},
	}
}

// HookPoints are the interception points, in the order of a turn.
func HookPoints() []string {
	return []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}
}
