package mention_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

// Nothing that is typed panics, and what a path is inserted as is the token at its end
// again.
func FuzzToken(f *testing.F) {
	f.Add("see ", "src/a b.go", 3, true, false)
	f.Add("\u2028", "😀", 1, false, true)
	f.Fuzz(func(t *testing.T, before, path string, cursor int, directory, quoted bool) {
		if token, ok := mention.At(before+path, cursor); ok {
			units := mention.Units(before + path)
			if end := token.Start + mention.Units(token.Prefix); end != min(cursor, units) || !strings.HasSuffix(token.Prefix, token.Query) {
				t.Fatalf("%q at %d is %+v", before+path, cursor, token)
			}
		}
		text, ok := mention.Insertion(path, directory, quoted)
		if !ok {
			return
		}
		if !utf8.ValidString(text) {
			t.Fatalf("%q is inserted as %q", path, text)
		}
		want := path
		if directory {
			want += "/"
		}
		typed, closed := strings.CutSuffix(text, `"`) // a quoted file is not typed on
		// An open quote before it would go on: that is what the person typed.
		before = strings.ReplaceAll(before, `"`, "") + " "
		token, ok := mention.At(before+typed, mention.Units(before+typed))
		if !ok || token.Query != want || token.Quoted != (closed || strings.HasPrefix(text, `@"`)) || token.Start != mention.Units(before) {
			t.Fatalf("%q is inserted as %q, which is %+v, %v", path, text, token, ok)
		}
	})
}

// What is kept of an earlier answer is part of the next.
func TestNarrow(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range []string{"main.go", "main_test.go", "docs/main.md", "docs/a.md", "m/x", ".mail", "README.md"} {
		tree[name] = &fstest.MapFile{}
	}
	files, err := mention.NewFiles(tree, mention.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	search := func(query string) []mention.Found {
		found, err := files.Search(context.Background(), query)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for _, queries := range [][]string{{"", "m"}, {"m", "ma"}, {"m", "main."}, {"docs/", "docs/m"}, {"doc", "docs/"}, {"docs/m", "docs"}, {"ma", "m"}, {".m", "."}, {"ma", ""}, {"docs/", `docs\m`}} {
		next := search(queries[1])
		for _, kept := range mention.Narrow(search(queries[0]), queries[0], queries[1]) {
			if !slices.Contains(next, kept) {
				t.Errorf("%q keeps %+v, which %+v does not hold", queries, kept, next)
			}
		}
	}
	if kept := mention.Narrow(search("m"), "m", "main"); len(kept) != 3 {
		t.Errorf("%+v", kept)
	}
}

// The index stays until it is forgotten, and a search ends with its context.
func TestIndex(t *testing.T) {
	tree := fstest.MapFS{"old": {}}
	files, err := mention.NewFiles(tree, mention.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	finds := func(want int) {
		t.Helper()
		if found, err := files.Search(ctx, "new"); err != nil || len(found) != want {
			t.Errorf("%+v, %v", found, err)
		}
	}
	finds(0)
	tree["newer"] = &fstest.MapFile{}
	finds(0)
	files.Forget()
	finds(1)
	files.Forget()
	stop := errors.New("stop")
	cancel(stop)
	if found, err := files.Search(ctx, "new"); err != stop {
		t.Errorf("%+v, %v", found, err)
	}
}

// changing is a tree that changes while it is read.
type changing struct {
	fstest.MapFS
	change func()
}

func (c changing) ReadDir(name string) ([]fs.DirEntry, error) {
	listed, err := c.MapFS.ReadDir(name)
	c.change()
	return listed, err
}

// An index that was forgotten while it was made does not stay.
func TestForgottenMeanwhile(t *testing.T) {
	tree := fstest.MapFS{"old": {}}
	var files *mention.Files
	change := func() {
		tree["newer"] = &fstest.MapFile{}
		files.Forget()
	}
	files, err := mention.NewFiles(changing{tree, func() { change() }}, mention.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for want := range 2 {
		if found, err := files.Search(context.Background(), "new"); err != nil || len(found) != want {
			t.Errorf("%+v, %v; want %d", found, err, want)
		}
		change = func() {}
	}
}

// A link in the middle of a path leads nowhere, on whatever tree it is told.
func TestLinksAreNotFollowed(t *testing.T) {
	tree := fstest.MapFS{"real/deep/file": {}, "link": {Data: []byte("real"), Mode: fs.ModeSymlink}}
	files, err := mention.NewFiles(tree, mention.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{"real/deep/": 1, "link/": 0, "link/deep/": 0, "real/../link/deep/": 0, "file": 1} {
		if found, _ := files.Search(context.Background(), query); len(found) != want {
			t.Errorf("%q finds %+v", query, found)
		}
	}
}
