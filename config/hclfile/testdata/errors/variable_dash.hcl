variable "my-var" {} # ERROR: Variable without value: The variable "my-var" has no default. Give it a value with --var my-var=VALUE or in a variable file, with --var-file; no shell can export a name with a dash.

var "x" {} # ERROR: Unknown block: There is no block "var" in a configuration file, outside of blocks. Did you mean "variable"?

locals {
  x = var.my-var
}
