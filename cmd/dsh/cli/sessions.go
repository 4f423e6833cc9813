package cli

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/store"
)

type sessionEntry = store.Entry

func (c *command) sessionsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions, the newest first",
		Args:  argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s, err := c.openStore()
			if err != nil {
				return err
			}
			entries, skipped, err := s.List()
			if err != nil {
				return err
			}
			if asJSON {
				return c.sessionsJSON(entries)
			}
			if skipped > 0 {
				fmt.Fprintf(c.env.Stderr, "Warning: %s left out: no readable log of this version\n", plural(skipped, "file was", "files were"))
			}
			w := tabwriter.NewWriter(c.env.Stdout, 0, 0, 2, ' ', 0)
			if len(entries) > 0 {
				fmt.Fprintln(w, "SESSION\tAGENT\tUPDATED\tBYTES\tWORKSPACE")
			}
			for _, e := range entries {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", e.Header.ID, printable(e.Header.Agent), stamp(e.Updated), e.Bytes, printable(e.Header.Cwd))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a session and line")
	return cmd
}

// sessionsJSON writes one object a line: id, agent, workspace, createdAt and
// updatedAt in Unix milliseconds, bytes, path.
func (c *command) sessionsJSON(entries []store.Entry) error {
	for _, e := range entries {
		var o canon.Object
		o.String("id", e.Header.ID)
		o.String("agent", e.Header.Agent)
		o.String("workspace", e.Header.Cwd)
		o.Int("createdAt", e.Header.CreatedAt)
		o.Int("updatedAt", e.Updated.UnixMilli())
		o.Int("bytes", e.Bytes)
		o.String("path", e.Path)
		if _, err := fmt.Fprintln(c.env.Stdout, o.End()); err != nil {
			return err
		}
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
