agent "a" { # ERROR: Missing argument: The argument "model" is required here.
}
