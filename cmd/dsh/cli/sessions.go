package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/store"
)

type sessionEntry = store.Entry

func (c *command) sessionsCommand() *cobra.Command {
	cmd := c.sessionsListCommand("sessions [--json]", "List and keep sessions")
	cmd.Long = "Lists the sessions, the newest first, with their title or the beginning of their\n" +
		"first prompt. The commands below keep them. SESSION is an id, a unique beginning\n" +
		"of one, or last, the newest of this workspace."
	cmd.AddCommand(
		c.sessionsListCommand("list [--json]", "List the sessions, the newest first"),
		c.sessionsTitleCommand(), c.sessionsRemoveCommand(), c.sessionsExportCommand(), c.sessionsImportCommand(),
		c.sessionsRepairCommand(), c.sessionsPruneCommand(),
	)
	return cmd
}

func (c *command) sessionsListCommand(use, short string) *cobra.Command {
	var asJSON, here bool
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.HasSubCommands() {
				return unknownCommand(cmd, args[0])
			}
			return argCount(0, 0)(cmd, args)
		},
		RunE: func(*cobra.Command, []string) error {
			s, err := c.openStore()
			if err != nil {
				return err
			}
			entries, left, err := s.Summaries()
			if err != nil {
				return err
			}
			if here {
				entries = ofWorkspace(entries, c.workspace())
			}
			if len(left) > 0 {
				fmt.Fprintf(c.env.Stderr, "Warning: %s left out: no log that this dsh can read: %s\n", plural(len(left), "file was", "files were"), someOf(left))
			}
			if asJSON {
				return c.sessionsJSON(entries)
			}
			w := tabwriter.NewWriter(c.env.Stdout, 0, 0, 2, ' ', 0)
			if len(entries) > 0 {
				fmt.Fprintln(w, "SESSION\tAGENT\tUPDATED\tBYTES\tWORKSPACE\tTITLE")
			}
			for _, e := range entries {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", inLine(e.Header.ID), inLine(e.Header.Agent), stamp(e.Updated), e.Bytes, inLine(e.Header.Cwd), inLine(titleOf(e.Summary)))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a session and line")
	cmd.Flags().BoolVar(&here, "here", false, "only the sessions of this workspace")
	return cmd
}

// someOf names up to three of the files that are left out, and says how many more
// there are.
func someOf(left []*store.UnreadableError) string {
	shown := min(len(left), 3)
	paths := make([]string, shown)
	for i, l := range left[:shown] {
		paths[i] = inLine(l.Path)
	}
	if more := len(left) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(paths, ", "), more)
	}
	return strings.Join(paths, ", ")
}

// ofWorkspace keeps the sessions of a workspace.
func ofWorkspace[E interface{ Workspace() string }](entries []E, workspace string) []E {
	var out []E
	for _, e := range entries {
		if e.Workspace() == workspace {
			out = append(out, e)
		}
	}
	return out
}

// sessionsJSON writes one object a line: id, agent, workspace, createdAt and
// updatedAt in Unix milliseconds, bytes, path, and title, prompt and parent where
// there are any.
func (c *command) sessionsJSON(entries []store.Listed) error {
	for _, e := range entries {
		var o canon.Object
		o.String("id", e.Header.ID)
		o.String("agent", e.Header.Agent)
		o.String("workspace", e.Header.Cwd)
		o.Int("createdAt", e.Header.CreatedAt)
		o.Int("updatedAt", e.Updated.UnixMilli())
		o.Int("bytes", e.Bytes)
		o.String("path", e.Path)
		for _, m := range [...]struct{ name, value string }{{"title", e.Title}, {"prompt", e.Prompt}, {"parent", e.Header.Parent}} {
			if m.value != "" {
				o.String(m.name, m.value)
			}
		}
		if _, err := fmt.Fprintln(c.env.Stdout, o.End()); err != nil {
			return err
		}
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
