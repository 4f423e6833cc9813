# ENV: TOKEN=canary
provider "p" {
  protocol = "openai"
  base_url = "https://${env.TOKEN}.example.com" # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches provider.p.base_url
  timeout  = env.TOKEN # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches provider.p.timeout
}

model "chat" {
  provider = provider.p
  id       = env["TOKEN"] # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches model.chat.id
  stop     = [env.TOKEN] # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches model.chat.stop
}
