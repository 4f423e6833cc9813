provider "a" {
  protocol     = "openai"
  api_key      = env.KEY
  api_key_file = "secret.key" # ERROR: Conflicting arguments: The key comes from one place: write api_key or api_key_file.
}

provider "c" {
  protocol = "openai"
  ca_file  = "no.pem" # ERROR: File not found: 
}

provider "d" {
  protocol = "openai"
  ca_file  = "dsh.hcl" # ERROR: No certificate: The file dsh.hcl holds no certificate in PEM form
}
