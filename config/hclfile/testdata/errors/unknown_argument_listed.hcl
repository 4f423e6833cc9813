dsh {
  colour = "red" # ERROR: Unknown argument: There is no argument "colour" in dsh. Its arguments are: required_version, disable_rules.
}
