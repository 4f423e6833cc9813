provider "p" {
  protocol = "openai"
  api_key  = "sk-canary" # WARNING: Secret in the configuration: The credential is written into the configuration
  headers  = { "X-A" = "canary" } # WARNING: Secret in the configuration: The header X-A is written into the configuration
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.chat
}
