provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.m
  prefix {
    max_tokens = 0 # ERROR: Invalid value: The argument "max_tokens" is 0 and must be at least 1.
  }
  limits {
    max_input_tokens = 0     # ERROR: Invalid value: The argument "max_input_tokens" is 0 and must be at least 1.
    turn_timeout     = "0s"  # ERROR: Invalid value: The argument "turn_timeout" is "0s" and must be greater than 0.
    tool_timeout     = 120   # ERROR: Invalid value: The argument "tool_timeout" is a number, not a duration
    turn_timeuot     = "10m" # ERROR: Unknown argument: There is no argument "turn_timeuot" in limits. Did you mean "turn_timeout"?
  }
}
prefix "group" {
  max_tokens = 4 # ERROR: Unknown argument: There is no argument "max_tokens" in prefix. It stands in the prefix block of an agent.
}
