# Values of the wrong type, and out of their bounds.
provider "p" {
  protocol = "opanai" # ERROR: ^Invalid value: .*not one of openai, anthropic, script, replay\. Did you mean "openai"\?
# RIGHT:   protocol = "openai"
  dialect = "deepsek" # ERROR: ^Invalid value: .*Did you mean "deepseek"\?
# RIGHT:   dialect = "deepseek"
  base_url = "localhost:8080" # ERROR: ^Invalid value: .*which is no absolute address
# RIGHT:   base_url = "http://localhost:8080"
  timeout = "5 minutes" # ERROR: ^Invalid value: .*not a duration: write a text with units
# RIGHT:   timeout = "5m"
  idle_timeout = 30 # ERROR: ^Invalid value: .*is a number, not a duration
# RIGHT:   idle_timeout = "30s"
}
provider "zero" {
  protocol     = "openai"
  timeout      = "0s" # ERROR: ^Invalid value: .*must be greater than 0\.
# RIGHT:   timeout      = "1ms"
  idle_timeout = "99999999999h" # ERROR: ^Invalid value: .*out of range
# RIGHT:   idle_timeout = "9h"
}
provider "address" {
  protocol = "openai"
  base_url = "https://api.example.com/v1/chat/completions" # ERROR: ^Invalid value: .*the protocol adds /chat/completions itself
# RIGHT:   base_url = "https://api.example.com/v1"
}
provider "query" {
  protocol = "openai"
  base_url = "https://api.example.com/v1?team=core" # ERROR: ^Invalid value: .*holds a query or a fragment
# RIGHT:   base_url = "https://api.example.com/v1"
}
provider "scheme" {
  protocol = "openai"
  base_url = "ftp://api.example.com" # ERROR: ^Invalid value: .*neither by http nor by https
# RIGHT:   base_url = "https://api.example.com"
}
model "m" {
  provider       = provider.p
  id             = 4 # ERROR: ^Invalid value: The argument "id" is a number, not a text
# RIGHT:   id             = "4"
  context_window = "128000" # ERROR: ^Invalid value: .*is a text, not a whole number
# RIGHT:   context_window = 128000
  temperature    = 2.5 # ERROR: ^Invalid value: .*at least 0 and at most 2
# RIGHT:   temperature    = 2
  top_p          = 0 # ERROR: ^Invalid value: .*greater than 0 and at most 1
# RIGHT:   top_p          = 0.1
  stop           = "END" # ERROR: ^Invalid value: .*is a text, not a list of texts
# RIGHT:   stop           = ["END"]
}
model "n" {
  provider          = provider.p
  id                = "" # ERROR: ^Invalid value: The argument "id" is empty\.
# RIGHT:   id                = "n"
  context_window    = 0.5 # ERROR: ^Invalid value: .*is a fraction, not a whole number
# RIGHT:   context_window    = 5
  max_output_tokens = -1 # ERROR: ^Invalid value: .*must be at least 1
# RIGHT:   max_output_tokens = 1
  stop              = ["a", 1] # ERROR: ^Invalid value: The argument "stop" holds a number, not only texts
# RIGHT:   stop              = ["a", "1"]
}
model "window" {
  provider          = provider.p
  id                = "w"
  context_window    = 100
  max_output_tokens = 100 # ERROR: ^Invalid value: .*leaves no room for a request
# RIGHT:   max_output_tokens = 99
  stop              = [""] # ERROR: ^Invalid value: The argument "stop" holds an empty text\.
# RIGHT:   stop              = [" "]
}
model "price" {
  provider = provider.p
  id       = "p"
  price {
    input    = -1 # ERROR: ^Invalid value: .*at least 0
# RIGHT:     input    = 0
    output   = "2" # ERROR: ^Invalid value: .*is a text, not an amount
# RIGHT:     output   = 2
    currency = "euro" # ERROR: ^Invalid value: .*three capital letters
# RIGHT:     currency = "EUR"
    as_of    = "30.11.2026" # ERROR: ^Invalid value: .*YYYY-MM-DD
# RIGHT:     as_of    = "2026-11-30"
  }
}
agent "a" {
  model       = model.price
  description = ["x"] # ERROR: ^Invalid value: The argument "description" is a list, not a text
# RIGHT:   description = "x"
  log {
    chunks = "yes" # ERROR: ^Invalid value: .*is a text, not true or false
# RIGHT:     chunks = true
    title  = "first" # ERROR: ^Invalid value: .*not one of none, prompt
# RIGHT:     title  = "prompt"
  }
  limits {
    max_steps        = 0 # ERROR: ^Invalid value: .*is 0 and must be at least 1
# RIGHT:     max_steps        = 1
    max_input_tokens = 1.5 # ERROR: ^Invalid value: .*is a fraction
# RIGHT:     max_input_tokens = 2
    max_cost         = 0 # ERROR: ^Invalid value: .*must be greater than 0
# RIGHT:     max_cost         = 0.1
    turn_timeout     = "0s" # ERROR: ^Invalid value: .*must be greater than 0
# RIGHT:     turn_timeout     = "1s"
    tool_timeout     = "-1s" # ERROR: ^Invalid value: The argument "tool_timeout" is "-1s"
# RIGHT:     tool_timeout     = "1s"
  }
  prefix {
    on_resume = "again" # ERROR: ^Invalid value: .*not one of recompose, reuse
# RIGHT:     on_resume = "reuse"
    text "a" {
      content   = "x"
      role      = "system" # ERROR: ^Invalid value: .*not one of user, assistant
# RIGHT:       role      = "assistant"
      envelope  = "<rules>" # ERROR: ^Invalid value: .*which is no tag name
# RIGHT:       envelope  = "rules"
      when      = "true" # ERROR: ^Invalid value: .*is a text, not true or false
# RIGHT:       when      = true
      on_error  = "stop" # ERROR: ^Invalid value: .*not one of fail, skip
# RIGHT:       on_error  = "skip"
      on_change = "notify" # ERROR: ^Invalid value: .*Did you mean "notice"\?
# RIGHT:       on_change = "notice"
      max_bytes = "64" # ERROR: ^Invalid value: .*not a size: write a whole number of bytes
# RIGHT:       max_bytes = 64
      oversize  = "tial" # ERROR: ^Invalid value: .*Did you mean "tail"\?
# RIGHT:       oversize  = "tail"
      newlines  = "crlf" # ERROR: ^Invalid value: .*not one of lf, keep
# RIGHT:       newlines  = "lf"
    }
    text "b" {
      content   = "x"
      max_bytes = 0 # ERROR: ^Invalid value: .*must be at least 1
# RIGHT:       max_bytes = 1
    }
    template "c" {
      content = "x"
      vars    = "y" # ERROR: ^Invalid value: .*is a text, not an object
# RIGHT:       vars    = {}
    }
  }
}
hook "h" {
  on      = ["stop"] # ERROR: ^Invalid value: The argument "on" holds "stop", not one of
# RIGHT:   on      = ["Stop", "PreToolUse"]
  match   = "rm|(mv" # ERROR: ^Invalid value: .*which is no regular expression
# RIGHT:   match   = "rm|mv"
  command = "lint --fix" # ERROR: ^Invalid value: .*is a text, not a command: write a list
# RIGHT:   command = ["lint", "--fix"]
  timeout = 10 # ERROR: ^Invalid value: .*is a number, not a duration
# RIGHT:   timeout = "10s"
}
hook "twice" {
  on      = ["Stop", "Stop"] # ERROR: ^Invalid value: The argument "on" holds "Stop" twice\.
# RIGHT:   on      = "Stop"
  command = [] # ERROR: ^Invalid value: .*is an empty list
# RIGHT:   command = ["x"]
}
