package msg

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Role says who speaks.
type Role string

// The roles of messages. System text stands in the header, not in a message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
)

// Message is one model-visible message: a role and content. Comparing two
// messages with == compares their bytes. The zero Message is none.
type Message struct {
	Role    Role
	Content Content
}

// NewMessage encodes blocks into a message. Errors: an unknown role, text that is
// not UTF-8.
func NewMessage(role Role, blocks ...Block) (Message, error) {
	if err := role.check(); err != nil {
		return Message{}, err
	}
	c, err := NewContent(blocks...)
	return Message{Role: role, Content: c}, err
}

func (r Role) check() error {
	switch r {
	case RoleUser, RoleAssistant, RoleSystem:
		return nil
	}
	return fmt.Errorf("unknown role %q", string(r))
}

// ParseMessage takes a message from a canonical JSON value; it shares the text.
func ParseMessage(v canon.Value) (Message, error) {
	if v.Kind() != canon.ObjectKind {
		return Message{}, fmt.Errorf("message is not an object")
	}
	role, _ := v.Get("role").Text()
	if err := Role(role).check(); err != nil {
		return Message{}, err
	}
	c, err := ParseContent(v.Get("content"))
	if err != nil {
		return Message{}, err
	}
	return Message{Role: Role(role), Content: c}, nil
}

// Raw returns the canonical JSON of the message: role, then content.
func (m Message) Raw() string {
	return `{"role":"` + string(m.Role) + `","content":` + m.Content.Raw() + `}`
}

// Bytes is the length of the canonical JSON in bytes.
func (m Message) Bytes() int {
	return len(`{"role":"","content":}`) + len(m.Role) + len(m.Content.Raw())
}

// Enclose returns a message whose content is a text block, the given content and
// a closing text block. Errors: text that is not UTF-8.
func Enclose(role Role, open string, content Content, closing string) (Message, error) {
	first, err := TextContent(open)
	if err != nil {
		return Message{}, err
	}
	last, err := TextContent(closing)
	if err != nil {
		return Message{}, err
	}
	raw := first.raw[:len(first.raw)-1]
	if !content.IsEmpty() {
		raw += "," + content.raw[1:len(content.raw)-1]
	}
	return Message{Role: role, Content: Content{raw: raw + "," + last.raw[1:]}}, nil
}
