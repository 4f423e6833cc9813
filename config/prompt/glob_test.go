package prompt_test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config/prompt"
)

// disk is a file system of literals.
type disk map[string]string

func (d disk) ReadFile(name string, _ int64) ([]byte, error) {
	text, ok := d[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

func (d disk) ReadDir(dir string) ([]string, error) {
	files, folders := d.list(dir)
	if files == nil && folders == nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	return files, nil
}

func (d disk) ReadFolders(dir string, _ bool) ([]string, error) {
	_, folders := d.list(dir)
	return folders, nil
}

func (d disk) list(dir string) (files, folders []string) {
	for name := range d {
		rest, ok := strings.CutPrefix(name, dir+"/")
		if first, _, deeper := strings.Cut(rest, "/"); ok && deeper && !slices.Contains(folders, first) {
			folders = append(folders, first)
		} else if ok && !deeper {
			files = append(files, path.Base(name))
		}
	}
	slices.Sort(files)
	slices.Sort(folders)
	return files, folders
}

func TestGlobs(t *testing.T) {
	d := disk{}
	for _, name := range []string{"a.md", "b.txt", "docs/a.md", "docs/b.md", "docs/deep/c.md", "docs/deep/er/d.md", "docs/.hidden.md",
		"docs-old/x.md", ".git/config.md", "node_modules/p/readme.md", "docs/[1].md", "Z.md"} {
		d["/w/"+name] = name
	}
	for _, tt := range []struct {
		include, exclude string
		want             string
	}{
		{"*.md", "", "Z.md a.md"},
		{"docs/*.md", "", "docs/[1].md docs/a.md docs/b.md"},
		{"docs/**", "", "docs/[1].md docs/a.md docs/b.md docs/deep/c.md docs/deep/er/d.md"},
		{"docs/**/*.md", "docs/deep/**", "docs/[1].md docs/a.md docs/b.md"},
		{"docs/**/[cd].md", "", "docs/deep/c.md docs/deep/er/d.md"},
		{"**/deep/**/*.md", "", "docs/deep/c.md docs/deep/er/d.md"},
		{"**/*.md", "**/docs*/** node_modules/**", "Z.md a.md"},
		{"**", "**/*.md", "b.txt"},
		{"docs/.*.md .git/*", "", ".git/config.md docs/.hidden.md"},
		{"docs/.*.md", "docs/*.md", ""},
		{"docs/?.md docs/a.*", "", "docs/a.md docs/b.md"},
		{"docs/\\[1].md", "", "docs/[1].md"},
		{"docs", "", ""},
		{"a.md/*", "", ""},
		{"docs*/*.md", "docs/**", "docs-old/x.md"},
	} {
		g := prompt.Globs{Folder: "/w", Include: strings.Fields(tt.include), Exclude: strings.Fields(tt.exclude)}
		got, err := g.Find(d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "/w/")
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s without %s: %s", tt.include, tt.exclude, diff)
		}
	}
	if got, err := (prompt.Globs{Folder: "/absent", Include: []string{"**"}}).Find(d); err != nil || got != nil {
		t.Errorf("an absent folder: %v, %v", got, err)
	}
	deep := disk{"/w/" + strings.Repeat("a/", 60) + "b": ""}
	if got, err := (prompt.Globs{Folder: "/w", Include: []string{strings.Repeat("**/a/", 30) + "c"}}).Find(deep); err != nil || got != nil {
		t.Errorf("many folders: %v, %v", got, err)
	}
	d["/w/docs/bad\nname.md"] = ""
	if _, err := (prompt.Globs{Folder: "/w", Include: []string{"docs/*"}}).Find(d); err == nil || !strings.HasPrefix(err.Error(), "File name cannot be used") {
		t.Errorf("a line break in a name: %v", err)
	}
}

func TestWrongGlob(t *testing.T) {
	for pattern, want := range map[string]string{
		"a/**/b.md": "", "": "is empty", "/a": "is absolute", "a/../b": "holds ..", "./a": "holds .", "a//b": "has an empty element", "a/": "has an empty element",
		"a**": "holds **", "[a": "cannot be read", `a\b`: "holds a backslash",
	} {
		if got := prompt.WrongGlob(pattern); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q", pattern, got)
		}
	}
}

// TestGlobBounds: each file is held against each pattern, so there are not many.
func TestGlobBounds(t *testing.T) {
	g := prompt.Globs{Folder: "/w", Include: slices.Repeat([]string{"*"}, 150), Exclude: slices.Repeat([]string{"x"}, 51)}
	if _, err := g.Find(disk{"/w/a": ""}); err == nil || !strings.Contains(err.Error(), "201 patterns together") {
		t.Error(err)
	}
	if got := prompt.WrongGlob(strings.Repeat("**/", 400) + "*"); got != "has more than 1000 bytes" {
		t.Error(got)
	}
}
