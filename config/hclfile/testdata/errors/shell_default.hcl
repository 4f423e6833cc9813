locals {
  a = "Use ${PORT:-8080} here." # ERROR: To write the text ${PORT:-8080} itself, double its first character: $${PORT:-8080}.
}
