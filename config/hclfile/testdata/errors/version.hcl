dsh {
  required_version = ">= 1.3" # ERROR: Version not allowed: This is dsh 1.2.3, and the configuration wants >= 1.3.
}
