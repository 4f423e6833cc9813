provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = ["m"] # ERROR: Invalid value: The argument "id" is a list, not a text: write a text in quotes.
}
