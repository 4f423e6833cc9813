provider "p" { protocol = "openai" }

model "m" {
  provider       = provider.p
  id             = "m"
  context_window = 10000
}

model "small" {
  provider          = provider.p
  id                = "s"
  context_window    = 9000
  max_output_tokens = 1001
}

agent "values" {
  model = model.m
  compaction {
    threshold_ratio      = 1.1     # ERROR: Invalid value: The argument "threshold_ratio" is 1.1 and must be greater than 0 and at most 1.
    retain_ratio         = 1       # ERROR: Invalid value: The argument "retain_ratio" is 1 and must be at least 0 and less than 1.
    auto                 = "false" # ERROR: Invalid value: The argument "auto" is a text, not true or false
    retries              = -1      # ERROR: Invalid value: The argument "retries" is -1 and must be at least 0.
    max_overflow_retries = 1.5     # ERROR: Invalid value: The argument "max_overflow_retries" is a fraction, not a whole number
    min_gain             = 0       # ERROR: Invalid value: The argument "min_gain" is 0 and must be greater than 0 and less than 1.
    treshold_tokens      = 1       # ERROR: Unknown argument: There is no argument "treshold_tokens" in compaction. Did you mean "threshold_tokens"?

    summary {
      model      = model.smal # ERROR: Reference to nothing: There is no model "smal". Did you mean "small"?
      max_tokens = 0          # ERROR: Invalid value: The argument "max_tokens" is 0 and must be at least 1.
      retries    = -1         # ERROR: Invalid value: The argument "retries" is -1 and must be at least 0.
      prompt     = ""         # ERROR: Invalid value: The argument "prompt" is empty.
    }
    summary {} # ERROR: Repeated block: There can be only one summary block here.
    prune {
      threshold_chars = 5000 # ERROR: Invalid value: What is kept of a result has up to 5184 characters (head_chars 4096, tail_chars 1024, and 64 for the line between them), which is more than threshold_chars of 5000. Keep less, or shorten only longer results.
    }
    policy {} # ERROR: Missing name: A policy block has a name: policy "MODEL" {
  }
  compaction {} # ERROR: Repeated block: There can be only one compaction block here.
}

agent "summary" {
  model = model.m
  compaction {
    summary {
      model  = model.small # ERROR: Summary without room: A request for a summary has up to the threshold of 8000 tokens (the default threshold_ratio 0.8 of model.m's context window of 10000), and its max_output_tokens of 1001 on top of that is more than model.small's context window of 9000.
      prompt = "  "        # ERROR: Invalid value: The argument "prompt" has nothing but white space.
    }
    prune {
      tail_chars = 4033 # ERROR: Invalid value: What is kept of a result has up to 8193 characters (head_chars 4096, tail_chars 4033, and 64 for the line between them), which is more than threshold_chars of 8192.
    }
  }
}

model "euro" {
  provider       = provider.p
  id             = "e"
  context_window = 10000
  price {
    input    = 1
    output   = 1
    currency = "EUR"
  }
}
model "dollar" {
  provider       = provider.p
  id             = "d"
  context_window = 10000
  price {
    input  = 1
    output = 1
  }
}
agent "currencies" {
  model = model.dollar
  compaction {
    summary {
      model = model.euro # ERROR: Two currencies: The price of model.euro is in EUR and that of model.dollar in USD, and what a session costs is counted in one currency.
    }
  }
}
agent "unpriced" {
  model = model.dollar
  limits { max_cost = 1 }
  compaction {
    summary {
      model = model.m # ERROR: Missing price: A session cannot be held to max_cost, since model.m, which writes its summaries, has no price.
    }
  }
}

agent "own" {
  model = model.m
  compaction {
    threshold_tokens = 9000
    summary {
      max_tokens = 1001 # ERROR: Summary without room: A request for a summary has up to the threshold of 9000 tokens (threshold_tokens), and max_tokens of 1001 on top of that is more than model.m's context window of 10000.
    }
    prune {
      head_chars = -1 # ERROR: Invalid value: The argument "head_chars" is -1 and must be at least 0.
    }
  }
}
