# WARNING(none): No agent
variable "team" { # WARNING: Never used: Nothing uses the variable "team". Remove it, or use it as var.team.
  default = 1
}

locals {
  a = 1 # WARNING: Never used: Nothing uses the local "a". Remove it, or use it as local.a.
}

provider "p" {
  protocol = "openai"
}

provider "q" { # WARNING: Never used: Nothing uses the provider "q".
  protocol = "openai"
}

model "chat" { # WARNING: Never used: Nothing uses the model "chat".
  provider = provider.p
  id       = "m"
}
