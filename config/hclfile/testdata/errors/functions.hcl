locals {
  a = uper("x") # ERROR: Unknown function: There is no function "uper". Did you mean "upper"?
  b = upper() # ERROR: Not enough function arguments
  c = upper("x", "y") # ERROR: Too many function arguments
  d = parseint("zz", 10) # ERROR: Invalid function argument
  e = jsondecode("{") # ERROR: Error in function call
  f = format("%99999d", 1) # ERROR: Invalid function argument: Invalid value for "format" parameter: a width or precision has at most four digits.
  g = upper(uper("x")) # ERROR: Unknown function: There is no function "uper". Did you mean "upper"?
}
