model "chat" {
  provider = provider.p
  id { # ERROR: Unknown block: "id" is an argument, which is written with an equals sign: id = ....
  }
}
# ERROR(-5): Missing argument: The argument "id" is required here.

provider "p" {
  protocol = "openai"
}
