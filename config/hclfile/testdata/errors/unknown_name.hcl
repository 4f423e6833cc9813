locals {
  a = vra.team # ERROR: Unknown name: There is no "vra". Did you mean "var"?
  b = agent.name # ERROR: Unknown name: The names agent and model exist in contributors only.
  c = model.chat # ERROR: Unknown name: The address of a model can only stand alone, as the value of an argument that asks for one.
}
