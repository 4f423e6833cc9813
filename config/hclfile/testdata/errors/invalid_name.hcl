variable "my team" { # ERROR: Invalid name: A name begins with a letter
  default = 1
}
