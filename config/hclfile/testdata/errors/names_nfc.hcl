# A name in NFD looks like another one.
provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

variable "café" { # ERROR: Invalid name: This name is not in Unicode NFC, so it is another name than one that looks the same. Write it as "café" in NFC.
  default = 1
}

locals {
  café = 1 # ERROR: Invalid name: This name is not in Unicode NFC
}

agent "a" {
  model = model.m

  prefix {
    text "café" { content = "a" }
    text "café" { content = "b" } # ERROR: Invalid name: This name is not in Unicode NFC
  }
}
