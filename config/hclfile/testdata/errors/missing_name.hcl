agent { # ERROR: Missing name: An agent block has a name: agent "NAME" {
}

provider { # ERROR: Missing name: A provider block has a name: provider "NAME" {
  protocol = "openai"
}
