# VAR: count=many
# VAR: size=7
# VAR: token=canary
# VAR: tema=core
# ENV: DSH_VAR_list=["x", 1]
# ENV: DSH_VAR_pin=canary
# ERROR(none): Unknown variable: --var gives "tema", which the configuration does not declare. Did you mean "team"?
# ERROR(--var count:1): Invalid input: The value of --var count is not number: write a constant of that type.
# ERROR(DSH_VAR_list:1): Invalid input: The value of DSH_VAR_list is not list(string): it holds a number where string is wanted.
variable "count" {
  type = number
}

variable "size" {
  type = number
}

variable "team" {
  default = "core"
}

variable "list" {
  type = list(string)
}

variable "token" { # ERROR: Sensitive variable in --var: The variable "token" is sensitive, and a list of processes shows what --var gives. Set DSH_VAR_token instead, or name a variable file with --var-file.
  sensitive = true
}

variable "pin" { # ERROR: Invalid input: The value of DSH_VAR_pin is not number.
  type      = number
  sensitive = true
}
