cache { # ERROR: Script without replies: A scripted model has at least one reply or a default.
  rules = "none"
  ttl   = "5m" # WARNING: Argument without effect: With the rules "none", ttl changes nothing.
}
