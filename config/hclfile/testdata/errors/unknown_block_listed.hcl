workflow "w" { # ERROR: Unknown block: There is no block "workflow" in a configuration file, outside of blocks. Its blocks are: dsh, variable, locals, provider, model, agent
}
