provider "p" { protocol = "openai" }

model "m" {
  provider = provider.p
  id       = "m"
}

agent "a" {
  model = model.m
  references {
    allow = [
      "~/work",    # ERROR: Invalid value: The argument "allow" is "~/work", and ~ has no meaning here: write "${path.home}/work".
      "/work/**",
      "**/team",
      "${path.workspace}",
    ]
    deny = [
      "secret/**", # ERROR: Invalid value: The argument "deny" holds "secret/**", which matches no absolute path: begin it with / or ${path.workspace}.
      "/a/../b",   # ERROR: Invalid value: The argument "deny" holds "/a/../b", which matches no path: write it without . and ...
      "/a/",       # ERROR: Invalid value: The argument "deny" holds "/a/", which matches no path: write it without the / at its end, or with ** behind it.
    ]
  }
}
