package cli

import (
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/tool"
	"github.com/dsh-hcl/dsh/engine/tool/builtin"
)

// This file is where the parts meet for tools, as wire.go is for the rest.

// tools makes the tools of an agent for one instance, in the order of the agent's
// list. An agent that lists none has nil.
func (c *command) tools(p *project, agent *engine.Agent) engine.Tools {
	declared, ok := p.config.Agent(agent.Name())
	if !ok || len(declared.Tools) == 0 {
		return nil // and not a set that is nil
	}
	var names []string
	for _, t := range declared.Tools {
		if t.Kind == "builtin" {
			names = append(names, t.Name)
		}
	}
	own, closing := builtin.Tools(names, builtin.Options{Workspace: p.config.Workspace})
	p.closing = append(p.closing, closing)
	var out []tool.Tool
	for _, t := range declared.Tools {
		switch t.Kind {
		case "builtin":
			out, own = append(out, own[0]), own[1:]
		}
	}
	return tool.NewSet(out...)
}
