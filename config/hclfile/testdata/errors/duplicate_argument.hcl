provider "p" {
  protocol = "openai"
  protocol = "script" # ERROR: Attribute redefined
}
