package cli

import (
	"io"
	"strconv"

	"github.com/spf13/cobra"
)

func (c *command) requestCommand() *cobra.Command {
	var asCurl bool
	cmd := &cobra.Command{
		Use:   "request N [SESSION]",
		Short: "Print the exact body of a request",
		Long: "Rebuilds request N of a session, counted from 1, and writes its body to standard\n" +
			"output byte for byte. Exits with 1 when the log no longer gives what was sent.\n\n" +
			"--curl prints commands for a shell that send the request again, to the provider that\n" +
			"the configuration declares for the session's agent. The key is taken from the\n" +
			"environment by the shell and reaches curl by its standard input.",
		Args: argCount(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 {
				return usageErrorf("%q is no number of a request; they count from 1", args[0])
			}
			report, entry, err := c.verified(first(args[1:]))
			if err != nil {
				return err
			}
			if n > len(report.Requests) {
				return usageErrorf("session %s has %s", entry.Header.ID, plural(len(report.Requests), "request", "requests"))
			}
			r := report.Requests[n-1]
			if r.Err != nil {
				return r.Err
			}
			if asCurl {
				return c.showCurl(entry, n, r)
			}
			if _, err := io.Copy(c.env.Stdout, r.Body.Reader()); err != nil {
				return err
			}
			if r.Difference != nil {
				return &differsError{r.Difference.String()}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asCurl, "curl", false, "commands that send it again")
	return cmd
}

// differsError says that what was printed is not what was sent.
type differsError struct{ text string }

func (e *differsError) Error() string { return "this is not the body that was sent: " + e.text }
