# Names that lead nowhere, references, cycles and calls.
variable "team" {
  default = { name = "core" }
}
variable "constant" {
  default = var.team # ERROR: ^Unknown name: There are no names in a variable block; only constants and functions
# RIGHT:   default = "x"
}
variable "kind" {
  type    = strnig # ERROR: ^Unknown type: There is no type "strnig"\. Did you mean "string"\?
# RIGHT:   type    = string
  default = "x"
}
variable "quoted" {
  type    = "number" # ERROR: ^Unknown type: A type is written without quotes: number\.
# RIGHT:   type    = number
  default = 1
}
variable "number" {
  type    = number
  default = "1" # ERROR: ^Invalid value: The default of "number" is not number: it holds a text
# RIGHT:   default = 1
}
variable "list" {
  type    = list(string)
  default = ["x", 1] # ERROR: ^Invalid value: .*it holds a number where string is wanted
# RIGHT:   default = ["x", "1"]
}
variable "object" {
  type    = object({ name = string })
  default = { nmae = "x" } # ERROR: ^Invalid value: .*it has no attribute "nmae" in its type
# RIGHT:   default = { name = "x" }
}
variable "set" {
  nullable = false
  default  = null # ERROR: ^Invalid value: The default of "set" is null, and the variable is not nullable
# RIGHT:   default  = ""
}
variable "refused" {
  default = "" # ERROR: ^Invalid value: The value of "refused" is refused: Name it\.
# RIGHT:   default = "x"
  validation {
    condition     = var.refused != ""
    error_message = "Name it."
  }
}
variable "only" {
  default = 1
  validation {
    condition     = var.number > 0 # ERROR: ^Variable not available: A validation reads only the variable of its own block, var\.only\.
# RIGHT:     condition     = var.only > 0
    error_message = "Too small."
  }
}
variable "condition" {
  default = "x"
  validation {
    condition     = strlen(var.condition) # ERROR: ^Invalid value: The argument "condition" is a number, not true or false
# RIGHT:     condition     = strlen(var.condition) > 0
    error_message = "Too short."
  }
}
locals {
  a = vra.team # ERROR: ^Unknown name: There is no "vra"\. Did you mean "var"\?
# RIGHT:   a = var.team
  b = var.taem # ERROR: ^Unknown variable: No variable "taem" is declared\. Did you mean "team"\?
# RIGHT:   b = var.team
  c = local.ab # ERROR: ^Unknown local: No local "ab" is defined\. Did you mean "a"\?
# RIGHT:   c = local.a
  d = var.team.nmae # ERROR: ^Unknown attribute: There is no var\.team\.nmae\. Did you mean "name"\?
# RIGHT:   d = var.team.name
  e = path.hme # ERROR: ^Unknown attribute: There is no path\.hme\. Did you mean "home"\?
# RIGHT:   e = path.home
  f = workspace.brnch # ERROR: ^Unknown attribute: .*Did you mean "branch"\?
# RIGHT:   f = workspace.branch
  g = uper("x") # ERROR: ^Unknown function: There is no function "uper"\. Did you mean "upper"\?
# RIGHT:   g = upper("x")
  h = upper() # ERROR: ^Not enough function arguments
# RIGHT:   h = upper("x")
  i = upper("x", "y") # ERROR: ^Too many function arguments
# RIGHT:   i = upper("x")
  j = 1 + "x" # ERROR: ^Invalid operand
# RIGHT:   j = 1 + 1
  k = var # ERROR: ^Name missing: Write the name after var: var\.NAME\.
# RIGHT:   k = var.team
  l = local.l # ERROR: ^Cycle: A local cannot depend on itself: local\.l -> local\.l\.
# RIGHT:   l = local.k
  m = agent.name # ERROR: ^Unknown name: The names agent and model exist in contributors only\.
# RIGHT:   m = "agent"
  n = model.m # ERROR: ^Unknown name: The address of a model can only stand alone
# RIGHT:   n = "model"
  o = env.UNSET # ERROR: ^Environment variable not set: UNSET is not set
# RIGHT:   o = try(env.UNSET, "x")
  p = ["x"][1] # ERROR: ^Invalid index
# RIGHT:   p = ["x"][0]
  q = "a ${null}" # ERROR: ^Invalid template interpolation value
# RIGHT:   q = "a null"
  r = true ? 1 : [] # ERROR: ^Inconsistent conditional result types
# RIGHT:   r = true ? 1 : 0
  s = 1 / 0 # ERROR: division by zero
# RIGHT:   s = 1 / 1
  t = env # ERROR: ^Name missing: Write the name after env: env\.NAME\.
# RIGHT:   t = "env"
  v = { x = 1, x = 2 } # ERROR: ^Duplicate name: The name "x" is declared twice
# RIGHT:   v = { x = 1, y = 2 }
}
provider "p" {
  protocol = "openai"
}
model "m" {
  provider = provider.q # ERROR: ^Reference to nothing: There is no provider "q"\.
# RIGHT:   provider = provider.p
  id       = "m"
}
model "n" {
  provider = "provider.p" # ERROR: ^Reference required: .*A reference is written without quotes: provider\.p
# RIGHT:   provider = provider.p
  id       = "n"
}
model "o" {
  provider = p # ERROR: ^Reference required: .*Did you mean provider\.p\?
# RIGHT:   provider = provider.p
  id       = "o"
}
hook "h" {
  on      = "Stop"
  command = ["x"]
}
agent "a" {
  model = provider.p # ERROR: ^Reference required: The argument "model" names a declared model
# RIGHT:   model = model.m
  hooks = hook.h # ERROR: ^References required: .*Write \[hook\.h\]\.
# RIGHT:   hooks = [hook.h]
}
agent "b" {
  model = model.mm # ERROR: ^Reference to nothing: There is no model "mm"\. Did you mean "m"\?
# RIGHT:   model = model.m
  hooks = [hook.h, hook.h] # ERROR: ^Listed twice: The argument "hooks" lists hook\.h twice
# RIGHT:   hooks = [hook.h]
}
dsh {
  required_version = "one" # ERROR: ^Invalid value: .*is no version
# RIGHT:   required_version = ">= 1.0"
  disable_rules    = ["unused"] # ERROR: ^Unknown rule: There is no warning rule "unused"\.
# RIGHT:   disable_rules    = ["no-effect"]
}
