agent "a" {

  prefix {
    text "t" {
      content = <<EOT
      # ERROR(-1): Unclosed heredoc: The heredoc <<EOT that begins here has no line EOT that ends it.
        Rules.
        EOT.
    }
  }
}
