package schema

func locals() *Block {
	return &Block{
		Type: "locals",
		Doc:  "Named expressions, read as `local.NAME`. Any number of `locals` blocks may stand anywhere; a name is defined once. An expression may use other locals, not itself.",
		Example: `locals {
  greeting = "Hello from ${var.team}."
}`,
		Names: &Attribute{Name: "NAME", Type: Any, Doc: "The value of `local.NAME`."},
	}
}
