provider "p" {
  protocol = "openai"
}

model "chat" {
  provider       = provider.p
  id             = "m"
  temperature    = 2.5 # ERROR: Invalid value: The argument "temperature" is 2.5 and must be at least 0 and at most 2.
  top_p          = 0 # ERROR: Invalid value: The argument "top_p" is 0 and must be greater than 0 and at most 1.
  context_window = 1e30 # ERROR: Invalid value: The argument "context_window" is out of range.
}
