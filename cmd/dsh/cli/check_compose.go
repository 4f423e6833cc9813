package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/contrib"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/schema"
)

// composed is what an agent's contributors made when nothing was asked of it.
type composed struct {
	agent  string
	frozen engine.Frozen
}

// composeAll composes every agent twice, as a session would, and adds to the project's
// problems what fails and what differs.
func (c *command) composeAll(ctx context.Context, p *project, trusted bool) ([]composed, error) {
	if err := c.requireTrustToCompose(p, trusted); err != nil {
		return nil, err
	}
	var out []composed
	for i := range p.config.Agents {
		declared := &p.config.Agents[i]
		agent, err := c.compile(p, declared)
		if err != nil {
			return nil, err
		}
		first, err := agent.Freeze(ctx)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			made, problems, err := c.composeEach(ctx, p, declared, err)
			if err != nil {
				return nil, err
			}
			p.problems = append(p.problems, problems...)
			out = append(out, composed{declared.Name, made})
			continue
		}
		out = append(out, composed{declared.Name, first})
		second, err := agent.Freeze(ctx)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			p.problems = append(p.problems, compositionFailed(declared, err))
			continue
		}
		for _, change := range header.Drift(first.Sources, second.Sources) {
			if d := unstable(declared, change); !slices.Contains(p.config.DisabledRules, d.Rule) {
				p.problems = append(p.problems, d)
			}
		}
	}
	return out, nil
}

// composeEach composes the contributors of an agent one by one, since together they
// end with the first that fails. It returns what could be made, and why each of the
// others failed; failed is the first of these reasons, which is not asked for again.
func (c *command) composeEach(ctx context.Context, p *project, declared *config.Agent, failed error) (made engine.Frozen, problems diag.List, err error) {
	var first *contrib.Error
	if !errors.As(failed, &first) {
		return made, diag.List{compositionFailed(declared, failed)}, nil
	}
	var messages []msg.Message
	alone := func(one config.Agent, in config.Contributor) error {
		if in.Address == first.Address {
			problems = append(problems, compositionFailed(declared, failed))
			return nil
		}
		one.MaxTokens = config.Attr[int]{}
		agent, err := c.compile(p, &one)
		if err != nil {
			return err
		}
		f, err := agent.Freeze(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			problems = append(problems, compositionFailed(declared, err))
			return nil
		}
		for i := range f.Prefix.Len() {
			messages = append(messages, f.Prefix.At(i))
		}
		made.Sources.System = append(made.Sources.System, f.Sources.System...)
		made.Sources.Prefix = append(made.Sources.Prefix, f.Sources.Prefix...)
		made.Skipped = append(made.Skipped, f.Skipped...)
		return nil
	}
	for _, in := range declared.System {
		one := *declared
		one.System, one.Prefix = []config.Contributor{in}, nil
		if err := alone(one, in); err != nil {
			return made, nil, err
		}
	}
	for _, in := range declared.Prefix {
		one := *declared
		one.System, one.Prefix = nil, []config.Contributor{in}
		if err := alone(one, in); err != nil {
			return made, nil, err
		}
	}
	made.Prefix = header.Seal(messages)
	return made, problems, nil
}

// requireTrustToCompose asks for trust in what composition starts: the commands of
// contributors, with their environment.
func (c *command) requireTrustToCompose(p *project, trusted bool) error {
	var starts []config.Start
	for _, s := range p.config.Starts {
		if forCommand(s) {
			starts = append(starts, s)
		}
	}
	switch {
	case c.env.Gate != nil:
		return c.env.Gate(starts)
	case c.env.Model != nil:
		return nil
	}
	return c.requireTrustIn(p, starts, trusted, " --compose runs the commands of contributors.")
}

