package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/scenarios"
)

// programs are the programs that a project's scenarios start by exec, as what needs
// trust: running somebody's tests runs what they say.
func (p *project) programs() ([]config.Start, error) {
	dir := filepath.Join(p.config.Dir, "scenarios")
	names, err := scenarios.Find(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []config.Start
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name)+".txtar")
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		lines, numbers := scenarios.Programs(text)
		for i, line := range lines {
			at := diag.Pos{Line: numbers[i], Column: 1}
			out = append(out, config.Start{Kind: "exec", Text: line, At: diag.Range{File: "scenarios/" + name + ".txtar", Start: at, End: at}})
		}
	}
	return out, nil
}

// programsPlace is the name under which the trust in a project's programs is kept,
// apart from that in its configuration: who runs the agent need not run its tests.
func (p *project) programsPlace() string { return filepath.Join(p.config.Dir, "scenarios") }
