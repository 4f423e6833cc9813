# What a compaction block must not say, and what is nearest to it and right.
# ONE AT A TIME
provider "p" {
  protocol = "openai"
}
model "m" {
  provider          = provider.p
  id                = "m"
  context_window    = 10000
  max_output_tokens = 1000
}
model "small" {
  provider          = provider.p
  id                = "s"
  context_window    = 9000
  max_output_tokens = 1000
}
model "tiny" {
  provider       = provider.p
  id             = "t"
  context_window = 10
}
model "open" {
  provider = provider.p
  id       = "o"
}
agent "ratios" {
  model = model.m
  compaction {
    threshold_ratio      = 0.9 # ERROR: ^Invalid value: The argument "threshold_ratio" is 0\.9, 9000 tokens of .*leaves no room for an answer: model\.m's context window of 10000 without its max_output_tokens of 1000 is 9000\.
# RIGHT:     threshold_ratio      = 0.8999
    retain_ratio         = 0.8999 # ERROR: ^Invalid value: The argument "retain_ratio" is 0\.8999, 8999 tokens of model\.m's context window of 10000, which is not below the threshold of 8999 tokens
# RIGHT:     retain_ratio         = 0.8998
    min_gain             = 1 # ERROR: ^Invalid value: The argument "min_gain" is 1 and must be greater than 0 and less than 1
# RIGHT:     min_gain             = 0.999
    retries              = 0.5 # ERROR: ^Invalid value: The argument "retries" is a fraction
# RIGHT:     retries              = 0
    max_overflow_retries = -1 # ERROR: ^Invalid value: .*must be at least 0
# RIGHT:     max_overflow_retries = 0
    auto                 = 0 # ERROR: ^Invalid value: .*is a number, not true or false
# RIGHT:     auto                 = false
  }
}
agent "bounds" {
  model = model.m
  compaction {
    threshold_ratio = 0 # ERROR: ^Invalid value: .*is 0 and must be greater than 0
# RIGHT:     threshold_ratio = 0.1601
    retain_ratio    = -0.1 # ERROR: ^Invalid value: .*must be at least 0 and less than 1
# RIGHT:     retain_ratio    = 0
  }
}
agent "pair" {
  model = model.m
  compaction {
    threshold_tokens = 8000
    threshold_ratio  = 0.8 # ERROR(-1): ^Conflicting arguments: Only one of the arguments threshold_ratio or threshold_tokens
# RIGHT:     threshold_ratio  = null
    retain_ratio     = 0.1
    retain_tokens    = 10 # ERROR: ^Conflicting arguments: Only one of the arguments retain_ratio or retain_tokens
# RIGHT:
  }
}
agent "tokens" {
  model = model.m
  compaction {
    threshold_tokens = 2000
    retain_tokens    = 2000 # ERROR: ^Invalid value: The argument "retain_tokens" is 2000, which is not below the threshold of 2000 tokens \(threshold_tokens\)
# RIGHT:     retain_tokens    = 1999
  }
}
agent "below" {
  model = model.m
  compaction {
    threshold_tokens = 1600 # ERROR: ^Invalid value: The argument "threshold_tokens" is 1600, which is not above the 1600 tokens that are retained \(the default retain_ratio 0\.16
# RIGHT:     threshold_tokens = 1601
  }
}
agent "zero" {
  model = model.tiny
  compaction {
    threshold_ratio = 0.0999 # ERROR: ^Invalid value: The argument "threshold_ratio" is 0\.0999, 0 tokens of model\.tiny's context window of 10\. Every request has more\.
# RIGHT:     threshold_ratio = 0.1
    retain_ratio    = 0
  }
}
agent "whole" {
  model = model.tiny
  compaction {
    threshold_tokens = 10 # ERROR: ^Invalid value: The argument "threshold_tokens" is 10, which leaves no room for an answer in model\.tiny's context window of 10\.
# RIGHT:     threshold_tokens = 9
  }
}
agent "open" {
  model = model.open # WARNING: ^Unknown context window: It cannot be proved that requests of up to 9 tokens fit
# RIGHT:   model = model.tiny
  compaction {
    threshold_tokens = 100 # ERROR: ^Invalid value: .*leaves no room for an answer in model\.tiny's
# RIGHT:     threshold_tokens = 9
    retain_tokens    = 5
  }
}
agent "summary" {
  model = model.m
  compaction {
    threshold_tokens = 8000
    summary {
      model      = model.open
      max_tokens = 0 # ERROR: ^Invalid value: .*must be at least 1
# RIGHT:       max_tokens = 5000
      retries    = "1" # ERROR: ^Invalid value: .*is a text, not a whole number
# RIGHT:       retries    = 1
      prompt     = " " # ERROR: ^Invalid value: The argument "prompt" has nothing but white space
# RIGHT:       prompt     = "Sum up."
    }
  }
}
agent "other" {
  model = model.m
  compaction {
    threshold_tokens = 8000
    summary {
      model      = model.small
      max_tokens = 1001 # ERROR: ^Summary without room: A request for a summary has up to the threshold of 8000 tokens \(threshold_tokens\), and max_tokens of 1001 on top of that is more than model\.small's context window of 9000\.
# RIGHT:       max_tokens = 1000
    }
  }
}
agent "another" {
  model = model.m
  compaction {
    threshold_tokens = 8001
    summary {
      model = model.small # ERROR: ^Summary without room: .*and its max_output_tokens of 1000 on top of that
# RIGHT:       model = model.m
    }
  }
}
agent "last" {
  model = model.tiny
  compaction {
    threshold_tokens = 9
    summary {
      model      = model.tiny
      max_tokens = 2 # ERROR: ^Summary without room: .*threshold of 9 tokens \(threshold_tokens\), and max_tokens of 2 on top of that is more than model\.tiny's context window of 10\.
# RIGHT:       max_tokens = 1
    }
  }
}
agent "prune" {
  model = model.m
  compaction {
    prune {
      threshold_chars = 163 # ERROR: ^Invalid value: What is kept of a result has up to 164 characters \(head_chars 60, tail_chars 40, and 64 for the line between them\), which is more than threshold_chars of 163\.
# RIGHT:       threshold_chars = 164
      head_chars      = 60
      tail_chars      = 40
    }
  }
}
agent "policy" {
  model = model.m
  compaction {
    retain_tokens = 100
    policy "samll" { # ERROR: ^Reference to nothing: There is no model "samll"\. Did you mean "small"\?
# RIGHT:     policy "small" {
      retain_tokens    = 7000 # ERROR: ^Invalid value: The argument "retain_tokens" is 7000, which is not below the threshold of 7000 tokens \(threshold_tokens\)
# RIGHT:       retain_tokens    = 6999
      threshold_tokens = 7000
    }
    policy "tiny" {
      threshold_tokens = 9 # ERROR: ^Invalid value: The argument "threshold_tokens" is 9, which is not above the 100 tokens that are retained \(retain_tokens\)
# RIGHT:       threshold_tokens = 9
# RIGHT:       retain_tokens    = 8
    }
  }
}
