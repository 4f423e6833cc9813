package contrib

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config"
)

func TestSkills(t *testing.T) {
	skill := func(name string) string {
		return "---\nname: " + name + "\ndescription: About " + name + ".\n---\nBody."
	}
	d := disk{"/ws/skills/pdf/SKILL.md": skill("pdf"), "/ws/skills/Zip/SKILL.md": skill("zip"), "/ws/skills/notes/x.md": "", "/home/skills/git/SKILL.md": skill("git"),
		"/ws/bad/a/SKILL.md": "---\nname: a\n---\n", "/ws/empty/x": ""}
	for _, tt := range []struct {
		name string
		edit func(*config.Contributor)
		want string
	}{
		{"catalogue", nil, "skills.s (skills) user \"Skills, each with the file to read before it is used:\\n\\n- zip: About zip. (skills/Zip/SKILL.md)\\n- pdf: About pdf. (skills/pdf/SKILL.md)\\n\"\n"},
		{"elsewhere", func(c *config.Contributor) { c.Folder = "/home/skills" }, "skills.s (skills) user \"Skills, each with the file to read before it is used:\\n\\n- git: About git. (/home/skills/git/SKILL.md)\\n\"\n"},
		{"absent", func(c *config.Contributor) { c.Folder = "/ws/gone" }, "skills.s: skills does not exist"},
		{"absent and optional", func(c *config.Contributor) { c.Folder, c.Optional = "/ws/gone", attr(true) }, ""},
		{"no skill", func(c *config.Contributor) { c.Folder = "/ws/empty" }, "skills.s: skills has no skill"},
		{"no skill and optional", func(c *config.Contributor) { c.Folder, c.Optional = "/ws/empty", attr(true) }, ""},
		{"no description", func(c *config.Contributor) { c.Folder = "/ws/bad" }, "skills.s: bad/a/SKILL.md:1: Missing description: The skill has no description, by which a model chooses it. Add a line description: TEXT to the front matter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := contributor(config.KindSkills, "s", func(c *config.Contributor) {
				c.Folder, c.Origin = "/ws/skills", "skills"
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
