provider "a" {
  protocol = "openai"
  api_key  = 12 # ERROR: Invalid value: The credential is a number, not a text.
}

provider "b" {
  protocol = "openai"
  api_key  = uper(env.KEY) # ERROR: Unknown function: There is no function "uper". Did you mean "upper"?
}

provider "c" {
  protocol = "openai"
  api_key  = env.KEY
}

provider "d" {
  protocol = "openai"
  api_key  = file("key.txt")
}
