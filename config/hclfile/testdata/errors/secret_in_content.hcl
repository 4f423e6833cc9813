# ENV: TOKEN=canary
provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  description = upper(env.TOKEN) # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches agent.a.description
  model       = model.chat
  system {
    text "persona" {
      content = "Use ${env.TOKEN}." # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches agent.a.system.text.persona.content, which is sent to a model or recorded.
    }
  }
  prefix {
    file "f" {
      path = "/tmp/${env.TOKEN}" # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches agent.a.prefix.file.f.path
    }
    template "t" {
      content = "x"
      vars    = { a = [env.TOKEN] } # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches agent.a.prefix.template.t.vars
      # WARNING(-1): Never used: The template does not read vars.a.
    }
  }
}
