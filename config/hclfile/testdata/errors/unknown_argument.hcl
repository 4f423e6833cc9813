agent "a" {
  descripton = "x" # ERROR: Unknown argument: There is no argument "descripton" in agent. Did you mean "description"?
  model      = model.chat
}

model "chat" {
  provider = provider.p
  id       = "m"
}

provider "p" {
  protocol = "openai"
}
