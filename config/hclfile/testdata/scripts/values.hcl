reply {
  text   = 1 # ERROR: Invalid value: The argument "text" is a number, not a text: write a text in quotes.
  finish = "tool_calls" # ERROR: Invalid value: The argument "finish" is "tool_calls", not one of stop, tool-calls, max-tokens. Did you mean "tool-calls"?
  delay  = "-1s" # ERROR: Invalid value: The argument "delay" is "-1s" and must be at least 0.
}

reply {
  usage {
    input        = 10
    cached_input = 11 # ERROR: Invalid value: The argument "cached_input" is 11 and cannot be more than "input", which is 10.
    output       = -1 # ERROR: Invalid value: The argument "output" is -1 and must be at least 0.
  }
}

reply {
  usage {
    input        = 10
    cached_input = 6
    cache_write  = 5 # ERROR: Invalid value: The arguments "cached_input" and "cache_write" are 11 together and cannot be more than "input", which is 10.
  }
}

reply {
  usage {
    input       = 10
    cache_write = 11 # ERROR: Invalid value: The argument "cache_write" is 11 and cannot be more than "input", which is 10.
  }
}

reply {
  error {
    retry_after = "0s" # ERROR: Invalid value: The argument "retry_after" is "0s" and must be greater than 0.
    status = 200 # ERROR: Invalid value: The argument "status" is 200 and must be at least 400 and at most 599.
  }
}
