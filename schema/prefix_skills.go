package schema

import "github.com/zclconf/go-cty/cty"

func prefixSkills() *Block {
	return &Block{
		Type: "skills",
		Doc: "One message with a catalogue of skills: the line `Skills, each with the file to read before it is used:`, an empty one, and a line `- NAME: DESCRIPTION (PATH)` for each `SKILL.md` one level below a folder, in byte order of the folders' names. The model reads the file when it needs the skill. " +
			"`name` and `description` stand in the YAML front matter of the file; without a name the folder's counts, and line breaks in them become blanks. PATH is the one in the workspace, or in full when the file is elsewhere.",
		Example: `skills "team" {
  path = "${path.workspace}/.claude/skills"
}`,
		Attributes: []Attribute{
			{Name: "path", Type: Path, Required: true, Doc: "The folder that holds the folders of skills."},
			{
				Name: "optional", Type: Bool, Default: cty.False,
				Doc: "A folder that does not exist, or has no skill, yields no message; otherwise that is an error.",
			},
		},
	}
}
