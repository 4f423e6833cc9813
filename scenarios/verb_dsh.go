package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

func dshVerb() verb {
	return verb{
		name:  "dsh",
		usage: []string{"[!] dsh ARGS..."},
		help:  "Runs the command line in process, on the scenario's store, clock, ids and model. Fails when the exit code is not 0.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			s, err := w.surroundings(ts)
			if err != nil {
				return err
			}
			w.session = ""
			if w.instance != nil {
				w.session = w.opened.Session.Log.Header().ID
			}
			w.ran = true
			w.exit = w.opts.Host.Command(context.Background(), args, s)
			if err := w.unmet(); err != nil {
				return err
			}
			if w.exit != 0 {
				return fmt.Errorf("exit code %d", w.exit)
			}
			return nil
		},
	}
}

func exitVerb() verb {
	return verb{
		name:    "exit",
		asserts: true,
		usage:   []string{"[!] exit CODE"},
		help:    "Holds when the last dsh, or the last agent that did not start, ended with that exit code.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			if err := need(args, 1, 1); err != nil {
				return err
			}
			want, err := strconv.Atoi(args[0])
			if err != nil {
				return misusef("%q is no exit code", args[0])
			}
			if !w.ran {
				return notYet(errors.New("no line before it ran dsh"))
			}
			if w.exit != want {
				return fmt.Errorf("the exit code was %d, not %d", w.exit, want)
			}
			return nil
		},
	}
}
