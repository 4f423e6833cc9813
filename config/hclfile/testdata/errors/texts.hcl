provider "p" {
  protocol = "openai"
}

model "a" {
  provider = provider.p
  id       = "m"
  stop     = ["x", 1] # ERROR: Invalid value: The argument "stop" holds a number, not only texts: write a list of texts, such as ["a", "b"].
}

model "b" {
  provider = provider.p
  id       = "m"
  stop     = "x" # ERROR: Invalid value: The argument "stop" is a text, not a list of texts: write a list of texts, such as ["a", "b"].
}

model "c" {
  provider = provider.p
  id       = ""   # ERROR: Invalid value: The argument "id" is empty.
  stop     = [""] # ERROR: Invalid value: The argument "stop" holds an empty text.
}
