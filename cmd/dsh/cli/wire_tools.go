package cli

import (
	"context"
	"sync"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/permit"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/tool"
	"github.com/dsh-hcl/dsh/engine/tool/builtin"
	toolcommand "github.com/dsh-hcl/dsh/engine/tool/command"
)

// This file is where the parts meet for tools, as wire.go is for the rest.

// toolset is the tools of an agent and what decides about their calls.
type toolset struct {
	Tools  engine.Tools                      // nil for none
	Permit func(msg.ToolCall) permit.Verdict // nil for none
}

// tools makes the tools of an agent for one instance, in the order of the agent's
// list.
func (c *command) tools(p *project, agent *engine.Agent) toolset {
	declared, ok := p.config.Agent(agent.Name())
	if !ok || len(declared.Tools) == 0 {
		return toolset{}
	}
	policy := permit.Policy{Free: builtin.Free()}
	if r := declared.Permissions; r != nil {
		policy.Allow, policy.Ask, policy.Deny = rulesOf(r.Allow), rulesOf(r.Ask), rulesOf(r.Deny)
	}
	var names []string
	for _, t := range declared.Tools {
		if t.Kind == "builtin" {
			names = append(names, t.Name)
		}
	}
	running := &proc.Running{}
	c.atOnce(running.Kill)
	own, closing := builtin.Tools(names, builtin.Options{Workspace: p.config.Workspace,
		Hidden: func(path string) bool { // what may not be read is not found by searching either
			for _, name := range [...]string{"read", "grep"} {
				if policy.Decide(permit.Call{Tool: name, Kind: permit.Path, Subjects: []string{path}}).Decision == permit.Deny {
					return true
				}
			}
			return false
		},
		Clean: func(text string) string { return p.known.clean(text, false) },
		Shell: func(ctx context.Context, line string, timeout time.Duration, maxOutput int) proc.Result {
			if c.env.Gate != nil {
				if err := c.env.Gate([]config.Start{{Kind: lineOfShell}}); err != nil {
					return proc.Result{ExitCode: -1, Err: err}
				}
			}
			env, err := c.environment(p.known, nil)
			if err != nil {
				return proc.Result{ExitCode: -1, Err: err}
			}
			return p.cleaned(inWorkspace(ctx, p, []string{"/bin/sh", "-c", line}, proc.Command{Env: env, Timeout: timeout, MaxOutput: maxOutput, Running: running}))
		}})
	p.closing = append(p.closing, closing)
	var out []tool.Tool
	for _, t := range declared.Tools {
		if t.Kind == "builtin" {
			out, own = append(out, own[0]), own[1:]
			continue
		}
		if declared, ok := p.config.Tool(t.Name); ok { // the configuration has no errors, so there is one
			out = append(out, c.declaredTool(p, declared, running))
		}
	}
	set := tool.NewSet(out...)
	return toolset{Tools: set, Permit: func(call msg.ToolCall) permit.Verdict { return set.Permit(policy, call) }}
}

func rulesOf(rules []config.Rule) []permit.Rule {
	out := make([]permit.Rule, len(rules))
	for i, r := range rules {
		out[i] = permit.Rule(r)
	}
	return out
}

// declaredTool is the tool of a tool block. Its environment is resolved when it first
// runs.
func (c *command) declaredTool(p *project, t *config.Tool, running *proc.Running) tool.Tool {
	environment := sync.OnceValues(func() ([]string, error) { return c.environment(p.known, t.Env) })
	held := tool.Bounds{Timeout: t.Timeout.V, MaxOutput: t.MaxOutput.V}
	return toolcommand.Tool(toolcommand.Declared{Name: t.Name, Description: t.Description.V, Input: t.Input.V, Bounds: held,
		Run: func(ctx context.Context, input []byte) proc.Result {
			env, err := environment()
			if err != nil {
				return proc.Result{ExitCode: -1, Err: err}
			}
			return p.cleaned(inWorkspace(ctx, p, t.Command.V, proc.Command{Env: env, Stdin: input, Timeout: held.Timeout, MaxOutput: held.MaxOutput, Running: running}))
		}})
}

// cleaned is what became of a process without the secrets that are known by then.
func (p *project) cleaned(r proc.Result) proc.Result {
	r.Stdout = []byte(p.known.clean(string(r.Stdout), r.Cut))
	r.Stderr = []byte(p.known.clean(string(r.Stderr), r.Cut))
	return r
}
