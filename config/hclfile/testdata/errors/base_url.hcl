provider "a" {
  protocol = "openai"
  base_url = "api.example.com/v1" # ERROR: Invalid value: The argument "base_url" is no absolute address: write one such as https://api.example.com/v1.
}

provider "b" {
  protocol = "openai"
  base_url = "https://anna:canary@api.example.com" # ERROR: Invalid value: The argument "base_url" holds a user or a password: write credentials as api_key or headers.
}

provider "c" {
  protocol = "openai"
  base_url = "https://api.example.com?key=canary" # ERROR: Invalid value: The argument "base_url" holds a query or a fragment
}

provider "d" {
  protocol = "openai"
  base_url = "ftp://api.example.com" # ERROR: Invalid value: The argument "base_url" is no absolute address
}
