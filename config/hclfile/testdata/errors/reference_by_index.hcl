provider "p" {
  protocol = "openai"
}
model "m" {
  provider = provider["p"] # ERROR: Reference required: The argument "provider" names a declared provider: provider.NAME.
  id       = "m"
}
