provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = true ? provider.p : provider.p # ERROR: Reference required: The argument "provider" names a declared provider: provider.NAME.
  id       = "m"
}
