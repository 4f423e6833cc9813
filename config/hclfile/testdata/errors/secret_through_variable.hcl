# ENV: DSH_VAR_token=canary
variable "token" {
  type      = string
  sensitive = true
}

provider "p" {
  protocol = "openai"
}

model "chat" {
  provider = provider.p
  id       = "m-${var.token}" # ERROR: Sensitive value would be seen: A value from var.token reaches model.chat.id
}
