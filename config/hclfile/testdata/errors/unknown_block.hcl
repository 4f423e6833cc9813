agnet "a" { # ERROR: Unknown block: There is no block "agnet" in a configuration file, outside of blocks. Did you mean "agent"?
}
