provider "p" { # ERROR: Missing argument: A provider with protocol "script" names the file of its answers: script = "model.hcl".
  protocol = "script"
}
