provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

tool "lint" {
  description = "Lints."
  command     = ["lint"]
}

tool "write" {
  description = "Writes."
  command     = ["write"]
}

tool "prüfe" { # ERROR: Invalid name: The name of a tool is what the model calls it by: at most 64 letters of a to z, digits, _ and -.
  description = "Checks."
  command     = ["check"]
}

agent "a" {
  model = model.m
  tools = [builtin.raed, tool.lnit, "read", "builtin.grep", read, lint, builtin, tool.lint, tool.lint] # ERROR: Reference to nothing: There is no builtin tool "raed". Did you mean "read"?
  # ERROR(-1): Reference to nothing: There is no tool "lnit". Did you mean "lint"?
  # ERROR(-2): Reference required: The argument "tools" lists tools: [builtin.read, tool.NAME]. A reference is written without quotes: builtin.read.
  # ERROR(-3): Reference required: The argument "tools" lists tools: [builtin.read, tool.NAME]. A reference is written without quotes: builtin.grep.
  # ERROR(-4): Reference required: The argument "tools" lists tools: [builtin.read, tool.NAME]. Did you mean builtin.read?
  # ERROR(-5): Reference required: The argument "tools" lists tools: [builtin.read, tool.NAME]. Did you mean tool.lint?
  # ERROR(-6): Reference required: The argument "tools" lists tools: [builtin.read, tool.NAME].
  # ERROR(-7): Listed twice: The argument "tools" lists lint twice. Remove one of them.
}

agent "b" {
  model = model.m
  tools = [builtin.write, tool.write] # ERROR: Listed twice: The argument "tools" lists two tools that the model would call write. Remove one of them, or rename the block.
}

agent "c" {
  model = model.m
  tools = builtin.read # ERROR: References required: The argument "tools" lists tools: [builtin.read, tool.NAME].

  prefix {
    text "t" { content = builtin.read } # ERROR: Unknown name: The address of a builtin tool can only stand alone, as the value of an argument that asks for one.
  }
}
