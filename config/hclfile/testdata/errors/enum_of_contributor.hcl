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
      role     = "system" # ERROR: Invalid value: The argument "role" is "system", not one of user, assistant.
      on_error = "stop" # ERROR: Invalid value: The argument "on_error" is "stop", not one of fail, skip.
      oversize = "tial" # ERROR: Invalid value: The argument "oversize" is "tial", not one of error, head, tail, middle. Did you mean "tail"?
      newlines = "crlf" # ERROR: Invalid value: The argument "newlines" is "crlf", not one of lf, keep. Did you mean "lf"?
    }
  }
}
