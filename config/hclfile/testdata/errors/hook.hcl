# ENV: TOKEN=canary
dsh { disable_rules = ["no-agent", "unused-declaration"] }

hook "empty" {} # ERROR: Missing argument: The argument "on" is required here.
# ERROR(-1): Missing argument: The argument "command" is required here.

hook "points" {
  on = ["PreTool", "Stop", "Notification"] # ERROR: Invalid value: The argument "on" holds "PreTool", not one of SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop. Did you mean "PreToolUse"?
  # ERROR(-1): Invalid value: The argument "on" holds "Notification", not one of
  command = "make lint" # ERROR: Invalid value: The argument "command" is a text, not a command: write a list, the program first and then its arguments, such as ["lint", "--fix"]; no shell reads it.
}

hook "twice" {
  on      = ["Stop", "Stop"] # ERROR: Invalid value: The argument "on" holds "Stop" twice.
  command = []               # ERROR: Invalid value: The argument "command" is an empty list: write a list, the program first
  match   = "rm|(mv"         # ERROR: Invalid value: The argument "match" is "rm|(mv", which is no regular expression: missing closing ) at "rm|(mv".
  timeout = "0s"             # ERROR: Invalid value: The argument "timeout" is "0s" and must be greater than 0.
}

hook "kinds" {
  on      = 3          # ERROR: Invalid value: The argument "on" is a number, not a text or list of texts: write a text such as "a", or a list such as ["a", "b"].
  command = ["lint", 3] # ERROR: Invalid value: The argument "command" holds a number, not only texts
  match   = "*"        # ERROR: Invalid value: The argument "match" is "*", which is no regular expression: leave the argument out to match everything.
}

hook "nothing" {
  on      = []   # ERROR: Invalid value: The argument "on" is an empty list
  command = [""] # ERROR: Invalid value: The argument "command" begins with an empty text: write the program.
}

hook "home" {
  on      = "stop"           # ERROR: Invalid value: The argument "on" holds "stop", not one of SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop. Did you mean "Stop"?
  command = ["~/bin/notify"] # ERROR: Invalid value: The argument "command" begins with what is "~/bin/notify", and ~ has no meaning here: write "${path.home}/bin/notify".
}

hook "shown" {
  on      = "Stop"
  command = ["notify", "--token=${env.TOKEN}"] # ERROR: Sensitive value would be seen: A value from env.TOKEN reaches hook.shown.command, which a list of processes shows. Hand it over in env; if it is no secret, write nonsensitive(...) around it.
}

hook "env" {
  on      = "Stop"
  command = ["notify"]
  env = {
    "A-B"   = "x"          # ERROR: Invalid variable name: The name of an environment variable has only letters, digits and _, and no digit in front.
    LEVEL   = 3            # ERROR: Invalid value: The variable LEVEL is a number, not a text.
    NOTHING = null         # ERROR: Invalid value: The variable NOTHING is null. Leave it out, or give it a value.
    EMPTY   = ""
    LINES   = "a\nb"
    QUOTED  = "env.TOKEN"  # ERROR: Invalid value: The variable QUOTED is the text "env.TOKEN", not the value of that name. Remove the quotes: env.TOKEN.
    MODE    = "strict"
    MODE    = "lax"        # ERROR: Duplicate name: The variable "MODE" is declared twice.
    API_KEY = "canary"     # WARNING: Secret in the configuration: The variable API_KEY is written into the configuration
  }
}

hook "listed" {
  on      = "Stop"
  command = ["notify"]
  env     = merge({ MODE = "strict" }, {}) # ERROR: Invalid value: The argument "env" must be written out, so that its values can be read late
}
