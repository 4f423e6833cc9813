dsh {
  required_version = ">= one" # ERROR: Invalid value: The argument "required_version" cannot be read: "one" is no version; write numbers with points, such as 1.2.0.
}
