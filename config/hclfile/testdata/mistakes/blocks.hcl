# Blocks, arguments and names that do not belong where they stand.
description = "x" # ERROR: ^Unknown argument: There is no argument "description" in a configuration file, outside of blocks
# RIGHT:
agnet "a" { # ERROR: ^Unknown block: .*Did you mean "agent"\?
# RIGHT: agent "unused" {
  model = model.m
}
limits { # ERROR: ^Unknown block: .*It belongs into agent\.
# RIGHT: locals {
}
provider "p" {
  protocol = "openai"
  timout   = "1m" # ERROR: ^Unknown argument: .*Did you mean "timeout"\?
# RIGHT:   timeout  = "1m"
  temperature = 0.2 # ERROR: ^Unknown argument: .*It is an argument of model\.
# RIGHT:
}
provider { # ERROR: ^Missing name: A provider block has a name: provider "NAME" \{$
# RIGHT: provider "q" {
  protocol = "openai"
}
provider "r" "s" { # ERROR: ^Unexpected name: A provider block has only one name
# RIGHT: provider "r" {
  protocol = "openai"
}
provider "1st" { # ERROR: ^Invalid name: A name begins with a letter
# RIGHT: provider "first" {
  protocol = "openai"
}
locals "x" { # ERROR: ^Unexpected name: A locals block has no name
# RIGHT: locals {
}
provider "p2" {
  protocol = "openai"
}
provider "p2" { # ERROR: ^Duplicate name: provider "p2" is declared twice
# RIGHT: provider "p3" {
  protocol = "openai"
}
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model   = model.m
  limits = { max_steps = 3 } # ERROR: ^Unknown argument: "limits" is a block\. Remove the equals sign
# RIGHT:
  log {
    title = "prompt"
  }
  log { # ERROR: ^Repeated block: There can be only one log block here\.
# RIGHT:   limits {
  }
  prefix {
    text "a" {
      contents = "x" # ERROR: ^Unknown argument: There is no argument "contents" in text\. Did you mean "content"\?
# RIGHT:       content = "x"
    }
    text "b" { content = "x" }
    text "b" { content = "y" } # ERROR: ^Duplicate name: text "b" is declared twice
# RIGHT:     text "c" { content = "y" }
    txet "d" { # ERROR: ^Unknown block: There is no block "txet" in prefix\. Did you mean "text"\?
# RIGHT:     text "d" {
      content = "x"
    }
    text { # ERROR: ^Missing name: A text block has a name
# RIGHT:     text "e" {
      content = "x"
    }
  }
  system {
    text "a" {
      content = "x"
      role = "user" # ERROR: ^Unknown argument: .*so its contributors have no role\.
# RIGHT:
    }
  }
}
locals {
  x = 1
  teams { # ERROR: ^Unknown block: There are no blocks in locals; an object is written with an equals sign
# RIGHT:   teams = {
  }
}
locals {
  x = 2 # ERROR: ^Duplicate name: The local "x" is declared twice
# RIGHT:   y = 2
}
