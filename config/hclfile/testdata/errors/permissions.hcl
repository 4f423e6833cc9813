provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.m
  tools = [builtin.read, builtin.shell]

  permissions {
    allow = ["raed", "builtin.read", "read()", "shell(git", "read)", "read"] # ERROR: Rule for nothing: The argument "allow" has a rule for "raed", and the agent lists no such tool. Did you mean "read"?
    # ERROR(-1): Rule for nothing: The argument "allow" has a rule for "builtin.read", and the agent lists no such tool. A rule names a tool as the model does: read.
    # ERROR(-2): Invalid value: The argument "allow" holds "read()", which is no rule: write the name of a tool, or NAME(PATTERN).
    # ERROR(-3): Invalid value: The argument "allow" holds "shell(git", which is no rule: write the name of a tool, or NAME(PATTERN).
    # ERROR(-4): Invalid value: The argument "allow" holds "read)", which is no rule: write the name of a tool, or NAME(PATTERN).
    ask  = ["write(a)", "shell(a)", "shell(a)"] # ERROR: Rule for nothing: The argument "ask" has a rule for "write", and the agent lists no such tool. There are these tools of this agent: read, shell.
    # ERROR(-1): Listed twice: The argument "ask" holds "shell(a)" twice. Remove one of them.
    deny = [""] # ERROR: Invalid value: The argument "deny" holds an empty text.
  }
}
