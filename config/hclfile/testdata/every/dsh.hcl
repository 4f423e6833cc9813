# Every block and every attribute of the language, each written at least once.

dsh {
  required_version = ">= 1.0"
  disable_rules    = ["literal-secret", "volatile-contributor"]
}

variable "team" {
  type        = list(string)
  default     = ["core"]
  description = "Whose rules apply."
  sensitive   = false
  nullable    = false

  validation {
    condition     = length(var.team) > 0
    error_message = "Name a team."
  }

  validation {
    condition     = length(var.team) < 9
    error_message = "Name ${8} teams."
  }
}

variable "key" {
  default   = "canary"
  sensitive = true

  validation {
    condition     = strlen(var.key) > 3
    error_message = "The key is too short."
  }
}

locals {
  greeting = "Hello ${var.team[0]}.\nBye."
  token    = { A = "Bearer ${var.key}" }
}

provider "service" {
  protocol     = "openai"
  dialect      = "deepseek"
  base_url     = "https://api.example.com/v1"
  api_key      = env.KEY
  headers      = { "X-Token" = local.token.A, "X-Team" = "core" }
  timeout      = "1m"
  idle_timeout = "30s"

  retry {
    attempts  = 5
    min_delay = "2s"
    max_delay = "40s"
  }
}

provider "default" {
  protocol = "openai"
  dialect  = "deepseek"
}

provider "messages" {
  protocol = "anthropic"
  base_url = "https://messages.example.com"

  api_key_file = "secret.key"
  ca_file      = "ca.pem"

  cache { ttl = "1h" }
}

provider "asking" {
  protocol        = "openai"
  api_key_command = ["pass", "show", "key"]
}

model "asked" {
  provider = provider.asking
  id       = "asked"
}

agent "asks" { model = model.asked }

model "thinker" {
  provider          = provider.messages
  id                = "thinker"
  max_output_tokens = 8192
  thinking          = "adaptive"
}

model "budgeted" {
  provider          = provider.messages
  id                = "budgeted"
  max_output_tokens = 8192
  thinking_tokens   = 4096
}

provider "offline" {
  protocol = "script"
  script   = "model.hcl"
}

provider "recorded" {
  protocol = "replay"
  log      = "primer.jsonl"
}

model "again" {
  provider = provider.recorded
  id       = "again"
}

agent "again" {
  model = model.again
}

model "chat" {
  provider          = provider.service
  id                = "chat"
  context_window    = 131072
  max_output_tokens = 8192
  tokenizer         = "cl100k"
  temperature       = 0.2
  top_p             = 0.9
  stop              = ["END"]

  price {
    input        = 0.27
    cached_input = 0.07
    cache_write  = 0.3
    output       = 1.10
    currency     = "EUR"
    as_of        = "2026-11-30"
  }
}

model "cheap" {
  provider = provider.default
  id       = "cheap"

  price {
    input  = 0.1
    output = 0.2
  }
}

model "large" {
  provider       = provider.default
  id             = "large"
  context_window = 200000

  price {
    input    = 0.1
    output   = 0.2
    currency = "EUR"
  }
}

model "small" {
  provider = provider.offline
  id       = "small"
  stop     = null
}

hook "guard" {
  on      = ["PreToolUse"]
  match   = "bash"
  command = ["guard", "--strict"]
  timeout = "10s"
  env     = { POLICY_TOKEN = env.KEY }
}

tool "lint" {
  description = "Lints."
  command     = ["lint"]
  input       = { type = "object" }
  timeout     = "10s"
  max_output  = "1KiB"
  env         = { TOKEN = env.KEY }
}

prefix "rules" {
  text "a" {
    content   = "a"
    newlines  = "keep"
    role      = "assistant"
    envelope  = "e"
    when      = true
    on_error  = "skip"
    on_change = "notice"
    max_bytes = 1024
    oversize  = "tail"
  }
  file "b" {
    path      = "b.md"
    optional  = true
    newlines  = "lf"
    role      = "assistant"
    envelope  = "e"
    when      = true
    on_error  = "skip"
    on_change = "notice"
    max_bytes = 1024
    oversize  = "tail"
  }
  template "c" {
    content   = "${agent.name}"
    vars      = {}
    role      = "assistant"
    envelope  = "e"
    when      = true
    on_error  = "skip"
    on_change = "notice"
    max_bytes = 1024
    oversize  = "tail"
  }
  template "d" {
    path = "d.tmpl"
  }
  files "e" {
    include        = ["docs/*.md"]
    exclude        = ["docs/x.md"]
    path           = "."
    split          = true
    optional       = true
    newlines       = "lf"
    max_file_bytes = 512
    role           = "assistant"
    envelope       = "e"
    when           = true
    on_error       = "skip"
    on_change      = "notice"
    max_bytes      = 1024
    oversize       = "tail"
  }
  instructions "f" {
    names          = ["AGENTS.md"]
    required       = false
    newlines       = "lf"
    max_file_bytes = 512
    role           = "assistant"
    envelope       = "e"
    when           = true
    on_error       = "skip"
    on_change      = "notice"
    max_bytes      = 1024
    oversize       = "tail"
  }
  command "g" {
    command   = ["go", "version"]
    timeout   = "5s"
    env       = { TOKEN = env.KEY }
    newlines  = "lf"
    role      = "assistant"
    envelope  = "e"
    when      = true
    on_error  = "skip"
    on_change = "notice"
    max_bytes = 1024
    oversize  = "tail"
  }
  skills "h" {
    path      = "skills"
    optional  = true
    role      = "assistant"
    envelope  = "e"
    when      = true
    on_error  = "skip"
    on_change = "notice"
    max_bytes = 1024
    oversize  = "tail"
  }
  messages "i" {
    newlines  = "keep"
    envelope  = "e"
    when      = true
    on_error  = "skip"
    on_change = "notice"
    max_bytes = 1024
    oversize  = "tail"

    message {
      role    = "user"
      content = "Is it?"
    }
  }
  messages "j" {
    path = "primer.jsonl"
  }
  include {
    prefix = prefix.more
  }
}

