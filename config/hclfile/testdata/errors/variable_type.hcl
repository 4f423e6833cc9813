variable "a" {
  type    = number
  default = "12" # ERROR: Invalid value: The default of "a" is not number: it holds a text where number is wanted.
}

variable "b" {
  type    = list(string)
  default = ["x", 1] # ERROR: Invalid value: The default of "b" is not list(string): it holds a number where string is wanted.
}

variable "c" {
  type = strnig # ERROR: Unknown type: There is no type "strnig". Did you mean "string"? There are these types: string, number, bool, any, list(TYPE), set(TYPE), map(TYPE), object({ NAME = TYPE }), tuple([TYPE]).
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

variable "h" {
  type = text # ERROR: Unknown type: There is no type "text". Did you mean "string"? There are these types: string,
}

variable "i" {
  type = list(boolean) # ERROR: Unknown type: There is no type "boolean". Did you mean "bool"?
}

variable "j" {
  type = array(string) # ERROR: Unknown type: There is no type "array". Did you mean "list"?
}

variable "k" {
  type = "number" # ERROR: Unknown type: A type is written without quotes: number.
}

variable "l" {
  type = list # ERROR: Invalid type specification: The list type constructor requires one argument specifying the element type.
}

variable "m" {
  type = "a text" # ERROR: Invalid type specification: A type specification is either
}

variable "n" {
  type = uuid # ERROR: Unknown type: There is no type "uuid". There are these types: string,
}
