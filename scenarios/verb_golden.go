package scenarios

import (
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/session"
	"github.com/dsh-hcl/dsh/golden"
)

func logVerb() verb {
	return verb{
		name:    "log",
		asserts: true,
		usage:   []string{"log golden NAME"},
		help:    "Holds when the session's log is what golden/SCENARIO/NAME.jsonl pins: ids, times, durations and the workspace are tokens, and so is the content of headers.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			c, err := w.pinned(ts, args)
			if err != nil {
				return err
			}
			text, err := golden.Log(c.text, w.varying())
			if err != nil {
				return err
			}
			return w.golden(args[1], ".jsonl", text, false)
		},
	}
}

func historyVerb() verb {
	return verb{
		name:    "history",
		asserts: true,
		usage:   []string{"history golden NAME"},
		help:    "Holds when the history that the next request would send is what golden/SCENARIO/NAME.md pins, a section for each message.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			c, err := w.pinned(ts, args)
			if err != nil {
				return err
			}
			state, err := session.Fold(c.events)
			if err != nil {
				return err
			}
			return w.golden(args[1], ".md", golden.History(state.History().Messages, w.varying()), false)
		},
	}
}

// headerGolden holds the last header of a session, h, to what "header golden" pins.
func (w *world) headerGolden(c *current, h event.RequestHeader, args []string) error {
	full := len(args) > 0 && args[0] == "-full"
	if full {
		args = args[1:]
	}
	if err := need(args, 1, 1); err != nil {
		return err
	}
	if !full {
		return w.golden(args[0], ".json", golden.Header(h), true)
	}
	all := c.ofType("request/header")
	w.opts.audit.pin(pin{c.scan.Header.Agent, h.Reason}, w.name+": "+args[0], w.ofProject(c, all[len(all)-1]))
	return w.goldens(args[0], true, rendering{".md", golden.Content(h, w.varying())}, rendering{".json", golden.FullHeader(h, w.varying())})
}

// pinned is the session of a line "golden NAME".
func (w *world) pinned(ts *testscript.TestScript, args []string) (*current, error) {
	if err := need(args, 2, 2); err != nil {
		return nil, err
	}
	if args[0] != "golden" {
		return nil, unknownForm(args[0], "golden")
	}
	c, err := w.current(ts)
	if err != nil {
		return nil, notYet(err)
	}
	return c, nil
}

// runFolder is a name that the scenario's folder has in this run and in no other.
func (w *world) runFolder() string { return filepath.Base(filepath.Dir(w.work)) }

// varying is what differs between two runs of the scenario.
func (w *world) varying() golden.Varying { return golden.Varying{Cwd: w.work, IDs: golden.Counted()} }

// golden holds a rendering against a golden of this scenario; header says that it is
// one of a header.
func (w *world) golden(name, suffix, got string, header bool) error {
	return w.goldens(name, header, rendering{suffix, got})
}

// rendering is what was found for a golden, and how the name of that ends.
type rendering struct{ suffix, text string }

// goldens holds renderings that belong together against goldens of one name. Either all
// of them are rewritten that have to be, or none.
func (w *world) goldens(name string, header bool, renderings ...rendering) error {
	if strings.ContainsAny(name, `/\`) || name == "" || name[0] == '.' {
		return misusef("%q cannot be the name of a golden", name)
	}
	var pins []golden.Pin
	for _, r := range renderings {
		path := filepath.Join(w.opts.Golden, filepath.FromSlash(w.name), name+r.suffix)
		w.opts.audit.use(path, w.runFolder())
		pins = append(pins, golden.Pin{Path: path, Found: r.text})
	}
	project := filepath.Dir(w.opts.Golden)
	changes, err := golden.Compare(project, pins...)
	if err != nil || len(changes) == 0 {
		return err
	}
	if !w.opts.Update {
		return changes[0].Mismatch()
	}
	var moved []func()
	for _, c := range changes {
		if header && w.opts.OnMove != nil && c.Moves() {
			wrote, err := w.opts.OnMove(c.Path)
			if err != nil {
				return err
			}
			moved = append(moved, wrote)
		}
	}
	if err := golden.Write(project, changes...); err != nil {
		return err
	}
	for _, wrote := range moved {
		wrote()
	}
	for _, c := range changes {
		if w.opts.OnUpdate != nil {
			w.opts.OnUpdate(c.Path)
		}
	}
	return nil
}
