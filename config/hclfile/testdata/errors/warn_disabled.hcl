dsh {
  disable_rules = ["unused-declaration", "no-agent"]
}

locals {
  a = 1
}
