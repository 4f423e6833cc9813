locals {
  a = local.b # ERROR: Cycle: A local cannot depend on itself: local.a -> local.b -> local.c -> local.a.
  b = "x ${local.c}"
  c = [local.a]
  d = local.d # ERROR: Cycle: A local cannot depend on itself: local.d -> local.d.
  e = local.a
}
