package scenarios

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Suite runs scenarios outside of go test, several at once, and reports each as
// it ends.
type Suite struct {
	Reporters []Reporter
	Parallel  int  // scenarios at once, at least 1
	Verbose   bool // logs tell what went well, too
	Now       func() time.Time
	// Timeout ends the run when it has passed, 0 for never. AfterFunc is the clock that
	// it passes on, nil for the real one.
	Timeout   time.Duration
	AfterFunc func(d time.Duration, f func()) (stop func())
	// Closing is called when all scenarios have ended, before the result is reported. May
	// be nil.
	Closing func()
}

// TimeoutError says that a run took too long.
type TimeoutError struct {
	After   time.Duration
	Running []string // scenarios that had not ended, in byte order, with how long they ran
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the run took longer than %v", e.After)
}

// Run runs the scenarios that the options select, until all have ended, ctx is
// cancelled or the time is over.
func (s Suite) Run(ctx context.Context, o Options) Result {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	grace := time.Second // for scenarios to end in once the run is over
	if s.Timeout > 0 {
		whole, kill := stretched(s.Timeout)
		o.Deadline, grace = time.Now().Add(whole), grace+kill
		defer s.after(s.Timeout, func() { cancel(&TimeoutError{After: s.Timeout}) })()
	}
	o.ctx = ctx
	r := &report{suite: s, start: s.Now(), free: max(s.Parallel, 1), under: map[*scriptT]bool{}}
	root := &scriptT{report: r, done: make(chan struct{}), released: make(chan struct{})}
	finished := make(chan func() []string, 1)
	go func() {
		audit := func() []string { return nil }
		root.run(func(t testscript.T) { audit = Run(t, o) })
		r.running.Wait()
		finished <- audit
	}()
	select {
	case audit := <-finished:
		r.audited(audit())
	case <-ctx.Done():
		r.over(context.Cause(ctx))
		select {
		case <-finished:
		case <-time.After(grace):
			r.abandon()
		}
	}
	return r.end(root)
}

// after is the suite's AfterFunc.
func (s Suite) after(d time.Duration, f func()) (stop func()) {
	if s.AfterFunc != nil {
		return s.AfterFunc(d, f)
	}
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// stretched is how far off a deadline of testscript has to be for the processes of a
// scenario to be told to end after d, and how long later they are killed. testscript
// takes two such times off: a twentieth of the whole each, or 100 ms.
func stretched(d time.Duration) (whole, kill time.Duration) {
	whole = d / 9 * 10
	kill = whole / 20
	if least := 100 * time.Millisecond; kill < least {
		return d + 2*least, least
	}
	return whole, kill
}

// report collects what the scenarios of one suite come to, and lets them run, as many
// at once as may.
type report struct {
	suite   Suite
	start   time.Time
	running sync.WaitGroup

	mu      sync.Mutex // guards what follows, and calls of reporters
	result  Result
	free    int        // scenarios that may still start
	waiting []*scriptT // for that, in the order in which they came
	under   map[*scriptT]bool
	closed  bool // nothing is reported any more
}

// tell calls every reporter; the caller holds mu.
func (r *report) tell(f func(Reporter)) {
	if r.closed {
		return
	}
	for _, reporter := range r.suite.Reporters {
		f(reporter)
	}
}

// dispatch lets those go on that wait and may; the caller holds mu.
func (r *report) dispatch() {
	for r.free > 0 && len(r.waiting) > 0 {
		t := r.waiting[0]
		r.waiting = r.waiting[1:]
		r.free--
		t.parallel, t.start = true, r.suite.Now()
		r.tell(func(p Reporter) { p.Continue(t.name, t.start) })
		close(t.turn)
	}
}

// count adds an outcome and reports it; the caller holds mu.
func (r *report) count(o Outcome) {
	if r.closed {
		return
	}
	switch o.State {
	case Failed:
		r.result.Failed++
	case Skipped:
		r.result.Skipped++
	default:
		r.result.Passed++
	}
	r.tell(func(p Reporter) { p.End(o) })
}

// audited reports what is wrong with the goldens.
func (r *report) audited(findings []string) {
	if len(findings) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count(Outcome{Name: GoldensTest, State: Failed, Log: strings.Join(findings, "\n"), At: r.suite.Now()})
}

// over says that the run is, and which scenarios it does not wait for.
func (r *report) over(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.suite.Now()
	var names []string
	for t := range r.under {
		if t.parallel {
			names = append(names, fmt.Sprintf("%s (%.2fs)", t.name, now.Sub(t.start).Seconds()))
		}
	}
	slices.Sort(names)
	text := cause.Error()
	if late, ok := cause.(*TimeoutError); ok {
		late.Running = names
		text = "FAIL  " + text
	}
	if len(names) > 0 {
		text += "; still running: " + strings.Join(names, ", ")
	}
	r.result.Err = cause
	r.tell(func(p Reporter) { p.Note(text, now) })
	// Those that wait go on, and see that there is nothing to do.
	r.free = math.MaxInt32
	r.dispatch()
}

// abandon reports those that do not end as failed. What becomes of them is nobody's
// business any more: the process is about to end.
func (r *report) abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.suite.Now()
	var left []*scriptT
	for t := range r.under {
		left = append(left, t)
	}
	slices.SortFunc(left, func(a, b *scriptT) int { return strings.Compare(a.name, b.name) })
	for _, t := range left {
		r.count(Outcome{Name: t.name, File: t.file, State: Failed, At: now, Took: now.Sub(t.start),
			Log: "it did not end when the run was over, and its log is not known"})
	}
	clear(r.under)
}

