provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p.name # ERROR: Reference required: The argument "provider" names a declared provider: provider.NAME.
  id       = "m"
}
