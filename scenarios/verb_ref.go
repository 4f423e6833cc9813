package scenarios

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
)

func refVerb() verb {
	return verb{
		name:  "ref",
		usage: []string{"ref SESSION [LABEL...]"},
		help:  "Cites a session in the next prompt, beside its text, as a host does that knows the session's id. In the text itself, @[LABEL](dsh-session:...) does.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			if err := need(args, 1, -1); err != nil {
				return err
			}
			if w.instance == nil {
				return notRunning()
			}
			c := ref.Cite{SessionID: args[0]}
			if len(args) > 1 {
				c.Label = msg.Some(strings.Join(args[1:], " "))
			}
			w.cites = append(w.cites, c)
			return nil
		},
	}
}
