provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

hook "guard" {
  on      = "PreToolUse"
  command = ["guard"]
}

hook "notify" {
  on      = "Stop"
  command = ["notify"]
}

agent "a" {
  model = model.m
  hooks = [hook.gaurd, hook.notify, hook.notify, "guard", model.m] # ERROR: Reference to nothing: There is no hook "gaurd". Did you mean "guard"?
  # ERROR(-1): Listed twice: The argument "hooks" lists hook.notify twice. Remove one of them.
  # ERROR(-2): Reference required: The argument "hooks" lists declared hooks: [hook.NAME]. A reference is written without quotes: hook.guard.
  # ERROR(-3): Reference required: The argument "hooks" lists declared hooks: [hook.NAME].
}

agent "b" {
  model = model.m
  hooks = hook.guard # ERROR: References required: The argument "hooks" lists declared hooks: [hook.NAME]. Write [hook.guard].
}

agent "c" {
  model = model.m
  hooks = [for h in ["guard"] : h] # ERROR: References required: The argument "hooks" lists declared hooks: [hook.NAME].
}

agent "d" {
  model = model.m
  hooks = null

  prefix {
    text "t" { content = hook.guard } # ERROR: Unknown name: The address of a hook can only stand alone, as the value of an argument that asks for one.
  }
}
