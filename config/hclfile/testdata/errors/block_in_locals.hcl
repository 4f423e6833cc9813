locals {
  teams { # ERROR: Unknown block: There are no blocks in locals; an object is written with an equals sign: teams = { ... }.
    core = 1
  }
}
