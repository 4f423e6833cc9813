provider "p" {
  protocol = "openai"
  retry {
    attempts  = 0 # ERROR: Invalid value: The argument "attempts" is 0 and must be
    min_delay = "2m" # ERROR: Invalid value: The argument "max_delay" is 1m0s and "min_delay" is 2m0s, which is longer.
  }
}

provider "q" {
  protocol = "openai"
  retry {
    min_delay = "10s"
    max_delay = "5s" # ERROR: Invalid value: The argument "max_delay" is 5s and "min_delay" is 10s, which is longer.
  }
}
