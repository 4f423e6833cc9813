# ENV: TOKEN=canary
provider "p" {
  protocol = "openai"
}

model "a" {
  provider = provider.p
  id       = env.TOKEN == "x" ? "x" : "y" # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches model.a.id
}

model "b" {
  provider = provider.p
  id       = can(regex("^can", env.TOKEN)) ? "x" : "y" # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches model.b.id
}

model "c" {
  provider = provider.p
  id       = try(tonumber(env.TOKEN), "y") # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches model.c.id
}

model "e" {
  provider = provider.p
  id       = can(tonumber(env.TOKEN)) ? "x" : "y" # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches model.e.id
}

model "d" {
  provider = provider.p
  id       = join(",", [for c in split("", env.TOKEN) : c]) # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches model.d.id
}
