package prompt_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config/prompt"
)

// cascade reads /w and /w/sub of a disk and shows the documents, what is missing and
// the problems.
func cascade(d disk, names ...string) string {
	shown := func(p string) string { return prompt.Shown(p, "/w") }
	list, missing, problems := prompt.Cascade{Folders: []string{"/w", "/w/sub"}, Names: names}.Read(prompt.Reading{
		Files: d, Shown: shown,
		Text: func(path string, _ prompt.Import) (string, error) {
			b, err := d.ReadFile(path, 0)
			return string(b), err
		},
	})
	var out []string
	for _, doc := range list {
		out = append(out, shown(doc.Path))
	}
	for _, p := range missing {
		out = append(out, fmt.Sprintf("missing %s:%d %q", shown(p.Path), p.Line(), p.Text[p.From:p.To]))
	}
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%s:%d %s", shown(p.Path), p.Line(), p))
	}
	return strings.Join(out, "\n")
}

func TestCascade(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    disk
		want string
	}{
		{"nothing", disk{"/w/x": ""}, ""},
		{"first name of each folder", disk{"/w/AGENTS.md": "", "/w/CLAUDE.md": "", "/w/sub/CLAUDE.md": "", "/w/sub/deep/AGENTS.md": ""}, "AGENTS.md\nsub/CLAUDE.md"},
		{"imports stand behind their file", disk{"/w/AGENTS.md": "@docs/b.md and @docs/a.md.", "/w/docs/a.md": "", "/w/docs/b.md": "@c.md", "/w/docs/c.md": "", "/w/sub/AGENTS.md": "@../docs/a.md"},
			"AGENTS.md\ndocs/b.md\ndocs/c.md\ndocs/a.md\nsub/AGENTS.md"},
		{"not imports", disk{"/w/AGENTS.md": "me@a.md `@a.md` @alice @types/node @/w/a.md @~/a.md @ @@a.md (@a.md)\n\n```\n@a.md\n```\n~~~ x\n@a.md\n```\n~~~\n``a ` @a.md``\n@docs", "/w/a.md": "", "/w/docs/x": ""},
			"AGENTS.md"},
		{"imports beside code", disk{"/w/AGENTS.md": "`one` @a.md `two`\n` alone\n\n@b.md\n````\n```\n````\n@c.md", "/w/a.md": "", "/w/b.md": "", "/w/c.md": ""},
			"AGENTS.md\na.md\nb.md\nc.md"},
		{"missing", disk{"/w/AGENTS.md": "x\n@gone.md!"}, "AGENTS.md\nmissing AGENTS.md:2 \"@gone.md\""},
		{"cycle", disk{"/w/AGENTS.md": "@a.md", "/w/a.md": "\n@b.md", "/w/b.md": "@a.md"},
			"AGENTS.md\na.md\nb.md\nb.md:1 Cycle: A file cannot import itself: a.md -> b.md -> a.md"},
		{"itself", disk{"/w/AGENTS.md": "@AGENTS.md"}, "AGENTS.md\nAGENTS.md:1 Cycle: A file cannot import itself: AGENTS.md -> AGENTS.md"},
		{"five deep", disk{"/w/AGENTS.md": "@1.md", "/w/1.md": "@2.md", "/w/2.md": "@3.md", "/w/3.md": "@4.md", "/w/4.md": "@5.md", "/w/5.md": ""},
			"AGENTS.md\n1.md\n2.md\n3.md\n4.md\n5.md"},
		{"six deep", disk{"/w/AGENTS.md": "@1.md", "/w/1.md": "@2.md", "/w/2.md": "@3.md", "/w/3.md": "@4.md", "/w/4.md": "@5.md", "/w/5.md": "@6.md", "/w/6.md": ""},
			"AGENTS.md\n1.md\n2.md\n3.md\n4.md\n5.md\n5.md:1 Imports too deep: Imports may be 5 files deep, and this one goes further: AGENTS.md -> 1.md -> 2.md -> 3.md -> 4.md -> 5.md -> 6.md. Import the file from one further up"},
	} {
		if diff := cmp.Diff(tt.want, cascade(tt.d, "AGENTS.md", "CLAUDE.md")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestTooMuch(t *testing.T) {
	d := disk{"/w/AGENTS.md": "@a.md @b.md @c.md", "/w/a.md": strings.Repeat("x", 20<<20), "/w/c.md": ""}
	d["/w/b.md"] = d["/w/a.md"]
	want := "AGENTS.md\na.md\nb.md:0 Too much text: The files have more than 32 MiB together. Leave some of them out"
	if diff := cmp.Diff(want, cascade(d, "AGENTS.md")); diff != "" {
		t.Error(diff)
	}
}

// A file of nothing but backquotes of all lengths is read in no time.
func TestBackquotes(t *testing.T) {
	var b strings.Builder
	for n := 1; b.Len() < 4<<20; n++ {
		b.WriteString(strings.Repeat("`", n) + " ")
	}
	start := time.Now()
	if got := cascade(disk{"/w/AGENTS.md": b.String() + "@gone.md"}, "AGENTS.md"); !strings.Contains(got, "missing") {
		t.Error(got)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// FuzzImports reads any text as instructions: no import lies outside of it, and each
// begins with @.
func FuzzImports(f *testing.F) {
	for _, s := range []string{"@a.md", "`@a` @b", "```\n@a\n", "~~~\n```\n~~~\n@x", "``` `\n@a", "@a\r\n@b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := disk{"/w/AGENTS.md": text}
		_, missing, problems := prompt.Cascade{Folders: []string{"/w"}, Names: []string{"AGENTS.md"}}.Read(prompt.Reading{
			Files: d, Shown: func(p string) string { return p },
			Text: func(path string, _ prompt.Import) (string, error) {
				b, err := d.ReadFile(path, 0)
				return string(b), err
			},
		})
		for _, p := range append(missing, problems...) {
			if !strings.HasPrefix(p.Text[p.From:p.To], "@") {
				t.Fatalf("%q is no import of %q", p.Text[p.From:p.To], text)
			}
		}
	})
}
