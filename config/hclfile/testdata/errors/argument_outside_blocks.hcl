description = "x" # ERROR: Unknown argument: There is no argument "description" in a configuration file, outside of blocks. It is an argument of variable and of agent and of tool.
