package cli

import (
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

// plan adds the files that the agents' contributors will read when they run.
func (r *recorder) plan(c *config.Config) {
	for _, a := range c.Agents {
		for _, contributor := range slices.Concat(a.System, a.Prefix) {
			if p := contributor.Path.V; p != "" && !slices.Contains(r.seen, p) {
				if ok, err := r.Reader.Exists(p); ok && err == nil {
					r.seen = append(r.seen, p)
				}
			}
		}
	}
}

// paths are the files read, in order of first reading.
func (r *recorder) paths() []string { return r.seen }
