provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

prefix "rules" {
  text "a" {
    content = "a"
    role    = "system" # ERROR: Invalid value: The argument "role" is "system", not one of user, assistant.
  }
  text "a" { content = "b" } # ERROR: Duplicate name: text "a" is declared twice.
}

prefix "outer" {
  include { prefix = prefix.rules }
  include { prefix = prefix.ruels } # ERROR: Reference to nothing: There is no prefix "ruels". Did you mean "rules"?
}

prefix "itself" {
  include { prefix = prefix.itself } # ERROR: Cycle: A group cannot include itself: prefix.itself -> prefix.itself.
}

prefix "one" {
  include { prefix = prefix.two } # ERROR: Cycle: A group cannot include itself: prefix.one -> prefix.two -> prefix.three -> prefix.one.
}

prefix "two" {
  include { prefix = prefix.three }
}

prefix "three" {
  text "t" { contents = "x" } # ERROR: Unknown argument: There is no argument "contents" in text. Did you mean "content"?
  include { prefix = prefix.one }
}

prefix "system" { # ERROR: Invalid name: The name system is taken: system.KIND.NAME is the address of a contributor in system. Give the group another name.
  text "t" { content = agent.nam } # ERROR: Unknown attribute: There is no agent.nam. Did you mean "name"?
}

prefix "rules" {} # ERROR: Duplicate name: prefix "rules" is declared twice.

prefix "loose" {
  on_resume = "reuse" # ERROR: Unknown argument: There is no argument "on_resume" in prefix. It stands in the prefix block of an agent.
  text "t" { content = upper(var.nothing) } # ERROR: Unknown variable: No variable "nothing" is declared.
}

agent "a" {
  model = model.m

  system {
    include { prefix = prefix.rules }
    include "more" { prefix = prefix.rules } # ERROR: Unexpected name: An include block has no name: include {
  }
  prefix {
    include { prefix = prefix.outer }
    include { prefix = prefix.rules } # ERROR: Included twice: The group prefix.rules is included here twice, so that its contributors would have the same addresses. Remove one of the two.
    include { prefix = prefix.system }
    include { prefix = prefix.one }
    include { prefix = "rules" } # ERROR: Reference required: The argument "prefix" names a declared prefix: prefix.NAME. A reference is written without quotes: prefix.rules.
    include {} # ERROR: Missing argument: The argument "prefix" is required here. The group.
    include = prefix.rules # ERROR: Unknown argument: "include" is a block. Remove the equals sign: include { ... }.
    text "t" { content = prefix.rules } # ERROR: Unknown name: The address of a prefix can only stand alone, as the value of an argument that asks for one.
  }
}
