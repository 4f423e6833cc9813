locals {
  shell = env.SHELL # ERROR: Environment variable not set: SHELL is not set. Set it, or write try(env.SHELL, ...) with another value.
}
