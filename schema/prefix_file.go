package schema

import "github.com/zclconf/go-cty/cty"

func prefixFile() *Block {
	return &Block{
		Type: "file",
		Doc:  "One message from a file, byte for byte, without expressions. The file is UTF-8; a byte order mark is dropped.",
		Example: `file "instructions" {
  path     = "${path.workspace}/AGENTS.md"
  optional = true
  envelope = "system-reminder"
}`,
		Attributes: []Attribute{
			{
				Name: "path", Type: Path, Required: true,
				Doc: "The file. Only files below the configuration folder, the workspace and trusted paths are read.",
			},
			{
				Name: "optional", Type: Bool, Default: cty.False,
				Doc: "A file that does not exist yields no message; otherwise it is an error.",
			},
			fileNewlines(),
		},
	}
}
