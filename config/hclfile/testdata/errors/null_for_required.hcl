provider "p" {
  protocol = null # ERROR: Missing argument: The argument "protocol" is required here, and it is null.
}
