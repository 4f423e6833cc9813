# Secrets where a model, a log or a list of processes would show them.
# ENV: TOKEN=canary
variable "pin" {
  default   = "canary"
  sensitive = true
  validation {
    condition     = strlen(var.pin) > 3
    error_message = "Not ${var.pin}." # ERROR: ^Sensitive value would be seen: A value from var\.pin reaches variable\.pin\.validation\.error_message
# RIGHT:     error_message = "Too short."
  }
}
variable "port" {
  default   = "canary"
  sensitive = true
  validation {
    condition     = var.port + 1 > 0 # ERROR: ^Invalid operand: The details are withheld, because the variable is sensitive\.
# RIGHT:     condition     = var.port != ""
    error_message = "Too short."
  }
  validation {
    condition     = var.port != ""
    error_message = "Not ${parseint(var.port, 10)}." # ERROR: ^Invalid function argument: The details are withheld|Invalid function argument: .*invalid argument \(sensitive\)
# RIGHT:     error_message = "Too short."
  }
}
locals {
  bearer = "Bearer ${env.TOKEN}"
}
provider "p" {
  protocol = "openai"
  timeout  = env.TOKEN # ERROR: ^Sensitive value would be seen: A value from env\.TOKEN reaches provider\.p\.timeout
# RIGHT:   timeout  = "1m"
  api_key  = 12 # ERROR: ^Invalid value: The credential is a number, not a text
# RIGHT:   api_key  = env.TOKEN
  headers  = { "X Y" = env.TOKEN } # ERROR: ^Invalid header name
# RIGHT:   headers  = { "X-Y" = env.TOKEN }
}
provider "q" {
  protocol = "openai"
  api_key  = "env.TOKEN" # ERROR: ^Invalid value: The credential is the text "env\.TOKEN".*Remove the quotes
# RIGHT:   api_key  = env.TOKEN
  headers  = { "Content-Length" = "1" } # ERROR: ^Header not allowed: The header Content-Length is set by the protocol
# RIGHT:   headers  = { "X-Length" = "1" }
}
provider "r" {
  protocol = "openai"
  api_key  = "$TOKEN" # ERROR: ^Invalid value: The credential is the name of a variable as a shell writes it
# RIGHT:   api_key  = env.TOKEN
  headers  = { "X-A" = "1", "x-a" = "2" } # ERROR: ^Duplicate name: The header "x-a" is declared twice. Remove one of the two\.
# RIGHT:   headers  = { "X-A" = "1", "X-B" = "2" }
}
model "m" {
  provider = provider.p
  id       = env.TOKEN # ERROR: ^Sensitive value would be seen: A value from env\.TOKEN reaches model\.m\.id
# RIGHT:   id       = "m"
  stop     = [local.bearer] # ERROR: ^Sensitive value would be seen: .*reaches model\.m\.stop
# RIGHT:   stop     = ["END"]
}
hook "h" {
  on      = "Stop"
  command = ["x", env.TOKEN] # ERROR: ^Sensitive value would be seen: .*which a list of processes shows
# RIGHT:   command = ["x"]
  env     = { "A-B" = env.TOKEN } # ERROR: ^Invalid variable name
# RIGHT:   env     = { "A_B" = env.TOKEN }
}
agent "a" {
  model       = model.m
  description = var.pin # ERROR: ^Sensitive value would be seen: A value from var\.pin reaches agent\.a\.description
# RIGHT:   description = "x"
  system {
    text "persona" {
      content = "Use ${local.bearer}." # ERROR: ^Sensitive value would be seen: .*reaches agent\.a\.system\.text\.persona\.content
# RIGHT:       content = "Use it."
    }
  }
  prefix {
    file "f" {
      path = var.pin # ERROR: ^Sensitive value would be seen: .*reaches agent\.a\.prefix\.file\.f\.path
# RIGHT:       path = "notes.md"
      optional = true
    }
    template "t" {
      content = "${vars.x}"
      vars    = { x = env.TOKEN } # ERROR: ^Sensitive value would be seen: .*reaches agent\.a\.prefix\.template\.t\.vars
# RIGHT:       vars    = { x = nonsensitive(env.TOKEN) == "" }
    }
  }
}
