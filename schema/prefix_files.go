package schema

import "github.com/zclconf/go-cty/cty"

func prefixFiles() *Block {
	return &Block{
		Type: "files",
		Doc: "The files that patterns match, in byte order of their paths, byte for byte and without expressions; blank ones are left out. The line `Contents of PATH:` and an empty one introduce each, and an empty line stands between two; " +
			"PATH is the one in the workspace, else the one in the configuration folder. Only files below the configuration folder, the workspace and trusted paths are read, and they are UTF-8: at most 1000 files, of 32 MiB together.",
		Example: `files "docs" {
  include = ["docs/**/*.md"]
  exclude = ["docs/archive/**"]
}`,
		Attributes: []Attribute{
			{
				Name: "include", Type: Texts, Required: true, Constraint: Constraint{Format: Glob},
				Doc: "The patterns, of which a file matches one. `*`, `?` and `[a-z]` stand for characters of a name, `**` for any number of folders. A name that begins with a dot is only matched by a pattern whose element begins with one. Symbolic links to folders are not followed.",
			},
			{
				Name: "exclude", Type: Texts, Constraint: Constraint{Format: Glob}, Absence: "no exceptions",
				Doc: "Patterns of files that are left out.",
			},
			{
				Name: "path", Type: Path, Absence: "the folder of the file that this is written in",
				Doc: "The folder where the patterns start.",
			},
			{
				Name: "split", Type: Bool, Default: cty.False,
				Doc: "Each file is a message of its own, and `max_bytes` holds for each; otherwise one message has all of them. In `system` it makes no difference but for `envelope` and `max_bytes`.",
			},
			{
				Name: "optional", Type: Bool, Default: cty.False,
				Doc: "Patterns that match nothing yield no message; otherwise that is an error.",
			},
			fileNewlines(),
			maxFileBytes(),
		},
	}
}

// fileNewlines is the newlines attribute of kinds that read files.
func fileNewlines() Attribute {
	return Attribute{
		Name: "newlines", Type: Text, Default: cty.StringVal("keep"), Constraint: Constraint{OneOf: []string{"keep", "lf"}},
		Doc: "`keep` leaves line endings as they are; `lf` turns CRLF into LF.",
	}
}

// maxFileBytes bounds one of several files.
func maxFileBytes() Attribute {
	return Attribute{
		Name: "max_file_bytes", Type: Size, Constraint: Constraint{Range: atLeast(1)}, Absence: "no limit",
		Doc: "How many bytes of each file are allowed; `oversize` says what happens to a larger one.",
	}
}