// end reports the result.
func (r *report) end(root *scriptT) Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.suite.Now()
	select {
	case <-root.done:
		if root.failed {
			r.count(Outcome{State: Failed, Log: root.log.String(), At: now})
		}
	default:
	}
	if r.suite.Closing != nil {
		r.suite.Closing()
	}
	r.result.Took = now.Sub(r.start)
	r.tell(func(p Reporter) { p.Done(r.result, now) })
	r.closed = true
	return r.result
}

// scriptT is one script under way; it implements testscript.T.
type scriptT struct {
	report   *report
	name     string
	file     string
	start    time.Time
	done     chan struct{}
	released chan struct{} // closed when the script lets its parent go on
	turn     chan struct{} // closed when the script may go on
	parallel bool          // it has one of the places to run
	log      strings.Builder
	broken   *Broken
	failed   bool
	skipped  bool
}

// run calls f on a goroutine of its own, so that FailNow can end it, and returns when
// that has ended.
func (t *scriptT) run(f func(testscript.T)) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				t.failed = true
				buf := make([]byte, 64<<10)
				fmt.Fprintf(&t.log, "panic: %v\n%s", p, buf[:runtime.Stack(buf, false)])
			}
			close(t.done)
		}()
		f(t)
	}()
	<-t.done
}

// Run implements testscript.T.
func (t *scriptT) Run(name string, f func(testscript.T)) {
	r := t.report
	sub := &scriptT{report: r, name: name, start: r.suite.Now(), done: make(chan struct{}), released: make(chan struct{}), turn: make(chan struct{})}
	r.running.Add(1)
	r.mu.Lock()
	r.under[sub] = true
	r.tell(func(p Reporter) { p.Begin(name, sub.start) })
	r.mu.Unlock()
	go func() {
		defer r.running.Done()
		sub.run(f)
		sub.finish()
	}()
	select {
	case <-sub.done:
	case <-sub.released:
	}
}

// finish reports a script that has ended and gives its place to the next.
func (t *scriptT) finish() {
	r := t.report
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.under, t)
	now := r.suite.Now()
	o := Outcome{Name: t.name, File: t.file, State: Passed, Log: t.log.String(), Broken: t.broken, At: now, Took: now.Sub(t.start)}
	switch {
	case t.failed:
		o.State = Failed
	case t.skipped:
		o.State = Skipped
	}
	r.count(o)
	if t.parallel {
		r.free++
		r.dispatch()
	}
}

// Parallel implements testscript.T: the parent goes on, this script waits for a
// place.
func (t *scriptT) Parallel() {
	r := t.report
	r.mu.Lock()
	r.waiting = append(r.waiting, t)
	r.tell(func(p Reporter) { p.Pause(t.name, r.suite.Now()) })
	r.dispatch()
	r.mu.Unlock()
	close(t.released)
	<-t.turn
}

func (t *scriptT) testing(file string) {
	t.report.mu.Lock()
	defer t.report.mu.Unlock()
	t.file = file
}

func (t *scriptT) broke(b Broken) { t.broken = &b }

// Log implements testscript.T.
func (t *scriptT) Log(args ...any) { fmt.Fprintln(&t.log, args...) }

// Fatal implements testscript.T.
func (t *scriptT) Fatal(args ...any) {
	t.Log(args...)
	t.FailNow()
}

// FailNow implements testscript.T.
func (t *scriptT) FailNow() {
	t.failed = true
	runtime.Goexit()
}

// Skip implements testscript.T.
func (t *scriptT) Skip(args ...any) {
	t.Log(args...)
	t.skipped = true
	runtime.Goexit()
}

// Verbose implements testscript.T.
func (t *scriptT) Verbose() bool { return t.report.suite.Verbose }
