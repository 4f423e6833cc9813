reply {
  text = "a" b # ERROR: Missing newline after argument
}
