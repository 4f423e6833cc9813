cache {
  rules   = "deepsek" # ERROR: Invalid value: The argument "rules" is "deepsek", not one of deepseek, openai, anthropic, none. Did you mean "deepseek"?
  unit    = 0 # ERROR: Invalid value: The argument "unit" is 0 and must be at least 1.
  minimum = "1" # ERROR: Invalid value: The argument "minimum" is a text, not a whole number: write a whole number without quotes, such as 4096.
  ttl     = "0s" # ERROR: Invalid value: The argument "ttl" is "0s" and must be greater than 0.
}

cache { # ERROR: Repeated block: There can be only one cache block here.
}

reply {
}
