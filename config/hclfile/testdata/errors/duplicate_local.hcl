locals {
  a = 1
}

locals {
  a = 2 # ERROR: Duplicate name: The local "a" is declared twice.
}
