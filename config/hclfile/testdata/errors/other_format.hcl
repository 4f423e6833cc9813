locals {
  a = "curl -w '%{http_code}'" # ERROR: To write the text %{http_code} itself, double its first character: %%{http_code}.
}
