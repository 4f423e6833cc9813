package scenarios

import (
	"context"
	"errors"
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func compactVerb() verb {
	return verb{
		name:  "compact",
		usage: []string{"[!] compact"},
		help:  "Compacts the idle session by hand, as dsh compact and /compact do: the scripted model's next reply is the summary, which is on stdout. Fails when there is nothing to compact or it came to nothing, with the code of why.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 0, 0); err != nil {
				return err
			}
			if w.instance == nil {
				return notRunning()
			}
			if w.background() {
				return misusef("a turn runs in the background: settle it first")
			}
			w.code = ""
			ts.Stdout() // what an earlier line said is not this one's
			w.clock.release()
			ctx, cancel := context.WithTimeoutCause(w.opts.context(), patience, errors.New("the compaction did not end"))
			defer cancel()
			err := w.instance.Compact(ctx)
			w.showWarnings(ts.Stderr())
			if err != nil {
				w.code = msg.CodeOf(err)
				fmt.Fprintln(ts.Stderr(), err)
			}
			c, failure := w.current(ts)
			if failure != nil {
				return err // nothing was logged yet
			}
			if list := c.ofType("compact/summary"); err == nil && len(list) > 0 {
				fmt.Fprintln(ts.Stdout(), event.ParseCompactSummary(list[len(list)-1].Data).Content.Text())
			}
			if guarded := w.guard(ts); guarded != nil {
				return guarded
			}
			if unmet := w.unmet(); unmet != nil {
				return unmet
			}
			return err
		},
	}
}
