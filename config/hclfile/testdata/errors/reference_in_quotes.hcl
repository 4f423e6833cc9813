provider "deepseek" {
  protocol = "openai"
}

model "chat" {
  provider = "deepseek" # ERROR: Reference required: The argument "provider" names a declared provider: provider.NAME. A reference is written without quotes: provider.deepseek.
  id       = "m"
}

model "big" {
  provider = "provider.deepseek" # ERROR: Reference required: The argument "provider" names a declared provider: provider.NAME. A reference is written without quotes: provider.deepseek.
  id       = "m"
}

model "wrapped" {
  provider = "${provider.deepseek}" # ERROR: Reference required: The argument "provider" names a declared provider: provider.NAME. A reference is written without quotes: provider.deepseek.
  id       = "m"
}

agent "a" {
  model = "model.big" # ERROR: Reference required: The argument "model" names a declared model: model.NAME. A reference is written without quotes: model.big.
}

agent "b" {
  model = "gpt 4 turbo" # ERROR: Reference required: The argument "model" names a declared model: model.NAME. There are these models: chat, big, wrapped.
}
