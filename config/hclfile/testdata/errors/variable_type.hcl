variable "a" {
  type    = number
  default = "12" # ERROR: Invalid value: The default of "a" is not number: it holds a text where number is wanted.
}

variable "b" {
  type    = list(string)
  default = ["x", 1] # ERROR: Invalid value: The default of "b" is not list(string): it holds a number where string is wanted.
}

variable "c" {
  type = strnig # ERROR: Invalid type specification
}

variable "d" {
  type    = object({ name = string })
  default = { name = "x", nmae = "y" } # ERROR: Invalid value: The default of "d" is not object({name=string}): it has no attribute "nmae" in its type.
}

variable "e" {
  type    = string
  default = var.a # ERROR: Unknown name: There are no names in a variable block; only constants and functions.
}

variable "f" {
  default  = null # ERROR: Invalid value: The default of "f" is null, and the variable is not nullable.
  nullable = false
}

variable "g" {
  type      = number
  default   = "canary" # ERROR: Invalid value: The default of "g" is not number: it has another type.
  sensitive = true
}
