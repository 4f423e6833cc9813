package schema

import "github.com/zclconf/go-cty/cty"

func prefixText() *Block {
	return &Block{
		Type: "text",
		Doc:  "One message from text in the configuration.",
		Example: `text "rules" {
  content = "Follow the style guide. Never push."
}`,
		Attributes: []Attribute{
			{
				Name: "content", Type: Text, Required: true,
				Doc: "The text. As in every quoted text and heredoc, `${...}` is an expression; `$${` stands for `${` itself. The text is Unicode NFC.",
			},
			{
				Name: "newlines", Type: Text, Default: cty.StringVal("lf"), Constraint: Constraint{OneOf: []string{"lf", "keep"}},
				Doc: "`lf` turns CRLF into LF; `keep` leaves line endings as they are written.",
			},
		},
	}
}
