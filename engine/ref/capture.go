package ref

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Capture folds the events of a log, in order, into what is read of its session: a
// replacement takes the place of the range it replaces. It keeps no more than the
// surface, and its cost is linear in the events, however many of them are replaced.
type Capture struct {
	snapshot Snapshot
	// The surface is a list; a node is known by the event on it.
	nodes map[int64]*node
	ends  node // before the first and behind the last
}

// node is an event on the surface.
type node struct {
	surface    Surface
	seq        int64
	prev, next *node
}

// NewCapture begins the capture of a session. cwd is "" for none.
func NewCapture(id, cwd string) *Capture {
	c := &Capture{snapshot: Snapshot{SessionID: id}, nodes: map[int64]*node{}}
	if cwd != "" {
		c.snapshot.Cwd = msg.Some(cwd)
	}
	c.ends.prev, c.ends.next = &c.ends, &c.ends
	return c
}

// Add takes the next event. Errors: a range that is not on the surface.
func (c *Capture) Add(e event.Event) error {
	c.snapshot.Through = msg.Some(e.Seq)
	if e.Op.Kind == event.OpNone {
		return nil
	}
	n := &node{surface: Surface{Type: e.Type}, seq: e.Seq, prev: c.ends.prev, next: &c.ends}
	for name, m := range e.Data.Members() { // in one pass: it may be long
		switch name {
		case "source":
			n.surface.Source = m
		case "content":
			n.surface.Content = m
		}
	}
	if e.Op.Kind != event.OpAppend {
		from, to := c.nodes[e.Op.Start], c.nodes[e.Op.End]
		at := from
		for at != nil && at != to && at != &c.ends {
			at = at.next
		}
		if from == nil || to == nil || at != to {
			return fmt.Errorf("event %d replaces %d to %d, which are not on the surface", e.Seq, e.Op.Start, e.Op.End)
		}
		n.prev, n.next = from.prev, to.next
		for at := from; at != n.next; at = at.next {
			delete(c.nodes, at.seq)
		}
	}
	n.prev.next, n.next.prev = n, n
	c.nodes[n.seq] = n
	return nil
}

// Snapshot returns what was captured.
func (c *Capture) Snapshot() Snapshot {
	out := c.snapshot
	out.Surface = make([]Surface, 0, len(c.nodes))
	for n := c.ends.next; n != &c.ends; n = n.next {
		out.Surface = append(out.Surface, n.surface)
	}
	return out
}
