provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.chat
  prefix {
  }
  prefix { # ERROR: Repeated block: There can be only one prefix block here.
  }
}
