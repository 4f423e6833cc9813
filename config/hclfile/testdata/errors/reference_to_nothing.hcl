provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.chta # ERROR: Reference to nothing: There is no model "chta". Did you mean "chat"?
}
