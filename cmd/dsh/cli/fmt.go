package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/hclfile"
)

func (c *command) fmtCommand() *cobra.Command {
	var o fmtOptions
	cmd := &cobra.Command{
		Use:   "fmt [flags] [FILE|DIR|-]...",
		Short: "Lay out configuration files in the one usual way",
		Long: "Rewrites configuration files and variable files (*.dshvars) in the usual layout\n" +
			"and prints the names of those that changed. Only blanks change. Of a folder its\n" +
			"dsh.hcl, *.dsh.hcl and *.dshvars are taken, of the command line any file; without\n" +
			"arguments it is the configuration folder. - formats standard input to standard\n" +
			"output.\n\nExits with 2 when a file has a syntax error, and with --check with 1 when one would\nchange.",
		Args: argCount(0, -1),
		RunE: func(_ *cobra.Command, args []string) error { return c.fmt(o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.check, "check", false, "write nothing, exit with 1 when a file would change")
	f.BoolVar(&o.diff, "diff", false, "show what changes")
	f.BoolVar(&o.fix, "fix", false, "write new names in the place of former ones, too")
	return cmd
}

type fmtOptions struct{ check, diff, fix bool }

func (c *command) fmt(o fmtOptions, args []string) error {
	if slices.Contains(args, "-") {
		if len(args) > 1 {
			return usageErrorf("- stands alone: standard input is formatted, or files are")
		}
		return c.fmtInput(o)
	}
	files, err := c.fmtFiles(args)
	if err != nil {
		return err
	}
	changed := false
	var problems diag.List
	sources := diag.Sources{}
	for _, path := range files {
		text, err := c.readText(path)
		if err != nil {
			return err
		}
		name := c.shown(path)
		out, from, list := hclfile.Format(name, text, o.fix)
		if list.HasErrors() {
			problems = append(problems, list...)
			for n, s := range from {
				sources[n] = s
			}
			continue
		}
		if bytes.Equal(out, text) {
			continue
		}
		changed = true
		if !o.check {
			if err := c.rewrite(path, out); err != nil {
				return err
			}
		}
		fmt.Fprintln(c.env.Stdout, inLine(name))
		if o.diff {
			c.fmtDiff(name, text, out)
		}
	}
	return c.fmtEnd(o, changed, problems, sources)
}

// fmtInput formats standard input.
func (c *command) fmtInput(o fmtOptions) error {
	const name = "<stdin>"
	text, err := readLimited(c.env.Stdin, "standard input")
	if err != nil {
		return err
	}
	out, sources, problems := hclfile.Format(name, text, o.fix)
	switch {
	case problems.HasErrors():
	case o.diff:
		c.fmtDiff(name, text, out)
	case !o.check:
		if _, err := c.env.Stdout.Write(out); err != nil {
			return err
		}
	}
	return c.fmtEnd(o, !bytes.Equal(out, text), problems, sources)
}

func (c *command) fmtEnd(o fmtOptions, changed bool, problems diag.List, sources diag.Sources) error {
	if len(problems) > 0 {
		c.printDiagnostics(problems, sources)
		return &silentError{exitUsage}
	}
	if changed && o.check {
		return &silentError{exitFailed}
	}
	return nil
}

func (c *command) fmtDiff(name string, before, after []byte) {
	d := diff.Diff("old/"+filepath.ToSlash(name), before, "new/"+filepath.ToSlash(name), after)
	fmt.Fprint(c.env.Stdout, printable(string(d)))
}

// fmtFiles are the files that the arguments mean, each once, in their order.
func (c *command) fmtFiles(args []string) ([]string, error) {
	if len(args) == 0 {
		dir, _, problems := locate(hclfile.Options{
			Config: c.flags.config, Dir: c.env.Dir, Workspace: c.flags.workspace, Home: c.env.Home, OwnerOf: ownerOf, Exists: exists, IsDir: isDir,
		})
		if err := problems.Err(); err != nil {
			return nil, err
		}
		args = []string{dir}
	}
	var out []string
	add := func(path string) {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, arg := range args {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.env.Dir, path)
		}
		switch {
		case !exists(path):
			return nil, usageErrorf("there is no file %s", arg)
		case !isDir(path) && strings.HasSuffix(path, ".json"):
			return nil, usageErrorf("%s is JSON, which dsh fmt does not lay out", arg)
		case !isDir(path):
			add(path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			file := filepath.Join(path, e.Name())
			if !hclfile.Formatted(e.Name()) {
				continue
			}
			if leads, out := leadsOut(file, path); out {
				return nil, usageErrorf("%s leads to %s, outside of its folder. Name that file to lay it out.", c.shown(file), leads)
			}
			add(file)
		}
	}
	return out, nil
}

// leadsOut reports whether a file of a folder is a link to somewhere else, and where.
func leadsOut(file, folder string) (string, bool) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false // reading it says so
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return "", false
	}
	return real, !below(real, folder)
}

// shown is a path relative to the working directory where that is shorter.
func (c *command) shown(path string) string {
	if rel, err := filepath.Rel(c.env.Dir, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// rewrite replaces the content of a file, wholly or not at all. A link keeps
// leading to it, and its permissions stay.
func (c *command) rewrite(path string, content []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if c.env.Within != "" && !below(path, c.env.Within) {
		return &refusedError{"a scenario rewrites no files outside of its own folder"}
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s is read-only", c.shown(path))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return fmt.Errorf("%s cannot be replaced: %w", c.shown(path), at.Err)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
