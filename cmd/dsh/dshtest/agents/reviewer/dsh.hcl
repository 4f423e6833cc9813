provider "service" {
  protocol = "openai"
  base_url = "https://service.invalid/v1"
}
model "m" {
  provider = provider.service
  id       = "m"
}
hook "clock" {
  on      = "UserPromptSubmit"
  command = ["echo", "It is noon."]
}
agent "reviewer" {
  model = model.m
  hooks = [hook.clock]
  prefix {
    text "rules" { content = "Never push." }
  }
}
