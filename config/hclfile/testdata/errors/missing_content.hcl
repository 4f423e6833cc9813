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
    text "rules" { # ERROR: Missing argument: The argument "content" is required here.
    }
  }
}
