provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = 4 # ERROR: Invalid value: The argument "id" is a number, not a text: write a text in quotes.
}
