provider "p" { protocol = "openai" }

model "m" {
  provider       = provider.p
  id             = "m"
  context_window = 10000
}

model "open" {
  provider = provider.p
  id       = "o"
}

provider "q" { protocol = "openai" }

model "summaries" { # of a model and a provider that nothing else names
  provider       = provider.q
  id             = "x"
  context_window = 10000
}

model "other" {
  provider       = provider.p
  id             = "y"
  context_window = 10000
}

agent "a" {
  model = model.open # WARNING: Unknown context window: It cannot be proved that requests of up to 5000 tokens fit, since model.open has no context_window.
  compaction {
    threshold_tokens = 5000
    retain_tokens    = 100
    policy "m" {} # WARNING: Block without effect: The policy says nothing of the threshold or of what is retained, so it changes nothing.
  }
}

agent "sharing" {
  model = model.m
  compaction {
    threshold_ratio  = null
    threshold_tokens = 5000
    summary { model = model.summaries }
    policy "other" { retain_tokens = 20 }
    policy "open" { # WARNING: Unknown context window: It cannot be proved that requests of up to 5000 tokens fit, since model.open has no context_window.
      retain_tokens = 10
    }
  }
}
