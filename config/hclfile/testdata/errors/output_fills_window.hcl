provider "p" {
  protocol = "openai"
}

model "chat" {
  provider          = provider.p
  id                = "m"
  context_window    = 4096
  max_output_tokens = 4096 # ERROR: Invalid value: The argument "max_output_tokens" is 4096, which leaves no room for a request in a context window of 4096.
}
