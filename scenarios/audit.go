package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/golden"
)

// audit is what the scenarios of one run did with goldens, for the questions that
// only all of them together answer. It may be used by several goroutines.
type audit struct {
	mu    sync.Mutex
	used  map[string]string // path of a golden to the scenario that holds something to it
	pins  map[pin][]string  // where each is pinned in full: "SCENARIO: NAME"
	other map[pin]string    // where another text than the project's is pinned in full
	seen  map[pin]string    // headers of the project's own agents, with a scenario that logs one
	done  map[string]bool   // scenarios that ran to their end
	over  map[string]bool   // scenarios that were skipped and pin nothing in full
}

// pin is what is pinned in full once in a suite.
type pin struct{ agent, reason string }

func newAudit() *audit {
	return &audit{used: map[string]string{}, pins: map[pin][]string{}, other: map[pin]string{}, seen: map[pin]string{}, done: map[string]bool{}, over: map[string]bool{}}
}

// use is told a golden that a scenario holds something to, and a name that this run's
// folder has and no other's.
func (a *audit) use(path, folder string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[path] = folder
}

// pin is told a full pin, and whether that is one of the project's own text.
func (a *audit) pin(p pin, where string, own bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if own {
		a.pins[p] = append(a.pins[p], where)
	} else if before, ok := a.other[p]; !ok || where < before {
		a.other[p] = where
	}
}

func (a *audit) header(p pin, scenario string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if before, ok := a.seen[p]; !ok || scenario < before {
		a.seen[p] = scenario
	}
}

// ran says that a scenario ran to its end, so that all goldens it uses are known.
func (a *audit) ran(scenario string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done[scenario] = true
}

// skipped says that a scenario was, somewhere in its script. What it pins in full where
// the condition of that does not hold, nobody can tell here.
func (a *audit) skipped(scenario string, text []byte, root string) {
	everywhere, pins := false, false
	for _, line := range strings.Split(string(txtar.Parse(text).Comment), "\n") {
		fields := strings.Fields(line)
		everywhere = everywhere || len(fields) > 0 && fields[0] == "skip"
		if len(fields) == 4 && slices.Equal(fields[:3], []string{"header", "golden", "-full"}) {
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(scenario), fields[3]+".md"))
			pins = pins || err == nil
		}
	}
	if pins && !everywhere {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over[scenario] = true
}

// findings are what is wrong with the goldens below a folder, in byte order of their
// paths. What only a run of a scenario to its end can tell is left out where that is
// missing. agents are those of the project's own configuration.
func (a *audit) findings(root string, scenarios, agents []string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	whole := len(a.done)+len(a.over) == len(scenarios)
	for _, name := range agents {
		p := pin{name, event.HeaderInitial}
		if _, asked := a.seen[p]; !asked {
			a.seen[p] = "" // an agent that nothing was asked of is there, too
		}
	}
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	first := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix("golden/"+filepath.ToSlash(rel), "/.")
		switch kind := d.Type(); {
		case kind&fs.ModeSymlink != 0, !kind.IsDir() && !kind.IsRegular(), path == root && !kind.IsDir():
			say("%s: goldens are plain files in plain folders, and this is neither. Remove it, or put a plain one in its place", name)
			return nil
		case kind.IsDir():
			if golden.Looks(path) && !slices.ContainsFunc(scenarios, func(s string) bool {
				return s == filepath.ToSlash(rel) || strings.HasPrefix(s, filepath.ToSlash(rel)+"/")
			}) {
				say("%s: it is a folder, and has the name of a golden. Remove it", name)
			}
			return nil
		case besides(rel):
			return nil
		case filepath.Dir(rel) == ".", !golden.Named(path):
			say("%s: it is no golden, and lies where a review looks for these: they are golden/SCENARIO/NAME.json, .jsonl or .md. Remove it", name)
			return nil
		}
		folder, ok := a.used[path]
		if !ok {
			// A scenario that did not run to its end might have used it.
			if owner := filepath.ToSlash(filepath.Dir(rel)); a.done[owner] || !slices.Contains(scenarios, owner) {
				say("%s: no scenario holds anything to it. Remove it, or name it in scenarios/%s.txtar", name, filepath.ToSlash(filepath.Dir(rel)))
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if why := golden.Unfit(path, string(text), folder); why != "" {
			say("%s: %s. Pin something else, or take out of it what varies: a golden says something, and the same in every run", name, why)
		}
		if before, ok := first[string(text)]; ok {
			say("%s: it is the same as %s, byte for byte: one of them pins nothing new. Keep one, and remove the line and the file of the other", name, before)
		} else {
			first[string(text)] = name
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		say("%v", err)
	}
	return append(out, a.pinned(whole)...)
}

// besides reports whether a file may lie among goldens and be none: one that explains
// them or keeps why they moved, a Go package whose goldens lie below it, and what is
// hidden, as some systems leave such in every folder, which no golden can be.
func besides(rel string) bool {
	if filepath.Base(rel)[0] == '.' {
		return true
	}
	return filepath.Dir(rel) == "." && (rel == "README.md" || rel == golden.MovesFile || filepath.Ext(rel) == ".go")
}

// pinned is what is wrong with the full pins; the caller holds mu. A resume needs
// none, since it says again what the initial header says unless something drifted;
// and a suite that pins nothing at all pins nothing in full.
func (a *audit) pinned(whole bool) []string {
	var out []string
	for p, where := range a.pins {
		if len(where) > 1 {
			slices.Sort(where)
			out = append(out, fmt.Sprintf("the %s header of agent %s is pinned in full %d times, and once is enough: %s. Keep one; the others are header golden without -full",
				p.reason, p.agent, len(where), strings.Join(where, ", ")))
		}
	}
	for p, scenario := range a.seen {
		if whole && len(a.used) > 0 && p.reason == event.HeaderInitial && len(a.pins[p]) == 0 {
			where := ""
			if scenario != "" {
				where = ", such as scenarios/" + scenario + ".txtar"
			}
			but := ""
			if other, ok := a.other[p]; ok {
				but = fmt.Sprintf(" (%s pins what its scenario puts in place of the project's files)", other)
			}
			out = append(out, fmt.Sprintf("no scenario pins the %s header of agent %s in full, so nobody reviews its text%s. Add a line to one%s: header golden -full NAME",
				p.reason, p.agent, but, where))
		}
	}
	slices.Sort(out)
	return out
}
