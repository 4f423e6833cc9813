provider "p" {
  protocol = "openai"
}

model "chat" {
  provider       = provider.p
  id             = "m"
  context_window = 4096.5 # ERROR: Invalid value: The argument "context_window" is a fraction, not a whole number.
}
