package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

func (c *command) compactCommand() *cobra.Command {
	var o runOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compact [flags] [SESSION]",
		Short: "Put a summary in the place of what an idle session said",
		Long: "Has the model summarize a session and puts the summary in the place of all but its\n" +
			"newest message. System text, tools and prefix stay as they are. The agent's\n" +
			"compaction block says how; dsh log --compaction shows what was done.\n\n" +
			"SESSION is an id, a unique beginning of one, or last; without it, the newest\n" +
			"session of this workspace. A session that another process has open is left alone.",
		Args: argCount(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.resume = first(args); o.resume == "" {
				o.resume = "last"
			}
			return c.compact(cmd.Context(), o, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "`name` of the agent (default: that of the session)")
	f.BoolVar(&o.trust, "trust", false, "trust the configuration for this run")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// compact compacts a session by hand. That there is nothing to compact is no failure.
func (c *command) compact(ctx context.Context, o runOptions, asJSON bool) error {
	p, err := c.load(loadOptions{quiet: asJSON})
	if err != nil {
		return err
	}
	defer p.close()
	if err := c.requireTrust(p, o.trust); err != nil {
		return err
	}
	s, agent, client, err := c.open(p, o)
	if err != nil && asJSON && msg.CodeOf(err) != msg.CodeUnknown {
		return errors.Join(compactJSON(c.env.Stdout, "", event.CompactEnd{}, total{}, err), err)
	}
	if err != nil {
		return err
	}
	if !agent.Compacts() {
		return errors.Join(usageErrorf("agent %q has no compaction block, so there is no threshold, no retention and no prompt to compact by: add compaction {} to it", agent.Name()), s.Close())
	}
	id := s.Log.Header().ID
	var total total
	var done event.CompactEnd
	s.Log.Observe(func(e event.Event) {
		total.add(e)
		if e.Type == "compact/end" {
			done = event.ParseCompactEnd(e.Data)
		}
	}, nil)
	c.orderly()
	inst := engine.Start(agent, s, engine.Options{
		NewID:         c.env.NewID,
		Client:        func() (provider.Client, error) { return client, nil },
		SummaryClient: c.summaryClient(p, agent, s, client),
		Tools:         c.tools(p, agent).Tools, // for the header alone
		OnError:       c.warn, AfterFunc: c.env.AfterFunc, Sleep: c.env.Sleep, Random: c.env.Random,
	})
	err = inst.Compact(ctx)
	if ctx.Err() != nil {
		inst.Cancel(context.Cause(ctx).Error())
		if _, werr := inst.Wait(context.Background()); werr != nil {
			err = errors.Join(err, werr)
		}
	}
	if derr := inst.Dispose(); err == nil {
		err = derr
	}
	nothing := msg.CodeOf(err) == engine.CodeNothingToCompact
	if asJSON {
		return errors.Join(compactJSON(c.env.Stdout, id, done, total, err), failure(err, nothing))
	}
	if err != nil && !nothing {
		return err
	}
	if nothing {
		_, err := fmt.Fprintf(c.env.Stdout, "session %s: %s\n", inLine(id), inLine(err.Error()))
		return err
	}
	text := fmt.Sprintf("session %s: %d -> %d tokens", inLine(id), done.Before, done.After)
	if total.any {
		text += "; the summary took " + usageText(total.usage)
	}
	if total.cost.Currency != "" {
		text += ", " + inLine(total.cost.String())
	}
	_, err = fmt.Fprintln(c.env.Stdout, text)
	return err
}

// failure is an error that the command fails with.
func failure(err error, nothing bool) error {
	if nothing {
		return nil
	}
	return err
}

// compactJSON prints what came of a compaction as one object.
func compactJSON(w io.Writer, id string, done event.CompactEnd, total total, err error) error {
	var out canon.Object
	out.String("session", id)
	out.Bool("compacted", err == nil)
	if err == nil {
		out.Int("before", done.Before)
		out.Int("after", done.After)
	} else {
		out.String("code", msg.CodeOf(err))
		out.String("error", strings.ToValidUTF8(err.Error(), "\uFFFD"))
	}
	out.Int("requests", int64(total.requests))
	out.Raw("usage", total.usage.Raw())
	if total.cost.Currency != "" {
		out.Raw("cost", total.cost.Raw())
	}
	_, err = fmt.Fprintln(w, out.End())
	return err
}
