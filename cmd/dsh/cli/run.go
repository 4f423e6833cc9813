package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/ref"
)

// maxPrompt bounds a prompt read from standard input, in bytes.
const maxPrompt = 16 << 20

func (c *command) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] [PROMPT]",
		Short: "Run one prompt and print the answer",
		Long: "Runs one prompt through an agent. The answer goes to standard output as it\n" +
			"streams; the frozen prefix and the path of the session go to standard error.\n" +
			"What is piped in is the prompt, or follows PROMPT behind a blank line:\n\n" +
			"  git diff | dsh run \"review this\"\n\n" +
			"PROMPT of - reads standard input whatever it is.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageErrorf("a prompt is one argument: put it in quotes, dsh run %q", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if more := o.oneSession(); more != nil {
				return more
			}
			if err := namesSession(cmd); err != nil {
				return err
			}
			prompt, err := c.prompt(args)
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), o, prompt)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "`name` of the agent (default: the only one, or the setting agent)")
	f.StringVar(&o.resume, "resume", "", "go on with `session`: an id, a unique beginning of one, or last")
	f.BoolVarP(&o.goOn, "continue", "c", false, "go on with the newest session of this workspace")
	f.StringVar(&o.fork, "fork", "", "begin a session that goes on from `session`, or from session@seq: the end of one of its turns")
	f.StringVar(&o.title, "title", "", "give the session a `title`")
	f.BoolVar(&o.trust, "trust", false, "trust the configuration for this run")
	f.StringVar(&o.output, "output", "text", "`format`: text, json (one object at the end) or stream-json (one a line)")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the answer, and what went wrong")
	f.BoolVar(&o.invariants, "invariants", false, "check every event of the log as it is written; a violation ends the run")
	f.StringArrayVar(&o.refs, "ref", nil, "cite `session`, or session=label: an id, a unique beginning of one, last, or the path of a log (may be repeated)")
	return cmd
}

// namesSession refuses a flag that was meant to name a session and names none: a
// variable of a script is not set.
func namesSession(cmd *cobra.Command) error {
	for _, name := range [...]string{"resume", "fork"} {
		f := cmd.Flags().Lookup(name)
		if ref, _, _ := strings.Cut(f.Value.String(), "@"); f.Changed && ref == "" {
			return usageErrorf("--%s names no session; it wants an id, a unique beginning of one, or last", name)
		}
	}
	return nil
}

type runOptions struct {
	agent, resume string
	fork, title   string
	goOn          bool
	output        string
	trust, quiet  bool
	invariants    bool
	refs          []string
}

// oneSession holds the flags that choose a session to one of them.
func (o *runOptions) oneSession() error {
	if o.goOn {
		if o.resume != "" {
			return usageErrorf("--continue and --resume both choose a session: use one")
		}
		o.resume = "last"
	}
	if o.fork != "" && o.resume != "" {
		return usageErrorf("--fork begins a new session, --resume and --continue go on with one: use one of them")
	}
	if o.title != "" {
		var err error
		o.title, err = checkTitle(o.title)
		return err
	}
	return nil
}

// prompt takes the prompt from the argument, from standard input, or from both:
// then what was piped in follows the argument behind a blank line.
func (c *command) prompt(args []string) (msg.Content, error) {
	text := first(args)
	fromInput := c.env.StdinPiped || text == "-"
	if text == "-" && c.env.StdinTerminal {
		fmt.Fprintln(c.env.Stderr, "Reading the prompt from the terminal; end it with Ctrl-D.")
	}
	if text == "-" {
		text = ""
	}
	if fromInput {
		b, err := io.ReadAll(io.LimitReader(c.env.Stdin, maxPrompt+1))
		if err != nil {
			return msg.Content{}, fmt.Errorf("standard input: %w", err)
		}
		if len(b) > maxPrompt {
			return msg.Content{}, usageErrorf("the prompt on standard input is longer than %d bytes", maxPrompt)
		}
		switch {
		case text == "":
			text = string(b)
		case len(b) > 0:
			text += "\n\n" + string(b)
		}
	}
	if strings.TrimSpace(text) == "" {
		return msg.Content{}, usageErrorf("there is no prompt\nUsage: dsh run [flags] [PROMPT]")
	}
	content, err := msg.TextContent(text)
	if err != nil {
		at := ""
		var invalid *canon.TextError
		if errors.As(err, &invalid) {
			at = fmt.Sprintf(": byte %d belongs to no character", invalid.Offset)
		}
		return msg.Content{}, usageErrorf("the prompt is not UTF-8 text%s", at)
	}
	return content, nil
}

