package cli

import (
	"sync"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// watchman holds a session's log to the rules of the log while it is written, with
// the checker that shares nothing with the engine.
type watchman struct {
	check func(event.Event) error
	stop  func(error) // ends the run

	mu        sync.Mutex
	violation error // the first one
}

// watch sets a watchman on an open session. What the log holds already is checked
// at once. The error is a violation, or one of reading.
func watch(s *store.Session, stop func(error)) (*watchman, error) {
	w := &watchman{stop: stop, check: verify.Guard(s.Log.Header())}
	if s.Log.Size() > 0 {
		b, err := eventlog.Disk{}.Read(s.Log.Path())
		if err != nil {
			return nil, err
		}
		scan, err := eventlog.ScanText(s.Log.Path(), string(b))
		if err != nil {
			return nil, err
		}
		for _, e := range scan.Events {
			w.event(e)
		}
	}
	s.Log.Observe(w.event, nil)
	return w, w.err()
}

func (w *watchman) event(e event.Event) {
	if w.err() != nil {
		return
	}
	if broken := w.check(e); broken != nil {
		err := &turnError{msg.CodeInvariant, broken.Error()}
		w.mu.Lock()
		w.violation = err
		w.mu.Unlock()
		w.stop(err)
	}
}

// err is the first violation, or nil. A watchman that was not set saw none.
func (w *watchman) err() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.violation
}
