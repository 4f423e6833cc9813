package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config/trust"
)

// initial is the configuration that init writes.
//
//go:embed all:initial
var initial embed.FS

func (c *command) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a configuration that works offline, with a scenario and its golden",
		Long: "Writes an agent, a scripted model that answers offline, one scenario and its\n" +
			"golden into DIR, the working directory by default. Files that exist are never\n" +
			"touched: when there is one of that name, nothing is written.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := c.folderArg(args)
			if err != nil {
				return err
			}
			if dir == "" {
				dir = c.flags.config
			}
			return c.init(dir)
		},
	}
}

func (c *command) init(dir string) error {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.env.Dir, dir)
	}
	var names, taken []string
	err := fs.WalkDir(initial, "initial", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, "initial/")
		names = append(names, name)
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			taken = append(taken, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		return usageErrorf("nothing was written, since these files exist already in %s: %s. Name another folder, such as 'dsh init agent'.", dir, strings.Join(taken, ", "))
	}
	for _, name := range names {
		if other := notAFolder(dir, name); other != "" {
			return usageErrorf("nothing was written, since %s is no folder, and %s would be written into it", other, name)
		}
	}
	for _, name := range names {
		content, err := initial.ReadFile("initial/" + name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := c.within(path); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := c.writeNew(path, content); err != nil {
			return err
		}
	}
	// What init wrote needs no question, as long as it is what init wrote.
	p, err := c.load(loadOptions{dir: dir})
	if err != nil {
		return err
	}
	defer p.close()
	if len(p.config.Starts) > 0 {
		s, err := trust.Open(trustFile(p.settings))
		if err != nil {
			return err
		}
		if err := s.Allow(p.trustPlace(), trust.Digest(p.config.Starts), c.env.Now()); err != nil {
			return err
		}
	}
	out := c.env.Stdout
	fmt.Fprintf(out, "Wrote a configuration into %s:\n", dir)
	for _, name := range names {
		fmt.Fprintf(out, "  %s\n", name)
	}
	where := ""
	if rel, err := filepath.Rel(c.env.Dir, dir); err == nil && rel != "." {
		where = "cd " + rel + "\n  "
	}
	_, err = fmt.Fprintf(out, "Next:\n  %sdsh check\n  dsh run \"Please review main.go\"\n  dsh verify\n  dsh test\n", where)
	return err
}

// notAFolder is the first of the folders that a file would stand in that is something
// else, a link included: what it leads to is not in dir. It is "" when there is none.
func notAFolder(dir, name string) string {
	at := dir
	for _, element := range strings.Split(filepath.Dir(filepath.FromSlash(name)), string(filepath.Separator)) {
		at = filepath.Join(at, element)
		if info, err := os.Lstat(at); err == nil && !info.IsDir() && at != dir {
			return at
		}
	}
	return ""
}

// writeNew writes a file that must not exist, whole or not at all.
func (c *command) writeNew(path string, content []byte) error {
	if err := c.within(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
