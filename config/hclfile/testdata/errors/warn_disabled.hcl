dsh {
  disable_rules = ["unused-declaration"]
}

locals {
  a = 1
}
