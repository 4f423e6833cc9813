provider "p" {
  protocol     = "openai"
  timeout      = "5 minutes" # ERROR: Invalid value: The argument "timeout" is "5 minutes", not a duration: write a text with units, such as "30s" or "1m30s"; the units are h, m, s and ms.
  idle_timeout = "0s" # ERROR: Invalid value: The argument "idle_timeout" is "0s" and must be greater than 0.
}

provider "r" {
  protocol     = "openai"
  timeout      = "99999999999h" # ERROR: Invalid value: The argument "timeout" is "99999999999h", which is out of range.
  idle_timeout = "-1.5h99999999999m30s" # ERROR: Invalid value: The argument "idle_timeout" is "-1.5h99999999999m30s", which is out of range.
}

provider "q" {
  protocol = "openai"
  timeout  = 30 # ERROR: Invalid value: The argument "timeout" is a number, not a duration: write a text with units, such as "30s" or "1m30s"; the units are h, m, s and ms.
}
