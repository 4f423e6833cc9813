provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
  limit = { max_steps = 1 } # ERROR: There is neither an argument nor a block "limit" in agent. Did you mean "limits"?
  prefix {
    textt = { a = 1 } # ERROR: There is neither an argument nor a block "textt" in prefix. Did you mean "text"?
    text "t" {
      content = workspace.branch # ERROR: Missing argument: The argument "content" is required here, and workspace.branch is null.
    }
  }
}
