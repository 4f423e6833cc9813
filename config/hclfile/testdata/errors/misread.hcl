provider "p" {
  protocol = "openai"
  timeout  = 30s # ERROR: Text without quotes: A duration is written in quotes: "30s".
  api_key  = sk canary # ERROR: Text without quotes: A text is written in quotes: api_key = "...".
}

model "m" {
  provider          = provider.p
  id                = "m"
  context_window    = 128k # ERROR: Invalid number: A number has digits and a point only: write 128000.
  max_output_tokens = 8_192 # ERROR: Invalid number: A number has digits and a point only: write 8192.
}

agent "a" {
  model = model.m
  prefix {
    text "a" { content = Be kind. } # ERROR: Text without quotes: A text is written in quotes: content = "...".
    text "b" {
      content   = Don't push. # ERROR: Text without quotes: A text is written in quotes: content = "...".
      max_bytes = 64KiB # ERROR: Text without quotes: A size with a unit is written in quotes: "64KiB".
      when      = var.a == 1 ? true : false
    }
    text "c" {
      content = <<-EOT
        content = Be kind.
        context_window = 128k
      EOT
    }
    template "d" {
      path = "d.tmpl"
      vars = {
        team = "core", lead = "Anna"
        size = 64 * 2
      }
    }
  }
}
