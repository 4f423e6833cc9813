package ref

import (
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Snapshot is a session as it was read: what is on its surface, in positional order.
type Snapshot struct {
	SessionID string
	Cwd       msg.Opt[string]
	// Through is the highest sequence number of the log, absent for an empty log.
	Through msg.Opt[int64]
	Surface []Surface
}

// Surface is one event on the surface of a log: its type, and the source and content
// of its data as JSON, zero where it has none.
type Surface struct {
	Type            string
	Source, Content canon.Value
}

// Item is a message of a session that is cited. Protected ones, the checkpoints of a
// compaction, are shortened and never left out.
type Item struct {
	Role      string // "user" or "assistant"
	Text      string
	Protected bool
}

// Project keeps what a person and the model said to each other: prompts and steering
// of a person, checkpoints, and the text of answers. Errors: *Error with
// CodeReadFailed for an event that no surface has (spec/references.md section 4).
func (s Snapshot) Project() ([]Item, error) {
	out := make([]Item, 0, len(s.Surface))
	for _, e := range s.Surface {
		kind, _ := e.Source.Get("kind").Text()
		plugin, _ := e.Source.Get("plugin").Text()
		item := Item{Role: "user"}
		switch e.Type {
		case "user/message":
			item.Protected = kind == "plugin" && plugin == "compact"
			if kind != "user" && !item.Protected {
				continue
			}
		case "steering/message":
			if kind != "user" {
				continue
			}
		case "assistant/message":
			item.Role = "assistant"
		case "tool/result", "context/message":
			continue
		default:
			return nil, &Error{Code: CodeReadFailed, Message: fmt.Sprintf("session %s has an event %s on its surface, which cannot be read", s.SessionID, canon.Quote(e.Type))}
		}
		if item.Text = textOf(e.Content); item.Text != "" {
			out = append(out, item)
		}
	}
	return out, nil
}

// textOf joins the texts of a content's text blocks by line feeds.
func textOf(content canon.Value) string {
	var texts []string
	for b := range content.Elements() {
		// One pass: a block may be long, and each look at it reads all of it.
		var kind, text canon.Value
		for name, m := range b.Members() {
			switch name {
			case "type":
				kind = m
			case "text":
				text = m
			}
		}
		if t, _ := kind.Text(); t != "text" {
			continue
		}
		if s, ok := text.Text(); ok {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n") // of one it is that one
}
