package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config/prompt"
)

func TestSkills(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "---\nname: pdf\ndescription: Fill in forms.\n---\nbody", "pdf: Fill in forms."},
		{"folder's name", "---\r\ndescription: Fill in forms.\r\n---\r\n", "a: Fill in forms."},
		{"folded", "---\nname: \"pdf\"\ndescription: >\n  Fill in\n  forms.\n\n  Read them.\nlicense: [x]\n---\n", "pdf: Fill in forms. Read them."},
		{"no front matter", "# PDF\n", `1 No front matter "# PDF"`},
		{"empty file", "", `0 No front matter ""`},
		{"not closed", "---\nname: pdf\n", `1 No front matter "---"`},
		{"nothing in it", "---\n---\n", `1 No front matter "---"`},
		{"list", "---\n- name\n---\n", `1 No front matter "---"`},
		{"no description", "---\nname: pdf\n---\n", `1 Missing description "---"`},
		{"empty description", "---\nname: pdf\ndescription:\n---\n", `1 Missing description "---"`},
		{"number", "---\nname: 3\ndescription: x\n---\n", `2 Invalid skill "name: 3"`},
		{"list for text", "---\nname: x\ndescription: [a]\n---\n", `3 Invalid skill "description: [a]"`},
		{"no YAML", "---\nname: pdf\ndescription: Use: with care\n---\n", `3 Front matter cannot be read "description: Use: with care"`},
		{"no YAML in its first line", "---\ndescription: Use: with care\n---\n", `2 Front matter cannot be read "description: Use: with care"`},
		{"twice", "---\nname: a\nname: b\ndescription: x\n---\n", `3 Invalid skill "name: b"`},
		{"too large", "---\ndescription: " + strings.Repeat("x", 64<<10) + "\n---\n", `1 Front matter too large "---"`},
		{"alias bomb", "---\na: &a [x,x]\nb: &b [*a,*a]\ndescription: x\n---\n", "a: x"},
	} {
		d := disk{"/w/skills/a/SKILL.md": tt.text, "/w/skills/b/README.md": "", "/w/skills/SKILL.md": "", "/w/skills/a/deep/SKILL.md": ""}
		list, problems, err := prompt.Skills(d, "/w/skills", func(path string) (string, error) { b, err := d.ReadFile(path, 0); return string(b), err })
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, s := range list {
			out = append(out, s.Name+": "+s.Description)
		}
		for _, p := range problems {
			out = append(out, fmt.Sprintf("%d %s %q", p.Line(), p.Summary, p.Text[p.From:p.To]))
		}
		if diff := cmp.Diff(tt.want, strings.Join(out, "\n")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
