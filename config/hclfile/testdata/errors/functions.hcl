locals {
  a = uper("x") # ERROR: Unknown function: There is no function "uper". Did you mean "upper"?
  b = upper() # ERROR: Not enough function arguments
  c = upper("x", "y") # ERROR: Too many function arguments
  d = parseint("zz", 10) # ERROR: Invalid function argument
  e = jsondecode("{") # ERROR: Error in function call: The text cannot be read as JSON.
  h = len("x") # ERROR: Unknown function: There is no function "len". The number of elements is length(list), that of characters strlen(text).
  i = templatefile("x", {}) # ERROR: Unknown function: There is no function "templatefile". Use a template contributor, with path and vars.
  j = log(-1, 10) # ERROR: Error in function call: The function has no result for these arguments.
  k = strip(" x") # ERROR: Unknown function: There is no function "strip". White space is taken off by trimspace(text).
  f = format("%99999d", 1) # ERROR: Invalid function argument: Invalid value for "format" parameter: a width or precision has at most four digits.
  g = upper(uper("x")) # ERROR: Unknown function: There is no function "uper". Did you mean "upper"?
}
