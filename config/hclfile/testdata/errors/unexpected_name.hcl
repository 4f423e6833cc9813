locals "l" { # ERROR: Unexpected name: A locals block has no name: locals {
}
