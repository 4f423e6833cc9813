locals {
  a = keys(env) # ERROR: Name missing: Write the name after env: env.NAME.
  b = env[local.c] # ERROR: Name missing: Write the name after env: env.NAME.
  c = "X"
}
