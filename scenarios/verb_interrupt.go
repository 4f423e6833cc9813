package scenarios

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine"
)

func cancelVerb() verb {
	return verb{
		name:  "cancel",
		usage: []string{"cancel [at POINT] [REASON...]"},
		help:  "Cancels the turn that runs in the background, or, with at POINT, the next turn when it comes there.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			line := strings.Join(args, " ")
			at, args, err := takePoint(args)
			if err != nil {
				return err
			}
			reason := strings.Join(args, " ")
			if at != "" {
				return w.at(at, "cancel "+line, func(i *engine.Instance) { i.Cancel(reason) })
			}
			if w.instance == nil {
				return notRunning()
			}
			if !w.instance.Cancel(reason) {
				return misusef("nothing runs that could be cancelled: begin it with send TEXT &, or say where: cancel at POINT")
			}
			w.rest()
			return nil
		},
	}
}

func crashVerb() verb {
	return verb{
		name:  "crash",
		usage: []string{"crash [at BYTE]"},
		help:  "Ends the instance as a crash would: the log stays as it is now, nothing is closed, and the lock is nobody's. With at BYTE, only that many bytes of the log are left, or, with a negative number, that many bytes of its end are missing.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			if len(args) != 0 && (len(args) != 2 || args[0] != "at") {
				return misusef("wrong arguments")
			}
			if w.instance == nil {
				return notRunning()
			}
			if err := w.unreached(); err != nil {
				return err
			}
			path := w.opened.Session.Log.Path()
			text, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			nothing := err != nil
			keep := len(text)
			if len(args) == 2 {
				n, err := strconv.Atoi(args[1])
				if err != nil {
					return misusef("%q is no number of bytes", args[1])
				}
				if keep = n; n < 0 {
					keep += len(text)
				}
				if keep < 0 || keep > len(text) {
					return misusef("the log has %d bytes", len(text))
				}
			}
			if err := w.dispose(); err != nil {
				return err
			}
			if err := w.unmet(); err != nil {
				return err
			}
			if nothing {
				if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				return nil
			}
			return os.WriteFile(path, text[:keep], 0o600)
		},
	}
}
