package schema

import "github.com/zclconf/go-cty/cty"

func references() *Block {
	return &Block{
		Type: "references",
		Doc: "What a prompt may bring in from other sessions. A prompt cites a session as `@[LABEL](dsh-session:…)`, or a host names it; then the other session's visible conversation " +
			"is read once, held to its budget, and put behind the prompt as data that is not to be obeyed. Without this block nothing is read, and a mention is text like another.",
		Example: `references {
  max_references      = 3
  max_reference_bytes = "64KiB"
  allow               = ["/home/anna/work/**"]
}`,
		Enables: true,
		Attributes: []Attribute{
			{
				Name: "max_references", Type: Whole, Default: cty.NumberIntVal(3), Constraint: Constraint{Range: within(1, 16)},
				Doc: "Sessions that one prompt may cite. Code `SESSION_REFERENCE_TOO_MANY`.",
			},
			{
				Name: "max_reference_bytes", Type: Size, Default: cty.StringVal("64KiB"), Constraint: Constraint{Range: atLeast(1)},
				Doc: "Bytes that what is kept of one session may have, as it is sent: its oldest messages are left out first, checkpoints and the newest one are cut. Code `SESSION_REFERENCE_BUDGET_EXCEEDED` when nothing fits.",
			},
			{
				Name: "max_total_bytes", Type: Size, Constraint: Constraint{Range: atLeast(1)}, Absence: "no limit besides that of each session",
				Doc: "Bytes that all sessions which one prompt cites may have together.",
			},
			{
				Name: "candidate_limit", Type: Whole, Default: cty.NumberIntVal(50), Constraint: Constraint{Range: atLeast(1)},
				Doc: "Sessions that `dsh refs` and completion offer.",
			},
			{
				Name: "allow", Type: Texts, Constraint: Constraint{NotEmpty: true}, Absence: "the workspace of the session itself",
				Doc: "Workspaces whose sessions may be cited, as patterns of absolute paths: `*` stands for anything but a slash, `**` for anything. It takes the place of the default, so name this workspace too. A log that `--ref` names by its path may be of any workspace where no allow is written.",
			},
			{
				Name: "deny", Type: Texts, Constraint: Constraint{NotEmpty: true}, Absence: "no exceptions",
				Doc: "Workspaces whose sessions may not be cited, whatever `allow` says.",
			},
		},
	}
}
