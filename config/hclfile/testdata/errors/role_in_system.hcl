provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.chat
  system {
    text "persona" {
      content = "x"
      role    = "user" # ERROR: Unknown argument: There is no argument "role" in text. The system prompt is one text, so its contributors have no role.
    }
  }
}
