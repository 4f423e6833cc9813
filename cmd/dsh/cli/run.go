package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
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
			"Without PROMPT, or when it is -, the prompt is read from standard input; with\n" +
			"both, standard input is not read.",
		Args: argCount(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("resume") && o.resume == "" {
				return usageErrorf("--resume names no session; it wants an id, a unique beginning of one, or last")
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
	f.BoolVar(&o.trust, "trust", false, "trust the configuration for this run")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the answer only")
	f.StringArrayVar(&o.vars, "var", nil, "set a variable: `name=value`")
	return cmd
}

type runOptions struct {
	agent, resume string
	trust, quiet  bool
	vars          []string
}

// prompt takes the prompt from the argument or from standard input.
func (c *command) prompt(args []string) (msg.Content, error) {
	text := first(args)
	if len(args) == 0 || text == "-" {
		b, err := io.ReadAll(io.LimitReader(c.env.Stdin, maxPrompt+1))
		if err != nil {
			return msg.Content{}, fmt.Errorf("standard input: %w", err)
		}
		if len(b) > maxPrompt {
			return msg.Content{}, usageErrorf("the prompt on standard input is longer than %d bytes", maxPrompt)
		}
		text = string(b)
	}
	if strings.TrimSpace(text) == "" {
		return msg.Content{}, usageErrorf("there is no prompt\nUsage: dsh run [flags] [PROMPT]")
	}
	content, err := msg.TextContent(text)
	if err != nil {
		return msg.Content{}, usageErrorf("the prompt is not UTF-8 text: %v", err)
	}
	return content, nil
}

func (c *command) run(ctx context.Context, o runOptions, prompt msg.Content) error {
	p, err := c.load(loadOptions{vars: o.vars})
	if err != nil {
		return err
	}
	defer p.close()
	if err := c.requireTrust(p, o.trust); err != nil {
		return err
	}
	s, agent, client, err := c.open(p, o)
	if err != nil {
		return err
	}
	printer := &answer{out: c.env.Stdout, safe: c.env.StdoutTerminal}
	var frozen *engine.Frozen
	inst := engine.Start(agent, s, engine.Options{
		NewID:    c.env.NewID,
		Client:   func() (provider.Client, error) { return client, nil },
		OnChunk:  printer.chunk,
		OnFrozen: func(f engine.Frozen) { frozen = &f },
	})
	err = inst.Send(prompt)
	var end event.EndReason
	if err == nil {
		end, err = inst.Wait(ctx)
		if ctx.Err() != nil {
			// A signal ends the turn in order, then the session.
			inst.Cancel("interrupted by " + context.Cause(ctx).Error())
			end, err = inst.Wait(context.Background())
		}
	}
	if derr := inst.Dispose(); err == nil {
		err = derr
	}
	printer.end()
	if err == nil {
		err = printer.err
	}
	if !o.quiet {
		c.summary(frozen, s.Log.Path(), s.Log.Header().ID)
	}
	if err != nil {
		return err
	}
	return turnFailure(end)
}

// turnFailure makes the error of a turn that did not complete.
func turnFailure(end event.EndReason) error {
	switch end.Kind {
	case event.EndCompleted:
		return nil
	case event.EndError:
		return &turnError{end.Code, end.Message}
	case event.EndMaxTokens:
		return &turnError{"MAX_TOKENS", "the answer was cut at the model's limit of output tokens"}
	case event.EndAborted:
		return &turnError{msg.CodeCancelled, "the turn was cancelled: " + end.Reason}
	}
	return &turnError{msg.CodeUnknown, "the turn ended as " + string(end.Kind)}
}

// summary shows the frozen prefix by contributor and where the session lies.
func (c *command) summary(f *engine.Frozen, path, id string) {
	out := c.env.Stderr
	if f != nil {
		if n := f.Prefix.Len(); n == 0 {
			fmt.Fprintln(out, "prefix   empty")
		} else {
			fmt.Fprintf(out, "prefix   %s, frozen\n", plural(n, "message", "messages"))
		}
		for i, s := range f.Sources.Prefix {
			fmt.Fprintf(out, "  %-28s %-9s %6d bytes  sha256 %s  %s\n", s.Address, f.Prefix.At(i).Role, s.Bytes, shortDigest(s.SHA256), printable(s.Origin))
		}
		for _, s := range f.Skipped {
			fmt.Fprintf(out, "  %-28s skipped: %s\n", s.Address, printable(s.Reason))
		}
	}
	fmt.Fprintf(out, "session  %s\n  %s\n", id, printable(path))
}

// answer prints the text of an answer as it streams.
type answer struct {
	out  io.Writer
	safe bool // for a terminal: control characters are shown, not sent
	last string
	err  error
}

func (a *answer) chunk(c msg.Chunk) {
	t, ok := c.(msg.TextDelta)
	if !ok || t.Text == "" || a.err != nil {
		return
	}
	text := t.Text
	if a.safe {
		text = printable(text)
	}
	_, a.err = io.WriteString(a.out, text)
	a.last = t.Text
}

// end finishes the last line.
func (a *answer) end() {
	if a.last != "" && !strings.HasSuffix(a.last, "\n") && a.err == nil {
		_, a.err = io.WriteString(a.out, "\n")
	}
}
