provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m-${sensitive("x")}" # ERROR: Sensitive value would be seen: A value from sensitive(...) reaches model.chat.id
}
