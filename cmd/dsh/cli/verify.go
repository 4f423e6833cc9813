package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/verify"
)

func (c *command) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [SESSION]",
		Short: "Rebuild every request of a session from its log and compare",
		Long: "Rebuilds every request of a session from its log alone and compares it with the\n" +
			"digest recorded when it was sent. SESSION is an id, a unique beginning of one, or\n" +
			"last; without it, the newest session of this workspace.\n\nExits with 1 when a request differs or the log is damaged.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			report, entry, err := c.verified(first(args))
			if err != nil {
				return err
			}
			out := c.env.Stdout
			for _, r := range report.Requests {
				switch {
				case r.Err != nil && r.Turn == 0:
					fmt.Fprintf(out, "request %d: cannot be rebuilt: %s\n", r.Number, inLine(r.Err.Error()))
				case r.Err != nil:
					fmt.Fprintf(out, "request %d (turn %d, step %d): cannot be rebuilt: %s\n", r.Number, r.Turn, r.Step, inLine(r.Err.Error()))
				case r.Difference != nil:
					fmt.Fprintf(out, "request %d (turn %d, step %d): %s\n", r.Number, r.Turn, r.Step, inLine(r.Difference.String()))
				}
			}
			for _, d := range report.Damage {
				if d.Turn > 0 {
					fmt.Fprintf(out, "turn %d: %s\n", d.Turn, inLine(d.Err.Error()))
				} else {
					fmt.Fprintf(out, "log: %s\n", inLine(d.Err.Error()))
				}
			}
			if report.Open {
				fmt.Fprintln(out, "log: the last turn has no end: it was cut, or it is still running")
			}
			if report.Torn {
				fmt.Fprintln(out, "log: the last line was cut by a crash; resuming the session repairs it")
			}
			verdict := ""
			if len(report.Damage) > 0 {
				verdict = ", but the log is not what was written"
			}
			fmt.Fprintf(out, "%s, %d identical%s (session %s)\n", plural(len(report.Requests), "request", "requests"), report.Identical(), verdict, inLine(entry.Header.ID))
			if !report.OK() {
				return &silentError{exitFailed}
			}
			return nil
		},
	}
}

// verified finds a session and verifies it.
func (c *command) verified(ref string) (*verify.Report, sessionEntry, error) {
	entry, text, err := c.readSession(ref)
	if err != nil {
		return nil, entry, err
	}
	report, err := verify.Log(entry.Path, text)
	return report, entry, err
}

func first(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return ""
}
