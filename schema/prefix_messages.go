package schema

func prefixMessages() *Block {
	return &Block{
		Type: "messages",
		Doc: "Several messages of mixed roles, such as an exchange that shows the model how to answer: `message` blocks, or the lines of a JSON Lines file, not both. " +
			"`envelope`, `max_bytes` and `oversize` hold for each of them.",
		Example: `messages "primer" {
  message {
    role    = "user"
    content = "Is this line right?"
  }
  message {
    role    = "assistant"
    content = "It is. Why do you ask?"
  }
}`,
		Attributes: []Attribute{
			{
				Name: "path", Type: Path, Absence: "`message` blocks",
				Doc: "The file. Each line that is not blank is a message, an object of two texts: `{\"role\": \"user\", \"content\": \"...\"}`; the role is `user` or `assistant`.",
			},
			{
				Name: "newlines", Type: Text, Constraint: Constraint{OneOf: []string{"lf", "keep"}}, Absence: "`lf` for blocks, `keep` for a file",
				Doc: "`lf` turns CRLF into LF; `keep` leaves line endings as they are.",
			},
		},
		Absent: []Absent{{Name: "role", Why: "Each message has its own."}},
		Blocks: []Child{{Block: &Block{
			Type: "message",
			Doc:  "One message.",
			Attributes: []Attribute{
				{Name: "role", Type: Text, Required: true, Constraint: Constraint{OneOf: []string{"user", "assistant"}}, Doc: "Who speaks."},
				{Name: "content", Type: Text, Required: true, Doc: "The text."},
			},
		}}},
	}
}
