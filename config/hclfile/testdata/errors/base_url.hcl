provider "a" {
  protocol = "openai"
  base_url = "127.0.0.1:1/v1" # ERROR: Invalid value: The argument "base_url" is "127.0.0.1:1/v1", which is no absolute address: begin it with http:// or https://, as in https://api.example.com/v1.
}

provider "b" {
  protocol = "openai"
  base_url = "https://anna:canary@api.example.com" # ERROR: Invalid value: The argument "base_url" is "https://***", which holds a user or a password: write credentials as api_key or headers.
}

provider "c" {
  protocol = "openai"
  base_url = "https://api.example.com/v1?key=canary" # ERROR: Invalid value: The argument "base_url" is "https://api.example.com/v1...", which holds a query or a fragment: write only the address in front of the protocol's paths.
}

provider "d" {
  protocol = "openai"
  base_url = "ftp://api.example.com" # ERROR: Invalid value: The argument "base_url" is "ftp://api.example.com", which is reached neither by http nor by https: begin it with http:// or https://
}

provider "e" {
  protocol = "openai"
  base_url = "https://api.example.com/v1/chat/completions/" # ERROR: Invalid value: The argument "base_url" is "https://api.example.com/v1/chat/completions/", and the protocol adds /chat/completions itself: write "https://api.example.com/v1".
}

provider "f" {
  protocol = "openai"
  base_url = "localhost:8080" # ERROR: Invalid value: The argument "base_url" is "localhost:8080", which is no absolute address
}

provider "g" {
  protocol = "openai"
  base_url = "anna:canary@localhost/v1" # ERROR: Invalid value: The argument "base_url" is "***", which is no absolute address
}

provider "h" {
  protocol = "openai"
  base_url = "https://api.example.com:port" # ERROR: Invalid value: The argument "base_url" is "https://api.example.com:port", which is no absolute address
}

provider "j" {
  protocol = "openai"
  base_url = "var.url" # ERROR: Invalid value: The argument "base_url" is the text "var.url", not the value of that name: remove the quotes.
}

provider "i" {
  protocol = "openai"
  base_url = "http://:8080/v1" # ERROR: Invalid value: The argument "base_url" is "http://:8080/v1", which is no absolute address
}
