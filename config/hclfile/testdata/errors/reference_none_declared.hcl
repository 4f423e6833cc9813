model "chat" {
  provider = provider.x # ERROR: Reference to nothing: There is no provider "x". There are no providers.
  id       = "m"
}
