package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/store"
)

func (c *command) sessionsImportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Take a session's log into the store",
		Long: "Takes a log that was exported here or elsewhere, byte for byte and under its id. It\n" +
			"belongs to the workspace it was made in; fork it to go on with it in another one. A\n" +
			"log of the reference, version 0, becomes a new session of this workspace. The session\n" +
			"is as old as its last event. FILE of - reads the log from standard input.",
		Args: argCount(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := c.openStore()
			if err != nil {
				return err
			}
			name, text, err := c.logText(args[0])
			if err != nil {
				return err
			}
			line, _, whole := strings.Cut(text, "\n")
			if !whole {
				return fmt.Errorf("%s is no log of a session: its first line has no end", name)
			}
			from, err := eventlog.ParseHeader(line)
			if err != nil {
				return fmt.Errorf("%s is no log of a session: %w", name, err)
			}
			if from.Version == eventlog.Version {
				return c.adopt(s, name, text, from)
			}
			h := eventlog.Header{ID: c.env.NewID(), CreatedAt: c.env.Now().UnixMilli(), Cwd: c.workspace(), Agent: from.Agent}
			session, err := s.Import(name, text, h)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.env.Stdout, "imported %s of format version %d as %s: %s\n", inLine(from.ID), from.Version, h.ID,
				plural(int(session.State.Next()), "event", "events"))
			return session.Close()
		},
	}
}

// logText reads a log that is to be imported, and says what to call it.
func (c *command) logText(arg string) (name, text string, err error) {
	if arg == "-" {
		if c.env.StdinTerminal {
			fmt.Fprintln(c.env.Stderr, "Reading the log from the terminal; end it with Ctrl-D.")
		}
		b, err := io.ReadAll(c.env.Stdin)
		if err != nil {
			return "", "", fmt.Errorf("standard input: %w", err)
		}
		return "standard input", string(b), nil
	}
	b, err := eventlog.Disk{}.Read(c.abs(arg))
	var special *eventlog.SpecialFileError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", usageErrorf("there is no file %s", arg)
	case errors.As(err, &special) && special.Mode.IsDir():
		return "", "", usageErrorf("%s is a folder, no regular file", arg)
	case errors.As(err, &special):
		return "", "", usageErrorf("%s is no regular file; with - in its place the log is read from standard input", arg)
	}
	return arg, string(b), err
}

// adopt imports a log of this version, and says when nobody will be able to go on from
// it.
func (c *command) adopt(s *store.Store, name, text string, from eventlog.Header) error {
	e, err := s.Adopt(name, text)
	if errors.Is(err, fs.ErrExist) {
		return usageErrorf("the store has a session %s already", from.ID)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.env.Stdout, "imported %s, of the workspace %s\n", inLine(e.Header.ID), inLine(e.Header.Cwd))
	var redacted *eventlog.RedactedError
	switch err := s.Sound(e); {
	case errors.As(err, &redacted):
		fmt.Fprintln(c.env.Stderr, "Note: it is a redacted export: it can be read, and nothing goes on from it")
	case err != nil:
		fmt.Fprintf(c.env.Stderr, "Warning: the log is not what was written: dsh verify %s shows what was changed\n", inLine(e.Header.ID))
	}
	return nil
}
