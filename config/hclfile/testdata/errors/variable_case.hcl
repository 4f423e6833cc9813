# ENV: DSH_VAR_TEAM=canary
# ENV: DSH_VAR_ROOM=canary
# ENV: DSH_VAR_room=x
# ENV: DSH_VAR_lead=canary
# ENV: DSH_VAR_KEY=canary
# ENV: DSH_VAR_BOTH=x
# VAR: city=x
# ENV: DSH_VAR_CITY=canary
variable "team" { # WARNING: Environment variable without effect: DSH_VAR_TEAM is set, and the variable is written "team". Set DSH_VAR_team.
  default = "core"
}

variable "room" {
}

variable "Lead" { # WARNING: Environment variable without effect: DSH_VAR_lead is set, and the variable is written "Lead". Set DSH_VAR_Lead.
  default = "Anna"
}

variable "key" { # ERROR: Variable without value: The variable "key" has no default. Give it a value by setting DSH_VAR_key. DSH_VAR_KEY is set, and its letters differ.
  sensitive = true
}

variable "both" {
  default = "x"
}

variable "BOTH" {
}

variable "city" {
}

provider "p" {
  protocol = "openai"
}

model "m" {
  provider = provider.p
  id       = "${var.team}${var.room}${var.Lead}${var.key}${var.both}${var.BOTH}${var.city}"
}

agent "a" {
  model = model.m
}
