package schema

import "github.com/zclconf/go-cty/cty"

func prefixInstructions() *Block {
	return &Block{
		Type: "instructions",
		Doc: "One message from the files that tell agents about a project, by the convention of `AGENTS.md`: in each folder from the workspace down to the working directory the first of `names` that exists, the nearest last. " +
			"`@path` at the start of a line or behind white space imports a file, relative to the one that it stands in, unless it is in a code span or in fenced code: the file follows the one that imports it, once, at most five imports deep. " +
			"Punctuation at the end does not belong to the path and stays in the text: `@b.md,` imports b.md. `(@b.md)` is no import, as the @ stands behind a bracket, and neither is a path that begins with / or ~. " +
			"What names no file stays text, with a warning when it looks like one; a file outside of the folders that may be read is an error. " +
			" The line `Contents of PATH:` and an empty one introduce each file, and blank ones are left out.",
		Example: `instructions "project" {
  max_file_bytes = "32KiB"
  max_bytes      = "64KiB"
  oversize       = "head"
}`,
		Attributes: []Attribute{
			{
				Name: "names", Type: Texts, Absence: "`[\"AGENTS.md\", \"CLAUDE.md\"]`", Constraint: Constraint{NotEmpty: true},
				Doc: "The names of the files, relative to each folder. The first that exists there is read and the others are not.",
			},
			{
				Name: "required", Type: Bool, Default: cty.False,
				Doc: "A workspace without any of the files is an error; otherwise there is no message.",
			},
			fileNewlines(),
			maxFileBytes(),
		},
	}
}
