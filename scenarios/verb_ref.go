package scenarios

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func refVerb() verb {
	return verb{
		name:  "ref",
		usage: []string{"ref SESSION [LABEL...]"},
		help:  "Cites a session in the next prompt, beside its text, as --ref does: by its id, a unique beginning of one, last, or the path of a log. In the text itself, @[LABEL](dsh-session:...) does.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			if err := need(args, 1, -1); err != nil {
				return err
			}
			if w.instance == nil {
				return notRunning()
			}
			c, err := w.opened.Cite(args[0], strings.Join(args[1:], " "))
			if err != nil {
				return err
			}
			w.cites = append(w.cites, c)
			return nil
		},
	}
}
