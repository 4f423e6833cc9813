package schema

func agent() *Block {
	return &Block{
		Type:   "agent",
		Labels: []Label{{Name: "NAME"}},
		Doc:    "An agent: a model, and everything it sees before the user speaks.",
		Example: `agent "reviewer" {
  description = "Reviews changes against the team's rules"
  model       = model.chat

  system {
    text "persona" { content = "You review changes for ${var.team}." }
  }

  prefix {
    text "rules" {
      content = "Follow the style guide. Never push."
    }
    file "instructions" {
      path     = "${path.workspace}/AGENTS.md"
      optional = true
      envelope = "system-reminder"
    }
    template "workspace" {
      path = "prompts/workspace.md.tmpl"
      vars = { team = var.team }
    }
    include { prefix = prefix.house_rules }
  }

  tools = [builtin.read, tool.lint]
  hooks = [hook.guard]

  permissions {
    allow = ["lint"]
    deny  = ["read(secrets/**)"]
  }

  compaction {
    threshold_ratio = 0.8
    retain_ratio    = 0.16
  }

  limits {
    max_steps = 64
  }
}`,
		Attributes: []Attribute{
			{Name: "description", Type: Text, Doc: "What the agent is for, shown to people who choose one."},
			{Name: "model", Type: Reference, Refers: "model", Required: true, Doc: "The model the agent talks to."},
			{
				Name: "tools", Type: References, Refers: "tool", Provided: &Provided{Root: "builtin", Names: BuiltinTools()}, Absence: "no tools",
				Doc: "The tools of the agent, in the order in which the model sees them. [agent-tools.md](agent-tools.md) describes the builtin ones.",
			},
			{Name: "hooks", Type: References, Refers: "hook", Absence: "no hooks", Doc: "The hooks of the agent, in the order in which they are asked."},
		},
		Blocks: []Child{
			{Block: system(), Max: 1},
			{Block: prefix(), Max: 1},
			{Block: agentLog(), Max: 1},
			{Block: permissions(), Max: 1},
			{Block: limits(), Max: 1},
			{Block: references(), Max: 1},
			{Block: compaction(), Max: 1},
		},
	}
}
