package engine

import (
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/store"
)

// entitle gives a session that has no title the beginning of its first prompt, when
// the agent says so. It stands between turns and never reaches the model.
func (i *Instance) entitle() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.agent.titled || i.session.State.Title() != "" {
		return nil
	}
	for _, m := range i.session.State.History().Messages {
		if m.Role != msg.RoleUser {
			continue
		}
		title := store.OneLine(m.Content.Text())
		if title == "" {
			continue
		}
		_, err := i.write([]event.Entry{{Payload: event.SessionTitle{Title: title}}})
		return err
	}
	return nil
}
