provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model  = model.chat
  limits = { max_steps = 3 } # ERROR: Unknown argument: "limits" is a block. Remove the equals sign: limits { ... }.
}
