variable "team" {
  default = { name = "core", lead = { first = "Anna" } }
}

locals {
  a = var.team.nmae # ERROR: Unknown attribute: There is no var.team.nmae. Did you mean "name"?
  b = "${var.team.lead.frist}" # ERROR: Unknown attribute: There is no var.team.lead.frist. Did you mean "first"?
  c = path.confg # ERROR: Unknown attribute: There is no path.confg. Did you mean "config"?
  d = workspace.brnch # ERROR: Unknown attribute: There is no workspace.brnch. Did you mean "branch"?
  e = try(var.team.nmae, "fine")
}
