provider "p" {
  protocol = "opanai" # ERROR: Invalid value: The argument "protocol" is "opanai", not one of openai, anthropic, script, replay. Did you mean "openai"?
}
