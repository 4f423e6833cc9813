locals {
  a = 1 + "x" # ERROR: Invalid operand: Unsuitable value for right operand: a number is required.
  b = "${workspace.branch}!" # ERROR: Invalid template interpolation value: The expression result is null.
  c = [1][2] # ERROR: Invalid index
  d = true ? "a" : ["b"] # ERROR: Inconsistent conditional result types
  e = null.x # ERROR: Attempt to get attribute from null value
}
