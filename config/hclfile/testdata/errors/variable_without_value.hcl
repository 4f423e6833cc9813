variable "team" { # ERROR: Variable without value: The variable "team" has no default. Give it a value with --var team=VALUE or by setting DSH_VAR_team.
  type = string
}

variable "token" { # ERROR: Variable without value: The variable "token" has no default. Give it a value by setting DSH_VAR_token.
  sensitive = true
}

locals {
  a = "${var.team} ${var.token}"
}
