package cli

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/store"
)

// session finds one session of the store.
func (c *command) session(ref string) (*store.Store, store.Entry, error) {
	s, err := c.openStore()
	if err != nil {
		return nil, store.Entry{}, err
	}
	e, err := s.Find(ref, c.workspace())
	return s, e, err
}

func (c *command) sessionsTitleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "title SESSION [TITLE]",
		Short: "Give a session a title, or print the one it has",
		Args:  argCount(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			s, e, err := c.session(args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				_, err := fmt.Fprintln(c.env.Stdout, printable(s.Summarise(e).Title))
				return err
			}
			title, err := checkTitle(args[1])
			if err != nil {
				return err
			}
			return s.SetTitle(e, title)
		},
	}
}

// checkTitle holds a title to one line of text.
func checkTitle(title string) (string, error) {
	if canon.CheckText(title) != nil || strings.ContainsAny(title, "\n\r") || strings.TrimSpace(title) == "" {
		return "", usageErrorf("a title is one line of text")
	}
	return strings.TrimSpace(title), nil
}

func (c *command) sessionsRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rm SESSION...",
		Short: "Remove sessions for good",
		Long: "Removes sessions for good, with the logs as they were that repairs kept. A log that\n" +
			"cannot be read is named by its file's name without .jsonl, or a unique beginning of it.",
		Args: argCount(1, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := c.openStore()
			if err != nil {
				return err
			}
			// All of them are found before the first is removed.
			var entries []store.Entry
			for _, ref := range args {
				e, err := s.FindFile(ref, c.workspace())
				if err != nil {
					return err
				}
				entries = append(entries, e)
			}
			for _, e := range entries {
				if err := s.Remove(e); err != nil {
					return err
				}
				fmt.Fprintf(c.env.Stdout, "removed %s\n", inLine(e.Header.ID))
			}
			return nil
		},
	}
}

func (c *command) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.env.Dir, path)
}

func (c *command) sessionsPruneCommand() *cobra.Command {
	var older string
	var keep int
	var everywhere, dry bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old sessions of this workspace",
		Long: "Removes the sessions of this workspace that were last written before the given time\n" +
			"and are not among the newest ones that are kept. Sessions in use stay.",
		Args: argCount(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("older-than") && !cmd.Flags().Changed("keep") {
				return usageErrorf("say what is old: --older-than 30d, or --keep N for all but the newest N")
			}
			var age time.Duration
			if older != "" {
				var ok bool
				if age, ok = parseAge(older); !ok {
					return usageErrorf("--older-than wants an age such as 30d or 720h, not %q", older)
				}
			}
			if keep < 0 {
				return usageErrorf("--keep wants a number that is not negative")
			}
			return c.prune(age, keep, everywhere, dry)
		},
	}
	f := cmd.Flags()
	f.StringVar(&older, "older-than", "", "`age`, the time since the last write: 30d, or 720h30m")
	f.IntVar(&keep, "keep", 0, "keep the newest `N`")
	f.BoolVar(&everywhere, "all", false, "of all workspaces")
	f.BoolVar(&dry, "dry-run", false, "say what would be removed, remove nothing")
	return cmd
}

// parseAge reads an age: a number of days such as 30d, or a duration of Go.
func parseAge(s string) (time.Duration, bool) {
	const day = 24 * time.Hour
	if n, ok := strings.CutSuffix(s, "d"); ok {
		days, err := strconv.ParseUint(n, 10, 32)
		if err != nil || time.Duration(days) > math.MaxInt64/day {
			return 0, false
		}
		return time.Duration(days) * day, true
	}
	age, err := time.ParseDuration(s)
	return age, err == nil && age >= 0
}

func (c *command) prune(age time.Duration, keep int, everywhere, dry bool) error {
	s, err := c.openStore()
	if err != nil {
		return err
	}
	entries, _, err := s.List()
	if err != nil {
		return err
	}
	if !everywhere {
		entries = ofWorkspace(entries, c.workspace())
	}
	word := "removed"
	if dry {
		word = "would remove"
	}
	n := 0
	for i, e := range entries {
		if i < keep || age > 0 && c.env.Now().Sub(e.Updated) < age {
			continue
		}
		var busy *eventlog.BusyError
		if !dry {
			if err := s.Remove(e); errors.As(err, &busy) {
				fmt.Fprintf(c.env.Stderr, "Warning: %s stays: %v\n", inLine(e.Header.ID), err)
				continue
			} else if err != nil {
				return err
			}
		}
		n++
		fmt.Fprintf(c.env.Stdout, "%s %s, %s\n", word, inLine(e.Header.ID), stamp(e.Updated))
	}
	_, err = fmt.Fprintf(c.env.Stdout, "%s %s\n", word, plural(n, "session", "sessions"))
	return err
}
