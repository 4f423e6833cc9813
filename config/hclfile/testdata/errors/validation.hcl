# ENV: DSH_VAR_pin=canary
# VAR: size=12
variable "team" {
  default = "" # ERROR: Invalid value: The value of "team" is refused: Name a team of at least 2 letters.

  validation {
    condition     = strlen(var.team) < 40
    error_message = "A name has at most 40 letters."
  }

  validation {
    condition     = strlen(var.team) > 1
    error_message = "Name a team of at least ${1 + 1} letters"
  }
}

variable "size" { # ERROR: Invalid value: The value of "size" is refused: 12 is too much.
  type = number

  validation {
    condition     = var.size < 10
    error_message = "${var.size} is too much."
  }
}

variable "pin" { # ERROR: Invalid value: The value of "pin" is refused: A pin has four digits.
  sensitive = true

  validation {
    condition     = strlen(var.pin) == 4
    error_message = "A pin has four digits."
  }

  validation {
    condition     = var.pin == "1234"
    error_message = "Not ${var.pin}." # ERROR: Sensitive value would be seen: A value from var.pin reaches variable.pin.validation.error_message
  }

  validation {
    condition     = parseint(var.pin, 10) > 0 # ERROR: Invalid function argument: The details are withheld, because the variable is sensitive.
    error_message = "A pin is a number."
  }
}

variable "other" {
  default = "x"

  validation {
    condition     = var.other != var.team # ERROR: Variable not available: A validation reads only the variable of its own block, var.other.
    error_message = "Take another one."
  }

  validation {
    condition     = "yes" # ERROR: Invalid value: The argument "condition" is a text, not true or false
    error_message = "Take another one."
  }

  validation { # ERROR: Missing argument: The argument "condition" is required here.
    error_message = "" # ERROR: Invalid value: The argument "error_message" is empty.
  }

  validation { # ERROR: Missing argument: The argument "error_message" is required here.
    condition = false
  }

  validation {
    condition     = local.x # ERROR: Unknown name: There is no "local" in a validation block. There are these names: var.
    error_message = "Take another one."
    message       = "x" # ERROR: Unknown argument: There is no argument "message" in validation.
  }
}

locals {
  all = "${var.team}${var.size}${var.other}"
}
