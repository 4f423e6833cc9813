provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model  = model.chat
  limits = { max_steps = 3 } # ERROR: Unknown argument: "limits" is a block, which is written without an equals sign: limits { ... }.
}
