package contrib

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config"
)

func TestInstructions(t *testing.T) {
	d := disk{"/ws/AGENTS.md": "Root. @docs/style.md\n", "/ws/docs/style.md": "Style. äöü\n", "/ws/sub/CLAUDE.md": "Sub.", "/ws/blank/AGENTS.md": "\n",
		"/ws/cycle/AGENTS.md": "\n@AGENTS.md", "/ws/latin/AGENTS.md": "\xe9", "/ws/locked/AGENTS.md": "!permission denied"}
	const root = "Contents of AGENTS.md:\\n\\nRoot. @docs/style.md\\n"
	for _, tt := range []struct {
		name string
		edit func(*config.Contributor)
		want string
	}{
		{"cascade", nil, "instructions.i (AGENTS.md and 2 more) user \"" + root + "\\nContents of docs/style.md:\\n\\nStyle. äöü\\n\\nContents of sub/CLAUDE.md:\\n\\nSub.\"\n"},
		{"one file", func(c *config.Contributor) { c.Folders = []string{"/ws/sub"} }, "instructions.i (sub/CLAUDE.md) user \"Contents of sub/CLAUDE.md:\\n\\nSub.\"\n"},
		{"nothing", func(c *config.Contributor) { c.Folders = []string{"/ws/docs"} }, ""},
		{"blank", func(c *config.Contributor) { c.Folders, c.Required = []string{"/ws/blank"}, attr(true) }, ""},
		{"required", func(c *config.Contributor) { c.Folders, c.Required = []string{"/ws/docs"}, attr(true) }, "instructions.i: there is no AGENTS.md and no CLAUDE.md"},
		{"a file too large", func(c *config.Contributor) { c.MaxFileBytes = attr(13) }, "instructions.i: AGENTS.md is 21 bytes, max_file_bytes is 13"},
		{"files cut", func(c *config.Contributor) { c.MaxFileBytes, c.Oversize = attr(9), attr("head") },
			"instructions.i (AGENTS.md and 2 more) user \"Contents of AGENTS.md:\\n\\nRoot. @do\\n\\nContents of docs/style.md:\\n\\nStyle. ä\\n\\nContents of sub/CLAUDE.md:\\n\\nSub.\"\n"},
		{"too large", func(c *config.Contributor) { c.MaxBytes = attr(120) }, "instructions.i: content is 121 bytes, max_bytes is 120"},
		{"cut", func(c *config.Contributor) { c.MaxBytes, c.Oversize = attr(60), attr("head") }, "instructions.i (AGENTS.md and 2 more) user \"Contents of AGENTS.md:\\n\\nRoot. @d\\n[... 89 bytes omitted ...]\"\n"},
		{"cycle", func(c *config.Contributor) { c.Folders = []string{"/ws/cycle"} }, "instructions.i: cycle/AGENTS.md:2: Cycle: A file cannot import itself: cycle/AGENTS.md -> cycle/AGENTS.md"},
		{"not UTF-8", func(c *config.Contributor) { c.Folders = []string{"/ws/latin"} }, "instructions.i: latin/AGENTS.md is not UTF-8: byte 0 belongs to no character"},
		{"unreadable", func(c *config.Contributor) { c.Folders = []string{"/ws/locked"} }, "instructions.i: locked/AGENTS.md: permission denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := contributor(config.KindInstructions, "i", func(c *config.Contributor) {
				c.Folders, c.Names, c.Newlines = []string{"/ws", "/ws/sub"}, []string{"AGENTS.md", "CLAUDE.md"}, attr("keep")
				if tt.edit != nil {
					tt.edit(c)
				}
			})
			if diff := cmp.Diff(tt.want, told(t, Options{Files: d, Workspace: "/ws"}, c)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
