locals {
  a = 1
}
} # ERROR: Unexpected brace: This } closes nothing: there is one } more than there are {.
