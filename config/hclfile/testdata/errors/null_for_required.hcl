provider "p" {
  protocol = null # ERROR: Missing argument: The argument "protocol" is required here and must not be null.
}
