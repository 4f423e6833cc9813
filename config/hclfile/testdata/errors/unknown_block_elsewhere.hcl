limits { # ERROR: Unknown block: There is no block "limits" in a configuration file, outside of blocks. It belongs into agent.
  max_steps = 3
}
