agent = "a" { # ERROR: Unknown argument: "agent" is a block. Remove the equals sign
}
