agent "a" {
  prefix {
    text "t" {
      content = <<-EOT
        Rules of ${var.team
        # ERROR(-1): Unclosed expression: The ${ that begins here has no } that ends it. To write it as text, double its first character: $${.
      EOT
    }
  }
}
