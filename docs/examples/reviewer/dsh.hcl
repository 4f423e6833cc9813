# This folder configures an agent. `dsh check` reports mistakes in it,
# `dsh run "Please review main.go"` runs it, `dsh test` proves what it promises.

# The scripted model answers offline, from model.hcl. Nothing leaves this machine.
provider "offline" {
  protocol = "script"
  script   = "model.hcl"
}

# A service that speaks the OpenAI chat completions protocol. To use it, remove
# the comment signs, put your key into SERVICE_API_KEY, let the model below name
# provider.service and one of its model ids, run `dsh trust`, and renew the golden
# with `dsh test -update -accept-prefix-move "another model"`.
#
# provider "service" {
#   protocol = "openai"
#   base_url = "https://api.openai.com/v1"
#   api_key  = env.SERVICE_API_KEY
# }

model "chat" {
  provider = provider.offline
  id       = "scripted"
}

agent "reviewer" {
  description = "Reviews changes against the team's rules"
  model       = model.chat

  # Who the agent is. Composed once per instance and frozen, like the prefix.
  system {
    text "persona" {
      content = "You review changes for a small team. Be brief, concrete and kind."
    }
  }

  # What the model sees before the user speaks, in the order written here.
  prefix {
    text "rules" {
      content = <<-EOT
        Follow the style guide. Never push.
        Name the file and the line of everything you find.
      EOT
    }
    file "instructions" {
      path     = "AGENTS.md"
      envelope = "system-reminder"
    }
    template "workspace" {
      path = "prompts/workspace.md.tmpl"
      vars = { team = "platform" }
    }
  }
}
