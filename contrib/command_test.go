package contrib

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config"
)

func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		name string
		ran  Ran
		edit func(*config.Contributor)
		want string
	}{
		{"output", Ran{Stdout: "go1.26\r\n", Stderr: "noise"}, nil, "command.c (dsh.hcl:3) user \"go1.26\\r\\n\"\n"},
		{"lf", Ran{Stdout: "go1.26\r\n"}, func(c *config.Contributor) { c.Newlines, c.Envelope = attr("lf"), attr("go") }, "command.c (dsh.hcl:3) user \"<go>\\ngo1.26\\n</go>\"\n"},
		{"nothing", Ran{Stdout: "\n"}, nil, ""},
		{"exit code", Ran{Stdout: "half", Stderr: "no such\nfile\n", ExitCode: 3}, nil, "command.c: go ended with exit code 3: no such file"},
		{"silent exit code", Ran{ExitCode: -1}, nil, "command.c: go ended with exit code -1"},
		{"much on standard error", Ran{Stderr: strings.Repeat("ä", 300), ExitCode: 1}, nil, "command.c: go ended with exit code 1: " + strings.Repeat("ä", 200) + "..."},
		{"timeout", Ran{TimedOut: true, ExitCode: -1, Stderr: "waiting"}, nil, "command.c: go took longer than 10s: waiting"},
		{"not started", Ran{Err: errors.New(`there is no program "go" in PATH`), ExitCode: -1}, nil, `command.c: there is no program "go" in PATH`},
		{"not UTF-8", Ran{Stdout: "a\xff"}, nil, "command.c: the output of go is not UTF-8: byte 1 belongs to no character"},
		{"NUL character", Ran{Stdout: "a\x00"}, nil, "command.c: the output of go holds a NUL character at byte 1"},
		{"too much", Ran{Stdout: "a", Cut: true}, nil, "command.c: go wrote more than 4 MiB"},
		{"skipped", Ran{ExitCode: 3}, func(c *config.Contributor) { c.OnError = attr("skip") }, "skipped command.c: go ended with exit code 3\n"},
		{"bounded", Ran{Stdout: "0123456789"}, func(c *config.Contributor) { c.MaxBytes, c.Oversize = attr(4), attr("head") }, "command.c (dsh.hcl:3) user \"0123\"\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := contributor(config.KindCommand, "c", func(c *config.Contributor) {
				c.Command, c.Timeout, c.Newlines = attr([]string{"go", "version"}), attr(10*time.Second), attr("keep")
				if tt.edit != nil {
					tt.edit(c)
				}
			})
			run := func(_ context.Context, got config.Contributor) Ran {
				if got.Address != c.Address {
					t.Errorf("ran %s", got.Address)
				}
				return tt.ran
			}
			if diff := cmp.Diff(tt.want, told(t, Options{Run: run}, c)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{10 * time.Second: "10s", time.Minute: "1m", 2 * time.Hour: "2h", 90 * time.Second: "1m30s", 500 * time.Millisecond: "500ms"} {
		if got := short(d); got != want {
			t.Errorf("%v: %s", d, got)
		}
	}
}
