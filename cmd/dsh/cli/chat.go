package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/cmd/dsh/chat"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/provider"
)

func (c *command) chatCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to an agent",
		Long: "Reads prompts line by line and prints the answers as they stream. While a turn\n" +
			"runs, a line is said to it. Ctrl-C cancels the turn, twice quits; Ctrl-D quits;\n" +
			"/help lists the commands. From a pipe, each line waits for the turn before it, and\n" +
			"the exit code is 1 when the last turn failed or its prompt was blocked.",
		Args: argCount(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.oneSession(); err != nil {
				return err
			}
			if err := namesSession(cmd); err != nil {
				return err
			}
			p, err := c.load(loadOptions{})
			if err != nil {
				return err
			}
			defer p.close()
			if err := c.requireTrust(p, o.trust); err != nil {
				return err
			}
			host := c.chatHost(o)
			console, restore, err := c.console(host)
			if err != nil {
				return err
			}
			defer restore()
			c.atOnce(restore)
			c.orderly()
			return chat.Run(cmd.Context(), host, console, chat.Choice{Resume: o.resume, Fork: o.fork})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "`name` of the agent (default: the only one, or the setting agent)")
	f.StringVar(&o.resume, "resume", "", "go on with `session`: an id, a unique beginning of one, or last")
	f.BoolVarP(&o.goOn, "continue", "c", false, "go on with the newest session of this workspace")
	f.StringVar(&o.fork, "fork", "", "begin a session that goes on from `session`, or from session@seq")
	f.BoolVar(&o.trust, "trust", false, "trust the configuration for this run")
	return cmd
}

// console is the terminal in raw mode, or the streams.
func (c *command) console(host chat.Host) (chat.Console, func(), error) {
	if !c.env.StdinTerminal || !c.env.StdoutTerminal || c.env.RawTerminal == nil {
		return chat.NewPipe(c.env.Stdin, c.env.Stdout), func() {}, nil
	}
	restore, width, height, err := c.env.RawTerminal()
	if err != nil {
		return nil, nil, err
	}
	t := chat.NewTerminal(c.env.Stdin, c.env.Stdout, "> ", width, height)
	t.Complete(host.Complete)
	return t, func() { t.Close(); restore() }, nil
}

// chatHost opens sessions for a chat. The configuration is loaded anew for each
// instance, as a resume by the command line does.
func (c *command) chatHost(o runOptions) chat.Host {
	return chat.Host{
		Printable: printable,
		Title:     checkTitle,
		Find: func(ref string) (string, error) {
			_, e, err := c.session(ref)
			return e.Header.ID, err
		},
		Sessions: func() []string {
			s, err := c.openStore()
			if err != nil {
				return nil
			}
			entries, _, err := s.List()
			if err != nil {
				return nil
			}
			var ids []string
			for _, e := range ofWorkspace(entries, c.workspace()) {
				ids = append(ids, e.Header.ID)
			}
			return ids
		},
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
		Check: func(id string) error {
			return c.returning(func(c *command) error { return c.checkResume(o, id) })
		},
		Open: func(choice chat.Choice, w chat.Watch) (out *chat.Opened, err error) {
			err = c.returning(func(c *command) error {
				out, err = c.openChat(runOptions{agent: o.agent, resume: choice.Resume, fork: choice.Fork, trust: o.trust}, w)
				return err
			})
			return out, err
		},
	}
}

// returning does something with a command that prints no problems: they are the
// error's text. A terminal in raw mode is no place for another's output.
func (c *command) returning(do func(*command) error) error {
	var printed strings.Builder
	own := *c
	own.env.Stderr, own.flags.color = &printed, "never"
	err := do(&own)
	var silent *silentError
	if errors.As(err, &silent) {
		return usageErrorf("%s", strings.TrimPrefix(strings.TrimSpace(printed.String()), "Error: "))
	}
	return err
}

// trusted loads the configuration for an instance of a chat.
func (c *command) trusted(o runOptions) (*project, error) {
	p, err := c.load(loadOptions{quiet: true})
	if err != nil {
		return nil, err
	}
	if err := c.requireTrust(p, o.trust); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// checkResume does what comes before a session is opened to go on with it.
func (c *command) checkResume(o runOptions, id string) error {
	p, err := c.trusted(o)
	if err != nil {
		return err
	}
	defer p.close()
	if o.agent == "" {
		_, e, err := c.session(id)
		if err != nil {
			return err
		}
		o.agent = e.Header.Agent
	}
	declared, err := pickAgent(p, o.agent)
	if err != nil {
		return err
	}
	agent, err := c.compile(p, declared)
	if err != nil {
		return err
	}
	return c.checkSecrets(p, agent)
}

// openChat opens a session and starts an instance on it.
func (c *command) openChat(o runOptions, w chat.Watch) (*chat.Opened, error) {
	p, err := c.trusted(o)
	if err != nil {
		return nil, err
	}
	s, agent, client, err := c.open(p, o)
	if err != nil {
		p.close()
		return nil, err
	}
	lookups, changed, closeFiles := c.lookups(p, agent, s.Log.Header().ID)
	s.Log.Observe(func(e event.Event) {
		if e.Type == "tool/result" || e.Type == "turn/end" {
			changed()
		}
		w.OnEvent(e)
	}, nil)
	tools := c.tools(p, agent)
	return &chat.Opened{ID: s.Log.Header().ID, Path: s.Log.Path(), Logged: s.State.Next() > 0, Repairs: repairs(s.Dropped, s.Repaired),
		Lookups: lookups, Close: func() { closeFiles(); p.close() },
		Instance: engine.Start(agent, s, engine.Options{
			NewID:   c.env.NewID,
			Client:  func() (provider.Client, error) { return client, nil },
			OnChunk: w.OnChunk, OnFrozen: w.OnFrozen, Sleep: c.env.Sleep, Random: c.env.Random, OnError: w.OnError,
			SummaryClient: c.summaryClient(p, agent, s, client),
			Hooks:         c.hooks(p, agent), Tools: tools.Tools, Permit: tools.Permit, Ask: w.Ask, ReadSession: c.sources(p, agent).read,
		})}, nil
}
