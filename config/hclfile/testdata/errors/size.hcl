provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.chat
  prefix {
    text "a" {
      content   = "x"
      max_bytes = "64" # ERROR: Invalid value: The argument "max_bytes" is "64", not a size: write a whole number of bytes, or a text with a unit, such as "64KiB"; the units are B, kB, KiB, MB and MiB.
    }
    text "b" {
      content   = "x"
      max_bytes = "0KiB" # ERROR: Invalid value: The argument "max_bytes" is "0KiB" and must be at least 1.
    }
    text "d" {
      content   = "x"
      max_bytes = "99999999999 MiB" # ERROR: Invalid value: The argument "max_bytes" is "99999999999 MiB", which is out of range.
    }
    text "c" {
      content   = "x"
      max_bytes = 1.5 # ERROR: Invalid value: The argument "max_bytes" is a fraction, not a whole number.
    }
  }
}
