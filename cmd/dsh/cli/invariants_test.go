package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/store"
)

// The first event that breaks a rule ends the run; what a resumed log holds counts.
func TestWatchman(t *testing.T) {
	st := store.New(t.TempDir(), eventlog.Options{Files: eventlog.Disk{}, Now: func() int64 { return 1 }}, func() eventlog.Holder { return eventlog.Holder{} })
	s, err := st.Create(eventlog.Header{ID: "s", CreatedAt: 1, Cwd: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	var stopped []error
	stop := func(err error) { stopped = append(stopped, err) }
	add := func(payloads ...event.Payload) {
		t.Helper()
		for _, p := range payloads {
			if _, err := s.Log.Append(event.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, err := watch(s, stop)
	if err != nil {
		t.Fatal(err)
	}
	end := event.TurnEnd{Turn: 1, Reason: event.EndReason{Kind: event.EndCompleted}}
	add(event.TurnStart{Turn: 1, Trigger: "message", Source: event.UserSource()}, end)
	if w.err() != nil || len(stopped) > 0 {
		t.Fatalf("a sound log: %v", w.err())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	entry, err := st.Find("s", "/w")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = st.Resume(entry); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if w, err = watch(s, stop); err != nil || w.err() != nil {
		t.Fatal(err, w.err())
	}
	add(event.TurnStart{Turn: 1, Trigger: "message", Source: event.UserSource()}, end, end)
	if len(stopped) != 1 || !errors.Is(w.err(), stopped[0]) || msg.CodeOf(w.err()) != msg.CodeInvariant || exitCode(t.Context(), w.err()) != exitFailed {
		t.Errorf("stopped by %v", stopped)
	}
	if text := w.err().Error(); !strings.Contains(text, "event 2: turn 1 is out of order, 2 is next") || !strings.HasSuffix(text, "(INVARIANT)") {
		t.Errorf("%s", text)
	}

	// A log that is broken already is not gone on with.
	if w, err := watch(s, stop); err == nil || w.err() == nil || len(stopped) != 2 {
		t.Errorf("a broken log is watched: %v", err)
	}
}
