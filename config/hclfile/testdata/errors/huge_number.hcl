locals {
  n = 1e99999 # ERROR: Number out of range
}
