package cli

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/confine"
)

// recorder reads files for a configuration and remembers which it read, since a
// scenario's folder starts with those.
type recorder struct {
	*confine.Reader
	seen []string
}

// ReadFile implements hclfile.Files and contrib.Files.
func (r *recorder) ReadFile(path string, max int64) ([]byte, error) {
	b, err := r.Reader.ReadFile(path, max)
	if err == nil && !slices.Contains(r.seen, path) {
		r.seen = append(r.seen, path)
	}
	return b, err
}

// plan adds the files that the agents' contributors will read when they run, and
// the programs of contributors, hooks and tools with the files among their arguments.
func (r *recorder) plan(c *config.Config) {
	for _, a := range c.Agents {
		for _, contributor := range slices.Concat(a.System, a.Prefix) {
			r.add(contributor.Path.V)
			r.planCommand(c, contributor.Command.V)
		}
	}
	for _, h := range c.Hooks {
		r.planCommand(c, h.Command.V)
	}
	for _, t := range c.Tools {
		r.planCommand(c, t.Command.V)
	}
}

// planCommand adds the files among a program and its arguments.
func (r *recorder) planCommand(c *config.Config, command []string) {
	for _, arg := range command {
		if !filepath.IsAbs(arg) {
			arg = filepath.Join(c.Workspace, arg) // where the program runs
		}
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
			r.add(arg)
		}
	}
}

// add adds a file that may be read and exists.
func (r *recorder) add(path string) {
	if path == "" || slices.Contains(r.seen, path) {
		return
	}
	if ok, err := r.Reader.Exists(path); ok && err == nil {
		r.seen = append(r.seen, path)
	}
}

// paths are the files read, in order of first reading.
func (r *recorder) paths() []string { return r.seen }
