package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/store"
)

func (c *command) sessionsRepairCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "repair SESSION",
		Short: "Make a session with a damaged log usable again",
		Long: "Keeps everything that comes before the damage, keeps the log as it was beside it, and\n" +
			"closes a turn that is open then. Of a log that was changed after it was written, what\n" +
			"is kept ends with the last turn whose digest fits. SESSION may also be the path of the\n" +
			"log, ID.jsonl.",
		Args: argCount(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, e, err := c.sessionOrLog(args[0])
			var unreadable *store.UnreadableError
			if errors.As(err, &unreadable) {
				return fmt.Errorf("nothing can be kept: %w", err)
			}
			if err != nil {
				return err
			}
			r, err := s.Repair(e)
			if err != nil {
				return err
			}
			out := c.env.Stdout
			switch {
			case r.Changed != nil:
				fmt.Fprintf(out, "damage: turn %d recorded another digest of the bytes before byte %d: something before it was changed\n", r.Changed.Turn, r.Changed.Offset)
			case r.Damage != nil:
				fmt.Fprintf(out, "damage: line %d, byte %d: %v\n", r.Damage.Line, r.Damage.Offset, r.Damage.Err)
			default:
				fmt.Fprintln(out, "every line can be read")
			}
			if r.Backup != "" {
				fmt.Fprintf(out, "dropped %s, %d bytes; the log as it was is %s\n", plural(r.Lines, "line", "lines"), r.Dropped, r.Backup)
			}
			if r.Closed > 0 {
				fmt.Fprintf(out, "closed a turn that was cut with %s\n", plural(r.Closed, "event", "events"))
			}
			_, err = fmt.Fprintf(out, "%s kept\n", plural(r.Kept, "event", "events"))
			return err
		},
	}
}

// sessionOrLog finds a session by what names it, or a log by its path: one that lies
// anywhere, or the bare name of one in the store.
func (c *command) sessionOrLog(ref string) (*store.Store, store.Entry, error) {
	s, e, err := c.session(ref)
	var none *store.NotFoundError
	if !errors.As(err, &none) || ref == "" {
		return s, e, err
	}
	// A link would be the same log with a second lock, so it is followed first.
	path, perr := filepath.EvalSymlinks(c.abs(ref))
	if perr != nil {
		found, ferr := s.FindFile(strings.TrimSuffix(ref, ".jsonl"), c.workspace())
		if ferr != nil || filepath.Base(found.Path) != ref {
			return s, e, err
		}
		path = found.Path
	}
	if filepath.Ext(path) != ".jsonl" {
		// Lock and backup are named after it, and must not be other people's files.
		return s, e, usageErrorf("%s: the name of a log ends in .jsonl", ref)
	}
	if e, err = store.EntryAt(path); err != nil {
		return s, e, &store.UnreadableError{Path: path, Err: err}
	}
	return s, e, nil
}
