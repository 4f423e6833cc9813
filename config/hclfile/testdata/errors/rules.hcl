dsh {
  disable_rules = ["unused-declaration", "unused-declarations"] # ERROR: Unknown rule: There is no warning rule "unused-declarations". Did you mean "unused-declaration"?
}
