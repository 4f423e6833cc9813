provider "p" {
  protocol = "openai
  # ERROR(-1): Invalid multi-line string
}

agent "a" {
  model = "not reached"
}
