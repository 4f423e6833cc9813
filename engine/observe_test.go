package engine_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
)

// Observers that panic or block harm nothing but themselves: the turn ends, the log
// is whole, and the others are told everything in order.
func TestObservers(t *testing.T) {
	before := runtime.NumGoroutine()
	w := newWorld(t)
	m := &model{}
	s := w.create()
	block := make(chan struct{})
	var mu sync.Mutex
	var seen []int64
	var reports []string
	all := make(chan struct{})
	i := w.start(w.agent(nil, nil, nil), s, m, func(o *engine.Options) {
		o.OnError = func(err error) {
			mu.Lock()
			defer mu.Unlock()
			reports = append(reports, err.Error())
		}
		o.Observers = []func(event.Event){
			func(e event.Event) { panic(fmt.Sprint("observer ", e.Seq)) },
			func(event.Event) { <-block },
			func(e event.Event) {
				mu.Lock()
				defer mu.Unlock()
				if seen = append(seen, e.Seq); len(seen) == 15 {
					close(all)
				}
			},
		}
	})
	for range 2 {
		if end := send(t, i, "x"); end.Kind != event.EndCompleted {
			t.Errorf("%+v", end)
		}
	}
	if err := i.Dispose(); err != nil {
		t.Error(err)
	}
	w.scan(s, 2)
	<-all
	mu.Lock()
	if fmt.Sprint(seen) != "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14]" {
		t.Errorf("the third observer saw %v", seen)
	}
	mu.Unlock()
	close(block)
	leaked(t, before)
	mu.Lock()
	defer mu.Unlock()
	if len(reports) == 0 || reports[0] != "panic: observer 0" {
		t.Errorf("reports %q", reports)
	}
}
