package scenarios

import (
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/store"
)

func sessionVerb() verb {
	return verb{
		name:  "session",
		usage: []string{"session ID FILE"},
		help:  "Puts a prepared log, of any version and in any state, into the scenario's store. Its first line must be a session header with that id; it belongs to the workspace that it names; in a log of version 0, $WORK stands for this one. Assertions are about it from here on, and fork goes on from it.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 2, 2); err != nil {
				return err
			}
			text := ts.ReadFile(args[1])
			first, _, _ := strings.Cut(text, "\n")
			h, err := eventlog.ParseHeader(first)
			if err != nil {
				return misusef("%s does not begin with a session header: %v", args[1], err)
			}
			if h.ID != args[0] {
				return misusef("%s is the log of session %s", args[1], h.ID)
			}
			if err := w.leftover(); err != nil {
				return err
			}
			if err := w.dispose(); err != nil {
				return err
			}
			if h.Version == 0 {
				// No digest vouches for its bytes.
				text = strings.ReplaceAll(text, "$WORK", w.work)
				h.Cwd = strings.ReplaceAll(h.Cwd, "$WORK", w.work)
			}
			if err := w.store(ts).Place(h, []byte(text)); err != nil {
				return err
			}
			w.session = h.ID
			return nil
		},
	}
}

// store is the scenario's store, or the one that its script set DSH_STORE to.
func (w *world) store(ts *testscript.TestScript) *store.Store {
	if own := ts.Getenv("DSH_STORE"); own != "" {
		return store.New(ts.MkAbs(own), eventlog.Options{Files: eventlog.Disk{}}, nil)
	}
	return store.New(filepath.Join(w.work, ".tmp", "state", "dsh"), eventlog.Options{Files: eventlog.Disk{}}, nil)
}
