package contrib

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// disk is a file system of literals; a value that begins with "!" is an error.
type disk map[string]string

func (d disk) ReadFile(path string, max int64) ([]byte, error) {
	data, ok := d[path]
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case strings.HasPrefix(data, "!"):
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New(data[1:])}
	case int64(len(data)) > max:
		return nil, errors.New("above the limit")
	}
	return []byte(data), nil
}

func (d disk) ReadDir(dir string) ([]string, error) {
	var out []string
	for name := range d {
		if path.Dir(name) == dir {
			out = append(out, path.Base(name))
		}
	}
	if out == nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	slices.Sort(out)
	return out, nil
}

func (d disk) ReadFolders(dir string, _ bool) ([]string, error) {
	var out []string
	found := false
	for name := range d {
		rest, below := strings.CutPrefix(name, dir+"/")
		found = found || below
		if first, _, deeper := strings.Cut(rest, "/"); below && deeper && !slices.Contains(out, first) {
			out = append(out, first)
		}
	}
	if !found {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	slices.Sort(out)
	return out, nil
}

func attr[T any](v T) config.Attr[T] { return config.Attr[T]{V: v} }

// contributor is one with the defaults of the language and what edit changes.
func contributor(kind config.Kind, name string, edit func(*config.Contributor)) config.Contributor {
	c := config.Contributor{
		Kind: kind, Name: name, Address: string(kind) + "." + name, Origin: "dsh.hcl:3",
		At:   diag.Range{File: "dsh.hcl", Start: diag.Pos{Line: 3}},
		Role: attr("user"), When: attr(true), OnError: attr("fail"), Oversize: attr("error"),
	}
	switch kind {
	case config.KindText:
		c.Newlines = attr("lf")
	case config.KindFile:
		c.Newlines = attr("keep")
		c.Origin = "notes/" + name
		c.Path = attr("/abs/notes/" + name)
	}
	if edit != nil {
		edit(&c)
	}
	return c
}

func inline(name, content string, edit func(*config.Contributor)) config.Contributor {
	return contributor(config.KindText, name, func(c *config.Contributor) {
		c.Content = attr(content)
		if edit != nil {
			edit(c)
		}
	})
}

func compose(t *testing.T, files disk, list ...config.Contributor) (msg.Composition, error) {
	t.Helper()
	return composeWith(t, Options{Files: files}, list...)
}

func composeWith(t *testing.T, o Options, list ...config.Contributor) (msg.Composition, error) {
	t.Helper()
	built, err := Build(list, o)
	if err != nil {
		t.Fatal(err)
	}
	return msg.Compose(context.Background(), built)
}

// show renders a composition: ADDRESS (ORIGIN) ROLE "TEXT" per piece, then skips.
func show(c msg.Composition) string {
	var b strings.Builder
	for _, p := range c.Pieces {
		fmt.Fprintf(&b, "%s (%s) %s %q\n", p.Address, p.Origin, p.Message.Role, p.Message.Content.Text())
	}
	for _, s := range c.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s\n", s.Address, s.Reason)
	}
	return b.String()
}

func TestOrderAndAbsence(t *testing.T) {
	render := func() (string, diag.List) { return "rendered\r\n", nil }
	got, err := compose(t, disk{"/abs/notes/b": "from b"},
		inline("a", "first", nil),
		contributor(config.KindFile, "b", nil),
		inline("off", "never", func(c *config.Contributor) { c.When = attr(false) }),
		inline("empty", "", nil),
		inline("blank", " \n\t\u3000", func(c *config.Contributor) { c.Envelope = attr("tag") }),
		contributor(config.KindFile, "absent", func(c *config.Contributor) { c.Optional = attr(true) }),
		contributor(config.KindTemplate, "c", func(c *config.Contributor) { c.Template.Render = render }),
		inline("primer", "I understand.", func(c *config.Contributor) { c.Role = attr("assistant") }),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := `text.a (dsh.hcl:3) user "first"
file.b (notes/b) user "from b"
template.c (dsh.hcl:3) user "rendered\n"
text.primer (dsh.hcl:3) assistant "I understand."
`
	if diff := cmp.Diff(want, show(got)); diff != "" {
		t.Error(diff)
	}
}

func TestNothing(t *testing.T) {
	if got, err := compose(t, disk{}); err != nil || got.Pieces != nil || got.Skipped != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// Content of white space is nothing, however much of it there is.
func TestBlankBeyondLimit(t *testing.T) {
	got, err := compose(t, disk{}, inline("a", strings.Repeat(" ", 100), func(c *config.Contributor) { c.MaxBytes = attr(10) }))
	if err != nil || len(got.Pieces) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	head := func(c *config.Contributor) { c.MaxBytes = attr(4); c.Oversize = attr("head") }
	got, err = compose(t, disk{}, inline("a", "    text", head))
	if err != nil || len(got.Pieces) != 0 {
		t.Errorf("cut to white space: %v, %v", got, err)
	}
}

func TestEnvelope(t *testing.T) {
	for content, want := range map[string]string{
		"one":       "<tag>\none\n</tag>",
		"one\n":     "<tag>\none\n</tag>",
		"one\n\n":   "<tag>\none\n\n</tag>",
		"\none\r\n": "<tag>\n\none\n</tag>",
	} {
		got, err := compose(t, disk{}, inline("a", content, func(c *config.Contributor) { c.Envelope = attr("tag"); c.MaxBytes = attr(7) }))
		if err != nil || got.Pieces[0].Message.Content.Text() != want {
			t.Errorf("%q: %v, %v", content, got, err)
		}
	}
}

func TestFile(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		edit       func(*config.Contributor)
		want       string
	}{
		{"as it is", "a\r\nb \u0301\n\n", nil, "a\r\nb \u0301\n\n"},
		{"decomposed stays decomposed", "e\u0301", nil, "e\u0301"},
		{"template syntax is text", "${env.KEY} %{ if }", nil, "${env.KEY} %{ if }"},
		{"mark", "\ufeffa\r\n", nil, "a\r\n"},
		{"one mark only", "\ufeff\ufeffa", nil, "\ufeffa"},
		{"lf", "\ufeffa\r\nb\rc\r\r\nd", func(c *config.Contributor) { c.Newlines = attr("lf") }, "a\nb\rc\nd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := compose(t, disk{"/abs/notes/x": tt.data}, contributor(config.KindFile, "x", tt.edit))
			if err != nil || len(got.Pieces) != 1 || got.Pieces[0].Message.Content.Text() != tt.want {
				t.Errorf("%q, %v", show(got), err)
			}
		})
	}
}

