package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/schema"
)

// checkBudgets finds agents whose compaction cannot help: what no compaction touches
// reaches the threshold. Made are the agents that were composed; of the others, what
// can be made without starting a command counts.
func (c *command) checkBudgets(ctx context.Context, p *project, made []composed) {
	for i := range p.config.Agents {
		declared := &p.config.Agents[i]
		if declared.Compaction == nil {
			continue
		}
		j := slices.IndexFunc(made, func(m composed) bool { return m.agent == declared.Name })
		if j >= 0 {
			c.checkBudget(p, declared, made[j].frozen, "")
			continue
		}
		still := *declared
		still.System, still.Prefix = withoutCommands(declared.System), withoutCommands(declared.Prefix)
		agent, err := c.compile(p, &still)
		if err != nil {
			continue // it is told elsewhere
		}
		frozen, err := agent.Freeze(ctx)
		if err != nil {
			continue
		}
		but := ""
		if len(still.System)+len(still.Prefix) < len(declared.System)+len(declared.Prefix) {
			but = " without its commands"
		}
		c.checkBudget(p, declared, frozen, but)
	}
}

func withoutCommands(list []config.Contributor) []config.Contributor {
	return slices.DeleteFunc(slices.Clone(list), func(in config.Contributor) bool { return in.Kind == config.KindCommand })
}

// checkBudget holds what is frozen, and what is retained, to the threshold.
func (c *command) checkBudget(p *project, declared *config.Agent, f engine.Frozen, but string) {
	agent, err := c.compile(p, declared)
	if err != nil {
		return
	}
	b := agent.Budget(f)
	if b.Window > 0 && b.Room <= 0 {
		at := declared.Compaction.Summary.Prompt.At
		if !declared.Compaction.Summary.Prompt.Set {
			at = declared.Compaction.At
		}
		d := diag.Errorf(at, "Summary without room", "A request for a summary has about %d tokens of system text and prefix%s and %d of its instruction, which leaves no message room beside the answer in a context window of %d. Make the instruction shorter, or let another model write summaries.",
			b.Frozen, but, b.Instruction, b.Window)
		d.In = fmt.Sprintf("agent %q > compaction", declared.Name)
		p.problems = append(p.problems, d)
	}
	retain, threshold := int64(declared.Compaction.Retain.V), int64(declared.Compaction.Threshold.V)
	if b.Frozen+retain+b.Frame < threshold {
		return
	}
	detail := fmt.Sprintf("Every request of agent %q begins with about %d tokens%s (system %d, prefix %d), which no compaction touches. With the %d that it retains and the %d of a checkpoint that reaches the threshold of %d, so it would compact from the beginning and never get below. Make system and prefix shorter, retain less, or raise the threshold.",
		declared.Name, b.Frozen, but, b.System, b.Prefix, retain, b.Frame, threshold)
	at := declared.Compaction.Threshold.At
	d := diag.Errorf(at, "Compaction cannot help", "%s", detail)
	if b.Least+retain+b.Frame < threshold || b.Frozen+retain < threshold {
		// The estimate may be off by as much as is missing.
		if slices.Contains(p.config.DisabledRules, schema.RuleTightBudget) {
			return
		}
		d = diag.Warnf(schema.RuleTightBudget, at, "Compaction can hardly help", "%s The count is an estimate, off by up to %d %% for a single kind of text.", detail, b.Off)
	}
	d.In = fmt.Sprintf("agent %q > compaction", declared.Name)
	p.problems = append(p.problems, d)
}
