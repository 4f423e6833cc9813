package engine

import (
	"sync"

	"github.com/dsh-hcl/dsh/engine/event"
)

// observer delivers events to one function of a program around the engine, in
// order, on a goroutine of its own. One that panics loses that event and is told
// the next; one that blocks holds up nobody but itself, at the price of the events
// that wait for it.
type observer struct {
	mu     sync.Mutex
	queue  []event.Event
	wake   chan struct{} // has room for one
	closed bool
}

// observe starts to deliver to f; failed is told what f panicked with.
func observe(f func(event.Event), failed func(error)) *observer {
	o := &observer{wake: make(chan struct{}, 1)}
	go func() {
		for {
			batch, more := o.take()
			for _, e := range batch {
				var err error
				func() {
					defer contain(&err)
					f(e)
				}()
				if err != nil {
					failed(err)
				}
			}
			if !more {
				return
			}
			<-o.wake
		}
	}()
	return o
}

// take returns what waits, and whether more may come.
func (o *observer) take() ([]event.Event, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch := o.queue
	o.queue = nil
	return batch, !o.closed
}

// tell queues an event.
func (o *observer) tell(e event.Event) {
	o.mu.Lock()
	o.queue = append(o.queue, e)
	o.mu.Unlock()
	o.signal()
}

// close ends the delivery after what is queued. It does not wait for it.
func (o *observer) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.signal()
}

func (o *observer) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
