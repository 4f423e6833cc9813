provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

hook "unused" { # WARNING: Never used: No agent lists the hook "unused", so it never runs. Remove it, or list it: hooks = [hook.unused].
  on      = "Stop"
  command = ["notify"]
}

hook "used" {
  on      = ["Stop", "UserPromptSubmit"]
  match   = "anything" # WARNING: Argument without effect: There is nothing to match at Stop and UserPromptSubmit, so match changes nothing.
  command = ["notify"]
}

agent "a" {
  model = model.m
  hooks = [hook.used]
}
