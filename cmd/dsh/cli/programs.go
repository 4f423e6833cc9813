package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/scenarios"
)

// programs are the programs that a project's scenarios start, by exec or by hooks, tools
// and commands of their own, as what needs trust: running somebody's tests runs what they say.
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
		for _, d := range scenarios.Declares(text) {
			at := diag.Pos{Line: d.Line, Column: 1}
			out = append(out, config.Start{Kind: d.Kind, Text: "the " + d.Kind + "s in " + d.Name + " of a scenario with sha256 " + d.SHA256, At: diag.Range{File: "scenarios/" + name + ".txtar", Start: at, End: at}})
		}
	}
	return out, nil
}

// programsPlace is the name under which the trust in a project's programs is kept,
// apart from that in its configuration: who runs the agent need not run its tests.
func (p *project) programsPlace() string { return filepath.Join(p.trustPlace(), "scenarios") }

// trustPlace is the name under which the trust in a configuration is kept: where its
// folder really lies, since a link may lead elsewhere tomorrow.
func (p *project) trustPlace() string { return realFolder(p.config.Dir) }

// realFolder is where a folder really lies, and its own name when that is not known.
func realFolder(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// lineOfShell is what the gate is asked about when a tool wants a line run by a shell.
const lineOfShell = "line"

// gate decides in a scenario which hooks, tools and commands of contributors may start: those
// of the project, and those of a scenario that holds any, since a person was asked
// about both. What a script puts together on its way is refused elsewhere.
func (p *project) gate(programs []config.Start) func(scenario string, starts []config.Start) error {
	return func(scenario string, starts []config.Start) error {
		asked := func(kind string) bool {
			return slices.ContainsFunc(programs, func(s config.Start) bool {
				return s.Kind == kind && s.At.File == "scenarios/"+scenario+".txtar"
			})
		}
		free := map[string]bool{"hook": asked("hook"), "tool": asked("tool"), "command": asked("command")}
		for _, s := range starts {
			if s.Kind == lineOfShell && !asked("tool") {
				// The lines stand in the scenario, or are put together by it: trust in the
				// project is none in them.
				return &refusedError{"the shell runs only in a scenario that somebody was asked about, and this one shows no call of it"}
			}
			known := func(o config.Start) bool { return o.Kind == s.Kind && o.Text == s.Text }
			if allowed, process := free[s.Kind]; process && !allowed && !slices.ContainsFunc(p.config.Starts, known) {
				return &refusedError{"a " + s.Kind + " that nobody was asked about: " + inLine(s.Text)}
			}
		}
		return nil
	}
}