prefix "more" {
  text "x" {
    content = "x"
  }
}

prefix "rest" {
  text "y" {
    content = "y"
  }
}

agent "grouped" {
  model = model.small

  prefix {
    include {
      prefix = prefix.rules
    }
  }
}

agent "whole" {
  description = "Everything."
  model       = model.chat
  tools       = [builtin.read, tool.lint]
  hooks       = [hook.guard]

  permissions {
    allow = ["lint"]
    ask   = ["read(a/*)"]
    deny  = ["read(b/**)"]
  }

  system {
    text "a" {
      content   = local.greeting
      newlines  = "keep"
      envelope  = "a"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = "64KiB"
      oversize  = "tail"
    }
    file "b" {
      path      = "b.md"
      optional  = true
      newlines  = "lf"
      envelope  = "b"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    template "c" {
      content   = "$${${vars.x}}"
      vars      = { x = 1 }
      envelope  = "c"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    template "d" {
      path = "d.tmpl"
    }
    files "e" {
      include        = ["docs/*.md"]
      exclude        = ["docs/x.md"]
      path           = "."
      split          = true
      optional       = true
      newlines       = "lf"
      max_file_bytes = 512
      envelope       = "e"
      when           = true
      on_error       = "skip"
      on_change      = "notice"
      max_bytes      = 1024
      oversize       = "tail"
    }
    instructions "f" {
      names          = ["AGENTS.md"]
      required       = false
      newlines       = "lf"
      max_file_bytes = 512
      envelope       = "e"
      when           = true
      on_error       = "skip"
      on_change      = "notice"
      max_bytes      = 1024
      oversize       = "tail"
    }
    command "g" {
      command   = ["go", "version"]
      timeout   = "5s"
      env       = { TOKEN = env.KEY }
      newlines  = "lf"
      envelope  = "e"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    skills "h" {
      path      = "skills"
      optional  = true
      envelope  = "e"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    include {
      prefix = prefix.rest
    }
  }

  prefix {
    max_tokens = 4000
    on_resume  = "reuse"
    on_fork    = "reuse"

    text "a" {
      content   = "a"
      newlines  = "keep"
      role      = "assistant"
      envelope  = "a"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    file "b" {
      path      = "b.md"
      optional  = true
      newlines  = "lf"
      role      = "assistant"
      envelope  = "b"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    template "c" {
      content   = "${agent.name}"
      vars      = {}
      role      = "assistant"
      envelope  = "c"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    template "d" {
      path = "d.tmpl"
    }
    files "e" {
      include        = ["docs/*.md"]
      exclude        = ["docs/x.md"]
      path           = "."
      split          = true
      optional       = true
      newlines       = "lf"
      max_file_bytes = 512
      role           = "assistant"
      envelope       = "e"
      when           = true
      on_error       = "skip"
      on_change      = "notice"
      max_bytes      = 1024
      oversize       = "tail"
    }
    instructions "f" {
      names          = ["AGENTS.md"]
      required       = false
      newlines       = "lf"
      max_file_bytes = 512
      role           = "assistant"
      envelope       = "e"
      when           = true
      on_error       = "skip"
      on_change      = "notice"
      max_bytes      = 1024
      oversize       = "tail"
    }
    command "g" {
      command   = ["go", "version"]
      timeout   = "5s"
      env       = { TOKEN = env.KEY }
      newlines  = "lf"
      role      = "assistant"
      envelope  = "e"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    skills "h" {
      path      = "skills"
      optional  = true
      role      = "assistant"
      envelope  = "e"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"
    }
    messages "i" {
      newlines  = "keep"
      envelope  = "e"
      when      = true
      on_error  = "skip"
      on_change = "notice"
      max_bytes = 1024
      oversize  = "tail"

      message {
        role    = "user"
        content = "Is it?"
      }
    }
    messages "j" {
      path = "primer.jsonl"
    }
    include {
      prefix = prefix.rest
    }
  }

  references {
    max_references      = 2
    max_reference_bytes = "32KiB"
    max_total_bytes     = "48KiB"
    candidate_limit     = 20
    allow               = ["/work/**"]
    deny                = ["/work/secret/**"]
  }

  compaction {
    threshold_ratio      = 0.7
    retain_ratio         = 0.1
    auto                 = false
    retries              = 2
    max_overflow_retries = 3
    min_gain             = 0.2

    summary {
      model      = model.large
      max_tokens = 4096
      retries    = 2
      prompt     = "Sum up for ${local.greeting}"
    }
    prune {
      threshold_chars = 4096
      head_chars      = 2048
      tail_chars      = 512
    }
    policy "large" {
      threshold_ratio = 0.5
      retain_ratio    = 0.05
    }
    policy "chat" {
      threshold_tokens = 3000
      retain_tokens    = 300
    }
  }

  log {
    chunks = true
    title  = "prompt"
  }

  limits {
    max_steps        = 12
    max_input_tokens = 500000
    max_cost         = 1.50
    turn_timeout     = "10m"
    tool_timeout     = "2m"
  }
}

agent "short" {
  model = model.large

  compaction {
    threshold_tokens = 8000
    retain_tokens    = 1000
  }
}

agent "default" {
  model = model.large

  compaction {}
}

agent "plain" {
  model = model.small
}

agent "cheap" {
  model = model.cheap
}

agent "thinks" { model = model.thinker }

agent "budgets" { model = model.budgeted }
