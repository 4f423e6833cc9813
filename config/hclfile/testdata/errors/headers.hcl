locals {
  all = { "X-A" = "b" }
}

provider "a" {
  protocol = "openai"
  headers  = local.all # ERROR: Invalid value: The argument "headers" must be written out, so that its values can be read late
}

provider "b" {
  protocol = "openai"
  headers = {
    "X Team"         = env.A # ERROR: Invalid header name
    "X-Team"         = env.A
    "x-team"         = env.A # ERROR: Duplicate name: The header "x-team" is declared twice.
    "content-length" = env.A # ERROR: Header not allowed: The header Content-Length is set by the protocol.
    "X-Count"        = 3 # ERROR: Invalid value: The header X-Count is a number, not a text.
    "X-Typo"         = vra.x # ERROR: Unknown name: There is no "vra". Did you mean "var"?
    "X-Empty"        = "" # ERROR: Invalid value: The header X-Empty is empty.
  }
}
