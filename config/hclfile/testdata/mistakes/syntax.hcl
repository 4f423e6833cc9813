# What is no HCL, one after the other, since nothing behind it is known.
# ONE AT A TIME
locals {
  b = 12k # ERROR: ^Invalid number: .*write 12000\.
# RIGHT:   b = 12000
  c = 30s # ERROR: ^Text without quotes: A text is written in quotes: c
# RIGHT:   c = "30s"
  d = 128_000 # ERROR: ^Invalid number: A number has digits and a point only: write 128000
# RIGHT:   d = 128000
  e: 1 # ERROR: ^Argument or block definition required: .*use the equals sign
# RIGHT:   e = 1
  f = 1, # ERROR: ^Unexpected comma after argument
# RIGHT:   f = 1
  g = "${HOME:-x}" # ERROR: To write the text \$\{HOME:-x\} itself
# RIGHT:   g = "$${HOME:-x}"
  h = 1
  h = 2 # ERROR: ^Attribute redefined
# RIGHT:   i = 2
  k == 1 # ERROR: ^Two equals signs: An argument has one equals sign: k
# RIGHT:   k = 1
  j = "x # ERROR: ^Invalid multi-line string
# RIGHT:   j = "x"
}
