provider "p" {
  protocol = "openai"
}

model "chat" {
  provider       = provider.p
  id             = "m"
  context_window = "4096" # ERROR: Invalid value: The argument "context_window" is a text, not a whole number: write a whole number without quotes, such as 4096.
}
