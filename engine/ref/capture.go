package ref

import (
	"fmt"
	"slices"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Capture folds the events of a log, in order, into what is read of its session: a
// replacement takes the place of the range it replaces. It keeps no more than the
// surface.
type Capture struct {
	snapshot Snapshot
	seqs     []int64
}

// NewCapture begins the capture of a session. cwd is "" for none.
func NewCapture(id, cwd string) *Capture {
	c := &Capture{snapshot: Snapshot{SessionID: id}}
	if cwd != "" {
		c.snapshot.Cwd = msg.Some(cwd)
	}
	return c
}

// Add takes the next event. Errors: a range that is not on the surface.
func (c *Capture) Add(e event.Event) error {
	c.snapshot.Through = msg.Some(e.Seq)
	if e.Op.Kind == event.OpNone {
		return nil
	}
	s := Surface{Type: e.Type, Source: e.Data.Get("source"), Content: e.Data.Get("content")}
	if e.Op.Kind == event.OpAppend {
		c.snapshot.Surface, c.seqs = append(c.snapshot.Surface, s), append(c.seqs, e.Seq)
		return nil
	}
	from, to := slices.Index(c.seqs, e.Op.Start), slices.Index(c.seqs, e.Op.End)
	if from < 0 || to < from {
		return fmt.Errorf("event %d replaces %d to %d, which are not on the surface", e.Seq, e.Op.Start, e.Op.End)
	}
	c.snapshot.Surface = slices.Replace(c.snapshot.Surface, from, to+1, s)
	c.seqs = slices.Replace(c.seqs, from, to+1, e.Seq)
	return nil
}

// Snapshot returns what was captured.
func (c *Capture) Snapshot() Snapshot { return c.snapshot }
