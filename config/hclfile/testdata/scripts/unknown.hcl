reply {
  txet = "x" # ERROR: Unknown argument: There is no argument "txet" in reply. Did you mean "text"?
}

replay { # ERROR: Unknown block: There is no block "replay" in a script, outside of blocks. Did you mean "reply"?
}

reply {
  status = 3 # ERROR: Unknown argument: There is no argument "status" in reply. It is an argument of error.
}
