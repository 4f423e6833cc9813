package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/cmd/dsh/chat"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/provider"
)

func (c *command) chatCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to an agent",
		Long: "Reads prompts line by line and prints the answers as they stream. While a turn\n" +
			"runs, a line is said to it. Ctrl-C cancels the turn, twice quits; /help lists the\n" +
			"commands. From a pipe, each line waits for the turn before it.",
		Args: argCount(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.oneSession(); err != nil {
				return err
			}
			p, err := c.load(loadOptions{vars: o.vars})
			if err != nil {
				return err
			}
			defer p.close()
			if err := c.requireTrust(p, o.trust); err != nil {
				return err
			}
			console, restore, err := c.console()
			if err != nil {
				return err
			}
			defer restore()
			c.orderly()
			return chat.Run(cmd.Context(), c.chatHost(o), console, chat.Choice{Resume: o.resume, Fork: o.fork})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "`name` of the agent (default: the only one, or the setting agent)")
	f.StringVar(&o.resume, "resume", "", "go on with `session`: an id, a unique beginning of one, or last")
	f.BoolVarP(&o.goOn, "continue", "c", false, "go on with the newest session of this workspace")
	f.StringVar(&o.fork, "fork", "", "begin a session that goes on from `session`, or from session@seq")
	f.BoolVar(&o.trust, "trust", false, "trust the configuration for this run")
	f.StringArrayVar(&o.vars, "var", nil, "set a variable: `name=value`")
	return cmd
}

// console is the terminal in raw mode, or the streams.
func (c *command) console() (chat.Console, func(), error) {
	if !c.env.StdinTerminal || !c.env.StdoutTerminal || c.env.RawTerminal == nil {
		return chat.NewPipe(c.env.Stdin, c.env.Stdout), func() {}, nil
	}
	restore, width, height, err := c.env.RawTerminal()
	if err != nil {
		return nil, nil, err
	}
	return chat.NewTerminal(c.env.Stdin, c.env.Stdout, "> ", width, height), restore, nil
}

// chatHost opens sessions for a chat. The configuration is loaded anew for each
// instance, as a resume by the command line does.
func (c *command) chatHost(o runOptions) chat.Host {
	return chat.Host{
		Printable: printable,
		Log: func(w io.Writer, id string) error {
			entry, text, err := c.readSession(id)
			if err != nil {
				return err
			}
			scan, err := eventlog.ScanText(entry.Path, text)
			t := &transcript{out: w}
			t.header(scan.Header, entry.Path)
			for _, e := range scan.Events {
				t.event(e)
			}
			return errors.Join(err, t.err)
		},
		Open: func(choice chat.Choice, w chat.Watch) (*chat.Opened, error) {
			p, err := c.load(loadOptions{vars: o.vars, quiet: true})
			if err != nil {
				return nil, err
			}
			if err := c.requireTrust(p, o.trust); err != nil {
				p.close()
				return nil, err
			}
			s, agent, client, err := c.open(p, runOptions{agent: o.agent, resume: choice.Resume, fork: choice.Fork})
			if err != nil {
				p.close()
				return nil, err
			}
			s.Log.Observe(w.OnEvent, nil)
			return &chat.Opened{ID: s.Log.Header().ID, Path: s.Log.Path(), Repaired: s.Repaired, Close: p.close,
				Instance: engine.Start(agent, s, engine.Options{
					NewID:   c.env.NewID,
					Client:  func() (provider.Client, error) { return client, nil },
					OnChunk: w.OnChunk, OnFrozen: w.OnFrozen, OnError: w.OnError,
					Hooks: c.hooks(p, agent),
				})}, nil
		},
	}
}
