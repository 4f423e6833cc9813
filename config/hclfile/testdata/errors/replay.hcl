provider "p" { # ERROR: Missing argument: A provider with protocol "replay" names the log of a session: log = "session.jsonl".
  protocol = "replay"
}
provider "q" {
  protocol = "openai"
  log      = "session.jsonl" # ERROR: Conflicting arguments: A log answers only with protocol = "replay", and this provider's protocol is "openai".
}
provider "r" {
  protocol = "replay"
  log      = "none.jsonl" # ERROR: File not found: The log none.jsonl does not exist.
}
