provider "p" { protocol = "openai" }

model "m" {
  provider          = provider.p
  id                = "m"
  context_window    = 10000
  max_output_tokens = 1000
}

model "small" {
  provider       = provider.p
  id             = "s"
  context_window = 4000
}

model "open" {
  provider = provider.p
  id       = "o"
}

agent "retain" {
  model = model.m
  compaction {
    retain_tokens = 9000 # ERROR: Invalid value: The argument "retain_tokens" is 9000, which is not below the threshold of 8000 tokens (the default threshold_ratio 0.8 of model.m's context window of 10000). Retain less, or compact from more tokens on.
  }
}

agent "ratios" {
  model = model.m
  compaction {
    threshold_ratio = 0.3
    retain_ratio    = 0.30000 # ERROR: Invalid value: The argument "retain_ratio" is 0.3, 3000 tokens of model.m's context window of 10000, which is not below the threshold of 3000 tokens (threshold_ratio 0.3 of model.m's context window of 10000).
  }
}

agent "default" {
  model = model.m
  compaction {
    threshold_tokens = 1600 # ERROR: Invalid value: The argument "threshold_tokens" is 1600, which is not above the 1600 tokens that are retained (the default retain_ratio 0.16 of model.m's context window of 10000).
  }
}

agent "output" {
  model = model.m
  compaction {
    threshold_tokens = 9000 # ERROR: Invalid value: The argument "threshold_tokens" is 9000, which leaves no room for an answer: model.m's context window of 10000 without its max_output_tokens of 1000 is 9000.
  }
}

agent "whole" {
  model = model.small
  compaction {
    threshold_ratio = 1 # ERROR: Invalid value: The argument "threshold_ratio" is 1, 4000 tokens of model.small's context window of 4000, which leaves no room for an answer in model.small's context window of 4000.
  }
}

agent "zero" {
  model = model.small
  compaction {
    threshold_ratio = 0.0002 # ERROR: Invalid value: The argument "threshold_ratio" is 0.0002, 0 tokens of model.small's context window of 4000. Every request has more.
  }
}

agent "both" {
  model = model.m
  compaction {
    threshold_ratio  = 0.5
    threshold_tokens = 5000 # ERROR: Conflicting arguments: Only one of the arguments threshold_ratio or threshold_tokens can be written.
    retain_tokens    = 100
    retain_ratio     = 0.1
    # ERROR(-2): Conflicting arguments: Only one of the arguments retain_ratio or retain_tokens can be written.
  }
}

agent "policies" {
  model = model.m
  compaction {
    threshold_tokens = 4500
    retain_tokens    = 100
    policy "small" { # ERROR: Invalid value: The argument "threshold_tokens" is 4500, which leaves no room for an answer in model.small's context window of 4000.
      retain_tokens = 200
    }
    policy "m" {
      retain_ratio = 0.45 # ERROR: Invalid value: The argument "retain_ratio" is 0.45, 4500 tokens of model.m's context window of 10000, which is not below the threshold of 4500 tokens (threshold_tokens).
    }
    policy "smal" { # ERROR: Reference to nothing: There is no model "smal". Did you mean "small"?
      retain_tokens = 200
    }
    policy "small" { # ERROR: Duplicate name: policy "small" is declared twice.
      retain_tokens = 300
    }
    policy "open" {
      retain_ratio = 0.1 # ERROR: Missing context window: retain_ratio is a share of the context window, and model.open has none. Add context_window to the model, or write retain_tokens.
    }
  }
}

agent "blank" {
  model = model.open
  compaction {} # ERROR(-1): Missing context window: threshold_ratio (by default 0.8) and retain_ratio (by default 0.16) are shares of the context window, and model.open has none. Add context_window to the model, or write threshold_tokens and retain_tokens.
}

agent "half" {
  model = model.open
  compaction {
    threshold_ratio = 0.1 # ERROR: Missing context window: threshold_ratio and retain_ratio (by default 0.16) are shares of the context window
    # ERROR(-2): Invalid value: The argument "retain_ratio" is 0.16, which is not below the threshold (threshold_ratio 0.1).
  }
}

agent "tokens" {
  model = model.open # WARNING: Unknown context window: It cannot be proved that requests of up to 1000 tokens fit, since model.open has no context_window. Add it to the model.
  compaction {
    threshold_tokens = 1000
    retain_tokens    = 1000 # ERROR: Invalid value: The argument "retain_tokens" is 1000, which is not below the threshold of 1000 tokens (threshold_tokens).
  }
}
