provider "p" {
  protocol = "openai"
  script   = "model.hcl" # ERROR: Conflicting arguments: A script answers only with protocol = "script", and this provider's protocol is "openai".
}
