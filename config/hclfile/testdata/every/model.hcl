reply {
  text = "ok"
}
