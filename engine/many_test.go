package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// Sixty-four sessions at once in one process, each with its own model: what one
// says never reaches another, every log proves itself, and nothing is left behind.
func TestManySessions(t *testing.T) {
	const sessions, turns = 64, 5
	before := runtime.NumGoroutine()
	w := newWorld(t)
	a := w.agent(nil, nil, []msg.Contributor{contributor("text.p", "shared prefix")})
	type one struct {
		session *store.Session
		model   *model
		inst    *engine.Instance
	}
	var all []one
	for range sessions {
		s, m := w.create(), &model{}
		all = append(all, one{s, m, w.start(a, s, m)})
	}
	var group sync.WaitGroup
	for n, o := range all {
		group.Go(func() {
			for k := range turns {
				o.model.mu.Lock()
				o.model.answers = append(o.model.answers, say(fmt.Sprintf("answer %d of session-%d.", k, n)))
				o.model.mu.Unlock()
				if end := send(t, o.inst, fmt.Sprintf("question %d of session-%d.", k, n)); end.Kind != event.EndCompleted {
					t.Errorf("session %d: %+v", n, end)
				}
			}
			if err := o.inst.Dispose(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for n, o := range all {
		b, err := os.ReadFile(o.session.Log.Path())
		if err != nil {
			t.Fatal(err)
		}
		report, err := verify.Log("log", string(b))
		if err != nil || !report.OK() || len(report.Requests) != turns {
			t.Errorf("session %d: %d of %d requests identical, %v", n, report.Identical(), len(report.Requests), err)
		}
		own := fmt.Sprintf("session-%d.", n)
		if got, want := strings.Count(string(b), "session-"), strings.Count(string(b), own); got != want || want != 2*turns {
			t.Errorf("session %d: %d of %d mentions are its own", n, want, got)
		}
	}
	leaked(t, before)
}

// An idle session costs at most 64 KiB besides its history.
func TestIdleSessionIsSmall(t *testing.T) {
	const sessions = 64
	w := newWorld(t)
	a := w.agent(nil, nil, []msg.Contributor{contributor("text.p", "p")})
	m := &model{}
	var all []*engine.Instance
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc + s.StackInuse
	}
	before := heap()
	for range sessions {
		i := w.start(a, w.create(), m)
		send(t, i, "hi")
		all = append(all, i)
	}
	m.bodies = nil
	each := (int64(heap()) - int64(before)) / sessions
	t.Logf("an idle session takes %d bytes", each)
	if each > 64<<10 {
		t.Errorf("an idle session takes %d bytes", each)
	}
	for _, i := range all {
		if err := i.Dispose(); err != nil {
			t.Error(err)
		}
	}
}

// leaked fails when there are more goroutines than before, once those that are
// about to end have ended.
func leaked(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines more than before:\n%s", runtime.NumGoroutine()-before, buf[:runtime.Stack(buf, true)])
		}
	}
}
