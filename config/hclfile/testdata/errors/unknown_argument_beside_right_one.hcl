provider "p" {
  protocol  = "openai"
  protocoll = "openai" # ERROR: Unknown argument: There is no argument "protocoll" in provider. Did you mean "protocol"?
}
