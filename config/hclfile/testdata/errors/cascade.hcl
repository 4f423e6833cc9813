variable "team" {
  type    = number
  default = "x" # ERROR: Invalid value: The default of "team" is not number
}

locals {
  a = var.team + 1
  b = local.a * 2
}

provider "p" {
  protocol = "opanai" # ERROR: Invalid value
}

model "chat" {
  provider = provider.p
  id       = "m-${local.b}"

  context_window = "large" # ERROR: Invalid value
}

agent "a" {
  model = model.chat

  description = 1 # ERROR: Invalid value
  prefix {
    text "t" {
      content = "${local.b} ${model.id} ${model.context_window} ${agent.description}"
    }
  }
}
