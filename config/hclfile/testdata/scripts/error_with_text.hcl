reply {
  text = "x" # ERROR: Conflicting arguments: A reply that is an error has no text.
  error {
  }
  tool "t" { # ERROR: Conflicting arguments: A reply that is an error has no tool.
  }
}
