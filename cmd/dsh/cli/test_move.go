package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/golden"
)

// moves are the goldens of one run whose bytes providers have in their caches, and
// that are to be rewritten.
type moves struct {
	reason string // why, "" when nobody said
	mu     sync.Mutex
	paths  []string // that were accepted, relative to the configuration folder
	dir    string
}

// moving decides about goldens that move. Where DSH_UPDATE is force, nobody is asked:
// a clean tree is demanded behind it.
func (c *command) moving(o testOptions, dir string) (*moves, error) {
	reason := o.move
	if env, ok := c.env.Getenv("DSH_ACCEPT_PREFIX_MOVE"); ok && reason == "" {
		reason = env
	}
	reason = strings.TrimSpace(reason)
	if inLine(reason) != reason {
		return nil, usageErrorf("--accept-prefix-move wants a reason in one line, of text that can be shown: it is kept in golden/%s. This one is %s", golden.MovesFile, inLine(reason))
	}
	if mode, _ := c.env.Getenv("DSH_UPDATE"); mode == "force" {
		return nil, nil
	}
	m := &moves{reason: reason, dir: dir}
	if reason != "" {
		// Told before goldens are rewritten.
		if err := golden.Place(dir, m.file()); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// file keeps the reasons.
func (m *moves) file() string { return filepath.Join(m.dir, "golden", golden.MovesFile) }

// accept is asked before a golden that moves is rewritten. What it returns is called
// when that was done.
func (m *moves) accept(path string) (wrote func(), err error) {
	name := path
	if rel, err := filepath.Rel(m.dir, path); err == nil {
		name = filepath.ToSlash(rel)
	}
	if m.reason == "" {
		return nil, fmt.Errorf("%s pins what stands in front of every request, and it is to become something else: providers have it in their caches, and every session that goes on pays for all of it once more. If that is meant, say why: dsh test -update -accept-prefix-move REASON", name)
	}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.paths = append(m.paths, inLine(name))
	}, nil
}

// record keeps the reason beside the goldens, where a review sees it.
func (c *command) record(m *moves) error {
	if m == nil || len(m.paths) == 0 {
		return nil
	}
	text, err := os.ReadFile(m.file())
	if errors.Is(err, os.ErrNotExist) {
		text, err = []byte("# Moves of cached bytes\n\nWhy goldens of headers were rewritten whose bytes providers had in their caches; `dsh test` adds a line for each.\n\n"), nil
	}
	if err != nil {
		return err
	}
	slices.Sort(m.paths)
	line := fmt.Sprintf("- %s: %s (%s)\n", c.env.Now().UTC().Format("2006-01-02"), m.reason, strings.Join(slices.Compact(m.paths), ", "))
	return golden.Write(m.dir, golden.Change{Pin: golden.Pin{Path: m.file(), Found: string(text) + line}})
}

// agentNames are the agents of a configuration, in the order of their declaration.
func agentNames(c *config.Config) []string {
	var out []string
	for _, a := range c.Agents {
		out = append(out, a.Name)
	}
	return out
}