func (c *command) run(ctx context.Context, o runOptions, prompt msg.Content) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// Nobody pays for an answer that nobody reads: a closed output ends the turn, at
	// once unless it is noticed by an observer, which holds the log.
	var running atomic.Pointer[engine.Instance]
	observing := false
	report, err := c.newReporter(o.output, o.quiet, func() {
		closed := errors.New("the output was closed")
		stop(closed)
		if inst := running.Load(); inst != nil && !observing {
			inst.Cancel(closed.Error())
		}
	})
	if err != nil {
		return err
	}
	p, err := c.load(loadOptions{quiet: o.quiet})
	if err != nil {
		return err
	}
	defer p.close()
	if err := c.requireTrust(p, o.trust); err != nil {
		return err
	}
	s, agent, client, err := c.open(p, o)
	if err != nil {
		return errors.Join(err, report.end(event.EndReason{}, err))
	}
	from := c.sources(p, agent)
	from.self = s.Log.Header().ID
	var cites []ref.Cite
	if len(o.refs) > 0 && agent.References() == nil {
		err = usageErrorf("agent %q may cite no sessions: it has no references block", agent.Name())
	} else {
		cites, err = from.cite(c, o.refs)
	}
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		return errors.Join(err, s.Close()) // as of every mistake on the command line, there is no result
	}
	if err != nil {
		return errors.Join(err, s.Close(), report.end(event.EndReason{}, err))
	}
	if o.title != "" {
		if _, err := s.Append(event.Entry{Payload: event.SessionTitle{Title: o.title}}); err != nil {
			return errors.Join(err, s.Close(), report.end(event.EndReason{}, err))
		}
	}
	c.orderly()
	report.begin(s, agent.Name())
	var watched *watchman
	if o.invariants {
		if watched, err = watch(s, stop); err != nil {
			return errors.Join(err, s.Close(), report.end(event.EndReason{}, err))
		}
	}
	s.Log.Observe(func(e event.Event) {
		observing = true
		report.logged(e)
		observing = false
	}, nil)
	tools := c.tools(p, agent)
	inst := engine.Start(agent, s, engine.Options{
		NewID:    c.env.NewID,
		Client:   func() (provider.Client, error) { return client, nil },
		OnChunk:  report.chunk,
		OnFrozen: report.frozen,
		OnError:  c.warn, SummaryClient: c.summaryClient(p, agent, s, client),
		Hooks: c.hooks(p, agent), Tools: tools.Tools, Permit: tools.Permit, AfterFunc: c.env.AfterFunc, Sleep: c.env.Sleep, Random: c.env.Random, ReadSession: from.read,
	})
	running.Store(inst)
	err = inst.Cite(prompt, cites)
	var end event.EndReason
	if err == nil {
		end, err = inst.Wait(ctx)
		if ctx.Err() != nil {
			// A signal, a closed output and a violation end the turn in order, then the
			// session.
			inst.Cancel(context.Cause(ctx).Error())
			if end, err = inst.Wait(context.Background()); err == nil && end.Kind == "" {
				end = event.EndReason{Kind: event.EndAborted, Reason: context.Cause(ctx).Error()} // before a turn began
			}
		}
	}
	if derr := inst.Dispose(); err == nil {
		err = derr
	}
	if err == nil {
		err = turnFailure(end)
	}
	if violation := watched.err(); violation != nil {
		err = violation
	}
	return errors.Join(err, report.end(end, err))
}

// warn tells a failure that ends nothing. It is told to those who want the answer
// only, too: a guard that cannot run guards nothing.
func (c *command) warn(err error) {
	fmt.Fprintf(c.env.Stderr, "Warning: %s\n", printable(err.Error()))
}

func (c *command) atOnce(f func()) {
	if c.env.AtOnce != nil {
		c.env.AtOnce(f)
	}
}

func (c *command) orderly() {
	if c.env.Orderly != nil {
		c.env.Orderly()
	}
}

// turnFailure makes the error of a turn that did not complete.
func turnFailure(end event.EndReason) error {
	switch end.Kind {
	case event.EndCompleted:
		return nil
	case event.EndError:
		return &turnError{end.Code, end.Message}
	case event.EndMaxTokens:
		return &turnError{msg.CodeMaxTokens, "the answer was cut at the model's limit of output tokens"}
	case event.EndAborted:
		return &turnError{msg.CodeCancelled, end.Reason}
	case event.EndRejected:
		return &turnError{msg.CodePromptBlocked, "the prompt was blocked: " + end.Reason}
	}
	return &turnError{msg.CodeUnknown, "the turn ended as " + string(end.Kind)}
}
