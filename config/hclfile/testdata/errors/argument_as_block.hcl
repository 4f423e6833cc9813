model "chat" {
  provider = provider.p
  id { # ERROR: Unknown block: "id" is an argument, which is written with an equals sign: id = ....
  }
}
provider "p" {
  protocol = "openai"
}
