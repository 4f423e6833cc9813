provider "deepseek" {
  protocol = "openai"
}

model "chat" {
  provider = "deepseek" # ERROR: Reference required: The argument "provider" names a declared provider: provider.NAME. A reference is written without quotes: provider.deepseek.
  id       = "m"
}
