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
    text "rules" {
      content = "x"
    }
    text "rules" { # ERROR: Duplicate name: text "rules" is declared twice.
      content = "y"
    }
  }
}
