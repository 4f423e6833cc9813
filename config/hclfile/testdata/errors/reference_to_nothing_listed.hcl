provider "deepseek" {
  protocol = "openai"
}

model "chat" {
  provider = provider.x # ERROR: Reference to nothing: There is no provider "x". There are these providers: deepseek.
  id       = "m"
}
