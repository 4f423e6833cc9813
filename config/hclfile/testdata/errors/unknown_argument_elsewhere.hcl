provider "p" {
  protocol    = "openai"
  temperature = 1 # ERROR: Unknown argument: There is no argument "temperature" in provider. It is an argument of model.
}
