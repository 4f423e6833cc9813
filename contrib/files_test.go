package contrib

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config"
)

// told composes one contributor and renders what it yields, or its error.
func told(t *testing.T, o Options, c config.Contributor) string {
	t.Helper()
	got, err := composeWith(t, o, c)
	if err != nil {
		return err.Error()
	}
	return show(got)
}

func TestFiles(t *testing.T) {
	d := disk{"/ws/cfg/docs/b.md": "b\r\n", "/ws/cfg/docs/a.md": "\ufeffa", "/ws/cfg/docs/blank.md": " \n", "/ws/cfg/docs/deep/c.md": "c\n\n", "/ws/cfg/docs/x.bin": "\x00\xff", "/ws/cfg/long.md": "0123456789012345678901234567890123456789"}
	for _, name := range []string{"1", "2", "3"} {
		d["/ws/big/"+name] = strings.Repeat("x", 12<<20)
	}
	for _, tt := range []struct {
		name string
		edit func(*config.Contributor)
		want string
	}{
		{"one message", nil, "files.f (cfg/docs/a.md and 2 more) user \"Contents of cfg/docs/a.md:\\n\\na\\n\\nContents of cfg/docs/b.md:\\n\\nb\\r\\n\\nContents of cfg/docs/deep/c.md:\\n\\nc\\n\\n\"\n"},
		{"split", func(c *config.Contributor) { c.Split = attr(true); c.Envelope = attr("doc"); c.Newlines = attr("lf") },
			"files.f (cfg/docs/a.md) user \"<doc>\\nContents of cfg/docs/a.md:\\n\\na\\n</doc>\"\nfiles.f (cfg/docs/b.md) user \"<doc>\\nContents of cfg/docs/b.md:\\n\\nb\\n</doc>\"\nfiles.f (cfg/docs/deep/c.md) user \"<doc>\\nContents of cfg/docs/deep/c.md:\\n\\nc\\n\\n</doc>\"\n"},
		{"exclude", func(c *config.Contributor) { c.Exclude = []string{"docs/[ab]*"} }, "files.f (cfg/docs/deep/c.md) user \"Contents of cfg/docs/deep/c.md:\\n\\nc\\n\\n\"\n"},
		{"nothing left", func(c *config.Contributor) { c.Exclude = []string{"docs/**"} }, "files.f: docs/**/*.md matches no file"},
		{"no match", func(c *config.Contributor) { c.Include = []string{"*.rst"} }, "files.f: docs/**/*.md matches no file"},
		{"optional", func(c *config.Contributor) { c.Include, c.Optional = []string{"*.rst"}, attr(true) }, ""},
		{"binary", func(c *config.Contributor) { c.Include = []string{"docs/*"} }, "files.f: cfg/docs/x.bin is not UTF-8: byte 1 belongs to no character"},
		{"too much", func(c *config.Contributor) {
			c.Folder, c.Include, c.Oversize, c.MaxBytes = "/ws/big", []string{"*"}, attr("head"), attr(10)
		}, "files.f: Too much text: The files have more than 32 MiB together. Leave some of them out"},
		{"file too large", func(c *config.Contributor) { c.Include, c.MaxFileBytes = []string{"long.md"}, attr(39) }, "files.f: cfg/long.md is 40 bytes, max_file_bytes is 39"},
		{"file cut", func(c *config.Contributor) {
			c.Include, c.MaxFileBytes, c.Oversize = []string{"long.md"}, attr(32), attr("tail")
		}, "files.f (cfg/long.md) user \"Contents of cfg/long.md:\\n\\n[... 35 bytes omitted ...]\\n56789\"\n"},
		{"too large", func(c *config.Contributor) { c.Include, c.MaxBytes = []string{"long.md"}, attr(65) }, "files.f: content is 66 bytes, max_bytes is 65"},
		{"cut behind the intro", func(c *config.Contributor) {
			c.Include, c.MaxBytes, c.Oversize = []string{"long.md"}, attr(58), attr("tail")
		}, "files.f (cfg/long.md) user \"Contents of cfg/long.md:\\n\\n[... 35 bytes omitted ...]\\n56789\"\n"},
		{"no room for the intro", func(c *config.Contributor) {
			c.Include, c.MaxBytes, c.Oversize = []string{"long.md"}, attr(5), attr("head")
		}, "files.f (cfg/long.md) user \"01234\"\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := contributor(config.KindFiles, "f", func(c *config.Contributor) {
				c.Folder, c.Include, c.Newlines, c.Origin = "/ws/cfg", []string{"docs/**/*.md"}, attr("keep"), "docs/**/*.md"
				if tt.edit != nil {
					tt.edit(c)
				}
			})
			if diff := cmp.Diff(tt.want, told(t, Options{Files: d, Workspace: "/ws", Config: "/ws/cfg"}, c)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
