locals {
  b = << EOT
  # ERROR(-1): Heredoc cannot be read: A heredoc begins with <<NAME or <<-NAME, without a space or quotes, and nothing follows on its line.
  some text
  EOT
}
