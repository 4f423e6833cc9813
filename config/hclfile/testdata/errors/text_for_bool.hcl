variable "v" {
  default   = 1
  sensitive = "yes" # ERROR: Invalid value: The argument "sensitive" is a text, not true or false: write true or false, without quotes.
}
