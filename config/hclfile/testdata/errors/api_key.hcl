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

provider "e" {
  protocol = "openai"
  api_key  = "env.OPENAI_API_KEY" # ERROR: Invalid value: The credential is the text "env.OPENAI_API_KEY", not the value of that name. Remove the quotes: env.OPENAI_API_KEY.
  headers = {
    "X-Team" = "var.team" # ERROR: Invalid value: The header X-Team is the text "var.team", not the value of that name. Remove the quotes: var.team.
  }
}

provider "f" {
  protocol = "openai"
  api_key  = "$OPENAI_API_KEY" # ERROR: Invalid value: The credential is the name of a variable as a shell writes it. Write env.NAME, without quotes.
}

provider "g" {
  protocol = "openai"
  api_key  = " canary" # ERROR: Invalid value: The credential begins or ends with a blank; trimspace(...) removes it.
}

provider "h" {
  protocol = "openai"
  api_key  = "canary\n" # ERROR: Invalid value: The credential holds a line break or another control character; trimspace(...) removes it at both ends.
}

provider "i" {
  protocol = "openai"
  api_key  = sk-canary # ERROR: Unknown name: There is no such name. An environment variable is read as env.NAME, and a text is written in quotes.
  headers  = { "X-A" = "${CANARY} canary" } # ERROR: Unknown name: There is no such name.
}

provider "j" {
  protocol = "openai"
  api_key  = null
  headers  = { "X-A" = null } # ERROR: Invalid value: The header X-A is null. Leave it out, or give it a value.
}
