# ENV: TOKEN=canary
locals {
  greeting = "Hello ${lower(env.TOKEN)}"
}

provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = local.greeting # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches model.chat.id
}