func compositionFailed(agent *config.Agent, err error) diag.Diagnostic {
	if large := (*engine.PrefixTooLargeError)(nil); errors.As(err, &large) {
		return prefixTooLarge(agent, large)
	}
	at, text := agent.At, err.Error()
	if failed := (*contrib.Error)(nil); errors.As(err, &failed) {
		at, text = failed.At, failed.Err.Error()
	}
	if list := (*diag.ListError)(nil); errors.As(err, &list) && len(list.List) > 0 && !list.List[0].Subject.IsZero() {
		first := list.List[0] // it has a place of its own
		at, text = first.Subject, first.Summary+". "+first.Detail
	}
	d := diag.Errorf(at, "Composition failed", "A session of agent %q would not begin: %s", agent.Name, strings.TrimRight(text, ". \n")+".")
	d.In = within(agent, at)
	return d
}

// checkPrefixes composes the prefixes that have a limit and start nothing, and adds
// those that go beyond it to the project's problems. What else fails, loading has told
// or composition will.
func (c *command) checkPrefixes(ctx context.Context, p *project) error {
	for i := range p.config.Agents {
		declared := &p.config.Agents[i]
		starts := func(in config.Contributor) bool { return in.Kind == "command" }
		if !declared.MaxTokens.Set || slices.ContainsFunc(slices.Concat(declared.System, declared.Prefix), starts) {
			continue
		}
		agent, err := c.compile(p, declared)
		if err != nil {
			return err
		}
		_, err = agent.Freeze(ctx)
		if large := (*engine.PrefixTooLargeError)(nil); errors.As(err, &large) {
			p.problems = append(p.problems, prefixTooLarge(declared, large))
		}
	}
	return nil
}

// prefixTooLarge is the diagnostic of a prefix beyond its limit.
func prefixTooLarge(agent *config.Agent, e *engine.PrefixTooLargeError) diag.Diagnostic {
	parts := make([]string, len(e.Parts))
	for i, part := range e.Parts {
		parts[i] = fmt.Sprintf("%6d  %s", part.Tokens, part.Address)
	}
	how := "estimated for"
	if e.Exact {
		how = "counted with"
	}
	d := diag.Errorf(agent.MaxTokens.At, "Over budget", "The prefix has %d tokens, %s %s, and max_tokens allows %d. Shorten it, or raise the limit. Its contributors have:\n\n%s",
		e.Tokens, how, e.Tokenizer, e.Limit, strings.Join(parts, "\n"))
	d.In = fmt.Sprintf("agent %q > prefix", agent.Name)
	return d
}

// within is the declaration at a place, with those around it, as they are written:
// agent "a" > prefix > command "facts".
func within(agent *config.Agent, at diag.Range) string {
	in := fmt.Sprintf("agent %q", agent.Name)
	for _, part := range []struct {
		name string
		list []config.Contributor
	}{{"system", agent.System}, {"prefix", agent.Prefix}} {
		for _, c := range part.list {
			if c.At == at {
				return fmt.Sprintf("%s > %s > %s %q", in, part.name, c.Kind, c.Name)
			}
		}
	}
	return in
}

func unstable(agent *config.Agent, change header.Change) diag.Diagnostic {
	at := agent.At
	for _, in := range slices.Concat(agent.System, agent.Prefix) {
		if in.Address == change.Address {
			at = in.At
		}
	}
	d := diag.Warnf(schema.RuleUnstable, at, "Contributor is not stable",
		"Composed twice, one time right after the other, %s was not the same (%s). Each resume pays for all that follows it anew. Take out of it what varies, such as a time or an order that nobody fixed, or say on_resume = \"reuse\" in the prefix block.",
		change.Address, change.Kind)
	d.In = within(agent, at)
	return d
}

// printComposed shows what each agent's requests begin with.
func (c *command) printComposed(all []composed) {
	for _, a := range all {
		fmt.Fprintf(c.env.Stdout, "agent    %s\n", a.agent)
		for _, s := range a.frozen.Sources.System {
			fmt.Fprintf(c.env.Stdout, "  %-28s %-9s %6d bytes  sha256 %s  %s\n", s.Address, "system", s.Bytes, shortDigest(s.SHA256), printable(s.Origin))
		}
		printPrefix(c.env.Stdout, a.frozen)
	}
}
