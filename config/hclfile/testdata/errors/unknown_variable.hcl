variable "team" {
  default = "core"
}

locals {
  a = var.taem # ERROR: Unknown variable: No variable "taem" is declared. Did you mean "team"?
  b = try(var.taem, "x") # ERROR: Unknown variable: No variable "taem" is declared. Did you mean "team"?
  c = local.aa # ERROR: Unknown local: No local "aa" is defined. Did you mean "a"?
}
