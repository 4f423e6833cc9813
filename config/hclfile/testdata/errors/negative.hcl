provider "p" {
  protocol = "openai"
}

model "chat" {
  provider          = provider.p
  id                = "m"
  max_output_tokens = -1 # ERROR: Invalid value: The argument "max_output_tokens" is -1 and must be at least 1.
}

agent "a" {
  model = model.chat
  limits {
    max_steps = 0 # ERROR: Invalid value: The argument "max_steps" is 0 and must be at least 1.
  }
  prefix {
    text "rules" {
      content   = "x"
      max_bytes = 0 # ERROR: Invalid value: The argument "max_bytes" is 0 and must be at least 1.
    }
    text "more" {
      content   = "x"
      max_bytes = -64 # ERROR: Invalid value: The argument "max_bytes" is -64 and must be at least 1.
    }
  }
}
