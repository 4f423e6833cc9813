provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

prefix "rules" {
  text "a" {
    content = "a"
    role    = "user" # WARNING: Argument without effect: The system prompt is one text, so the role of a contributor of prefix.rules changes nothing there.
  }
}

prefix "loose" { # WARNING: Never used: Nothing includes the group "loose". Remove it, or include it: include { prefix = prefix.loose }.
  text "t" { content = "for ${agent.name}" }
}

agent "a" {
  model = model.m

  system {
    include { prefix = prefix.rules }
  }
}
