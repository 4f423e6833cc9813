provider "a" {
  protocol = "anthropic"
  dialect  = "openai" # ERROR: Conflicting arguments: Protocol "anthropic" has no dialects.
  cache { ttl = "2h" } # ERROR: Invalid value: The argument "ttl" is "2h", not one of 5m, 1h, none.
}

provider "o" {
  protocol = "openai"
  cache { ttl = "1h" } # ERROR: Block not allowed: Breakpoints of a cache belong to protocol "anthropic", and this provider's protocol is "openai", which caches by itself.
}

model "limitless" { # ERROR: Missing argument: A model of protocol "anthropic" needs max_output_tokens: the service takes no request without a limit of the answer.
  provider = provider.a
  id       = "m"
}

model "twice" {
  provider          = provider.a
  id                = "m"
  max_output_tokens = 4096
  thinking          = "adaptive"
  thinking_tokens   = 2048 # ERROR: Conflicting arguments: The arguments "thinking" and "thinking_tokens" are two ways to say the same: write one.
}

model "all" {
  provider          = provider.a
  id                = "m"
  max_output_tokens = 4096
  thinking_tokens   = 4096 # ERROR: Invalid value: The argument "thinking_tokens" is 4096, which leaves no room for an answer within max_output_tokens of 4096.
}

model "elsewhere" {
  provider        = provider.o
  id              = "m"
  thinking        = "adaptive" # ERROR: Argument not allowed: The argument "thinking" is for models of protocol "anthropic", and the protocol of provider "o" is "openai".
  thinking_tokens = 2048 # ERROR: Argument not allowed: The argument "thinking_tokens" is for models of protocol "anthropic", and the protocol of provider "o" is "openai".
}
