provider "p" "q" { # ERROR: Unexpected name: A provider block has only one name: provider "NAME" {
  protocol = "openai"
}
