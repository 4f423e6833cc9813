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
    text "typo" {
      contents = "x" # ERROR: Unknown argument: There is no argument "contents" in text. Did you mean "content"?
    }
    text "block" {
      content { # ERROR: Unknown block: "content" is an argument, which is written with an equals sign: content = ....
      }
    }
    template "typo" {
      paht = "x" # ERROR: Unknown argument: There is no argument "paht" in template. Did you mean "path"?
    }
    text "rules" { # ERROR: Missing argument: The argument "content" is required here.
    }
  }
}
