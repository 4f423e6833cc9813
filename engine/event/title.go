package event

import "github.com/dsh-hcl/dsh/engine/canon"

// SessionTitle names the session for people. The last one counts. It may stand
// between turns and never reaches the model.
type SessionTitle struct{ Title string }

// Type implements Payload.
func (SessionTitle) Type() string { return "session/title" }

// Raw implements Payload.
func (p SessionTitle) Raw() string {
	var o canon.Object
	o.String("title", p.Title)
	return o.End()
}
