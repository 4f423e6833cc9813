provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.chat
  prefix {
    # ERROR(+3): Unknown name: There is no "HOME". There are these names: agent, env, local, model, path, var, workspace. To write the text ${HOME} itself, double its first character: $${HOME}.
    text "rules" {
      content = <<-EOT
        Look into ${HOME} first.
      EOT
    }
  }
}