// A mark and nothing else is an empty file.
func TestFileOfMark(t *testing.T) {
	if got, err := compose(t, disk{"/abs/notes/x": "\ufeff"}, contributor(config.KindFile, "x", nil)); err != nil || len(got.Pieces) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFailures(t *testing.T) {
	limit := func(c *config.Contributor) { c.MaxBytes = attr(4) }
	for _, tt := range []struct {
		name string
		c    config.Contributor
		want string // after the address
	}{
		{"oversize", inline("x", "12345", limit), "content is 5 bytes, max_bytes is 4"},
		{"absent", contributor(config.KindFile, "absent", nil), "notes/absent does not exist"},
		{"unreadable", contributor(config.KindFile, "locked", nil), "notes/locked: permission denied"},
		{"optional and unreadable", contributor(config.KindFile, "locked", func(c *config.Contributor) { c.Optional = attr(true) }), "notes/locked: permission denied"},
		{"not UTF-8", contributor(config.KindFile, "latin1", nil), "notes/latin1 is not UTF-8: byte 6 belongs to no character"},
		{"torn character", contributor(config.KindFile, "torn", nil), "notes/torn is not UTF-8: byte 1 belongs to no character"},
		{"text not UTF-8", inline("x", "a\xff", nil), "dsh.hcl:3 is not UTF-8: byte 1 belongs to no character"},
		{"template", contributor(config.KindTemplate, "x", func(c *config.Contributor) {
			c.Template.Render = func() (string, diag.List) {
				return "half", diag.List{diag.Errorf(diag.Range{File: "t.tmpl", Start: diag.Pos{Line: 2, Column: 4}}, "no such value", "vars.teem")}
			}
		}), "t.tmpl:2,4: no such value: vars.teem"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := disk{"/abs/notes/locked": "!permission denied", "/abs/notes/latin1": "\ufeffcaf\xe9 au lait", "/abs/notes/torn": "a\xe2\x82"}
			_, err := compose(t, files, inline("before", "x", nil), tt.c, inline("after", "y", nil))
			var e *Error
			if !errors.As(err, &e) || e.Address != tt.c.Address || e.At != tt.c.At || msg.CodeOf(err) != "INVALID_PREFIX" {
				t.Fatalf("error %#v", err)
			}
			if diff := cmp.Diff(tt.c.Address+": "+tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}

			skipped := tt.c
			skipped.OnError = attr("skip")
			got, err := compose(t, files, inline("before", "x", nil), skipped, inline("after", "y", nil))
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("text.before (dsh.hcl:3) user \"x\"\ntext.after (dsh.hcl:3) user \"y\"\nskipped %s: %s\n", tt.c.Address, tt.want)
			if diff := cmp.Diff(want, show(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	_, err := compose(t, disk{}, contributor(config.KindFile, "absent", nil))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	_, err = compose(t, disk{}, inline("x", "12345", func(c *config.Contributor) { c.MaxBytes = attr(4) }))
	var oversize *OversizeError
	if !errors.As(err, &oversize) || oversize.Size != 5 || oversize.Limit != 4 {
		t.Errorf("oversize: %v", err)
	}
}

// The files are read when a session starts, not when the contributors are built,
// and again at the next start.
func TestReadsAtComposition(t *testing.T) {
	files := disk{}
	built, err := Build([]config.Contributor{contributor(config.KindFile, "x", nil)}, Options{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"one", "two"} {
		files["/abs/notes/x"] = content
		got, err := msg.Compose(context.Background(), built)
		if err != nil || got.Pieces[0].Message.Content.Text() != content {
			t.Errorf("%v, %v", got, err)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for name, edit := range map[string]func(*config.Contributor){
		"kind":      func(c *config.Contributor) { c.Kind = "picture" },
		"role":      func(c *config.Contributor) { c.Role = attr("system") },
		"on_error":  func(c *config.Contributor) { c.OnError = attr("ignore") },
		"oversize":  func(c *config.Contributor) { c.Oversize = attr("") },
		"newlines":  func(c *config.Contributor) { c.Newlines = attr("crlf") },
		"max_bytes": func(c *config.Contributor) { c.MaxBytes = attr(-1) },
	} {
		_, err := Build([]config.Contributor{inline("x", "x", edit)}, Options{Files: disk{}})
		var e *Error
		if !errors.As(err, &e) || e.Address != "text.x" || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOriginIsUTF8: a path need not be, and what is recorded is.
func TestOriginIsUTF8(t *testing.T) {
	got, err := compose(t, disk{}, inline("a", "x", func(c *config.Contributor) { c.Origin = "a\xffb.dsh.hcl:3" }))
	if want := "text.a (a\uFFFDb.dsh.hcl:3) user \"x\"\n"; err != nil || show(got) != want {
		t.Errorf("%q, %v", show(got), err)
	}
}
