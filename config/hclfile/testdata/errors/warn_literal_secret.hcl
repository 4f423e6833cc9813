provider "p" {
  protocol = "openai"
  api_key  = "sk-canary" # WARNING: Secret in the configuration: The credential is written into the configuration
  headers = {
    "AUTHORIZATION"  = "canary" # WARNING: Secret in the configuration: The header AUTHORIZATION is written into the configuration
    "x-goog-api-key" = "canary" # WARNING: Secret in the configuration
    "Cookie"         = "canary" # WARNING: Secret in the configuration
    "X-Auth-Token"   = "canary" # WARNING: Secret in the configuration
    "HTTP-Referer"   = "https://example.com"
    "X-Title"        = "dsh"
  }
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.chat
}
