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
}

agent "a" {
  model = model.chat
  prefix {
    text "t" {
      content = "${local.b} ${model.id}"
    }
  }
}
