provider "chat" {
  protocol = "openai"
}

model "chat" {
  provider = model.chat # ERROR: Reference required: The argument "provider" names a declared provider: provider.NAME. Did you mean provider.chat?
  id       = "m"
}
