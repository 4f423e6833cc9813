package schema

func replyTool() *Block {
	return &Block{
		Type:   "tool",
		Labels: []Label{{Name: "NAME", Free: true}},
		Doc:    "A call of the tool NAME. The attributes are its arguments; they reach the engine as a JSON object with the names sorted.",
		Example: `tool "read" {
  path = "main.go"
}`,
		Names: &Attribute{Name: "ARGUMENT", Type: Any, Doc: "The value of the argument."},
	}
}
