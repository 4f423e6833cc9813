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
    text "rules" {
      content  = "x"
      envelope = "<rules>" # ERROR: Invalid value: The argument "envelope" is "<rules>", which is no tag name: write a letter, then letters, digits, - or _.
    }
  }
}
