provider { # ERROR: Missing name: A provider block has a name: provider "NAME" {
  protocol = "openai"
}
