package cli

import (
	"path/filepath"

	"github.com/dsh-hcl/dsh/scenarios"
)

// Tests are the scenarios of a configuration, for a runner other than dsh test.
type Tests struct {
	Options scenarios.Options
	Close   func() // gives back what the configuration holds open
}

// LoadTests loads the configuration in a folder and returns its scenarios. Nobody is
// asked for trust. Problems are printed to the environment's Stderr; the error is set
// when there is an error among them, or when DSH_UPDATE asks for what is refused.
func LoadTests(dir string, env Env) (Tests, error) {
	c := &command{env: env}
	update, err := UpdateMode(env.Getenv, false)
	if err != nil {
		return Tests{}, err
	}
	p, err := c.load(loadOptions{dir: dir})
	if err != nil {
		return Tests{}, err
	}
	return Tests{Close: p.close, Options: scenarios.Options{
		Dir: filepath.Join(p.config.Dir, "scenarios"), Golden: filepath.Join(p.config.Dir, "golden"), Project: p.config.Dir,
		Update: update, Host: Host(func() ([]scenarios.File, error) { return p.reads() }, nil, nil),
	}}, nil
}
