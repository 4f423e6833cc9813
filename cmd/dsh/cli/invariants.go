package cli

import (
	"fmt"
	"sync"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// watchman holds a session's log to the invariants while it is written, with the
// checker that shares nothing with the engine.
type watchman struct {
	checker verify.Invariants
	stop    func(error) // ends the run

	mu        sync.Mutex
	violation error // the first one
}

// watch sets a watchman on an open session. What the log holds already is checked
// at once, by the rules that logs of every origin keep; what this run appends has
// to answer every call as well. The error is a violation, or one of reading.
func watch(s *store.Session, stop func(error)) (*watchman, error) {
	w := &watchman{stop: stop}
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
	w.checker.Strict = true
	s.Log.Observe(w.event, nil)
	return w, w.err()
}

func (w *watchman) event(e event.Event) {
	if w.err() != nil {
		return
	}
	if v := w.checker.Feed(e); v != nil {
		err := fmt.Errorf("%w (%s)", v, v.StableCode())
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
