provider "p" { # ERROR: Missing argument: The argument "protocol" is required here.
}

model "chat" { # ERROR: Missing argument: The argument "id" is required here. The name by which the provider knows the model.
  provider = provider.p
}
