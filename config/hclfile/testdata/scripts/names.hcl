reply {
  text = var.x # ERROR: Unknown name: There are no names in a script; only constants and functions.
  tool "t" {
    a = file("x") # ERROR: Function not available: There is no function file in a script.
    b = uper("x") # ERROR: Unknown function: There is no function "uper". Did you mean "upper"?
    c = sensitive("x") # ERROR: Sensitive value would be seen
    d { # ERROR: Unknown block: There are no blocks in tool; an object is written with an equals sign: d = { ... }.
    }
  }
}
