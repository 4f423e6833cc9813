package schema

func system() *Block {
	b := &Block{
		Type: "system",
		Doc:  "The system prompt: the texts of these contributors in the order written here, joined by two line feeds; those that are empty or white space are dropped. A text that ends with a line feed is followed by two empty lines for that reason. It is composed with the prefix, once, and frozen with it.",
	}
	for _, c := range contributors() {
		if c.Type == "messages" {
			continue // the system prompt is one text
		}
		if _, ok := c.Attribute("role"); ok {
			c.Attributes = without(c.Attributes, "role")
			c.Absent = append(c.Absent, Absent{Name: "role", Why: "The system prompt is one text, so its contributors have no role."})
		}
		c.Like = "prefix"
		b.Blocks = append(b.Blocks, Child{Block: c})
	}
	return b
}

func without(attributes []Attribute, name string) []Attribute {
	out := make([]Attribute, 0, len(attributes))
	for _, a := range attributes {
		if a.Name != name {
			out = append(out, a)
		}
	}
	return out
}
