package scenarios

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Result is what became of a suite.
type Result struct {
	Passed, Failed, Skipped int
}

// Suite runs scenarios outside of go test, several at once, and reports each as
// it ends.
type Suite struct {
	Out      io.Writer // the report, for a person
	Parallel int       // scenarios at once, at least 1
	Verbose  bool      // the log of those that pass as well
	Now      func() time.Time
}

// Run runs the scenarios that the options select.
func (s Suite) Run(o Options) Result {
	r := &report{suite: s, slots: make(chan struct{}, max(s.Parallel, 1))}
	root := &scriptT{report: r, start: s.Now(), done: make(chan struct{}), released: make(chan struct{})}
	audit := func() []string { return nil }
	go root.run("", func(t testscript.T) { audit = Run(t, o) })
	<-root.done
	r.running.Wait()
	for _, finding := range audit() {
		r.result.Failed++
		fmt.Fprintf(s.Out, "FAIL  goldens\n    %s\n", finding)
	}
	if root.failed {
		r.result.Failed++
		fmt.Fprintf(s.Out, "FAIL\n%s", root.log.String())
	}
	return r.result
}

// report collects what the scenarios of one suite come to.
type report struct {
	suite   Suite
	slots   chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex // guards result and the writer
	result  Result
}

// scriptT is one script under way; it implements testscript.T.
type scriptT struct {
	report   *report
	name     string
	start    time.Time
	done     chan struct{}
	released chan struct{} // closed when the script lets its parent go on
	parallel bool
	log      strings.Builder
	failed   bool
	skipped  bool
}

// run calls f on a goroutine of its own, so that FailNow can end it.
func (t *scriptT) run(name string, f func(testscript.T)) {
	t.name = name
	defer func() {
		if p := recover(); p != nil {
			t.failed = true
			buf := make([]byte, 64<<10)
			fmt.Fprintf(&t.log, "panic: %v\n%s", p, buf[:runtime.Stack(buf, false)])
		}
		close(t.done)
	}()
	f(t)
}

// Run implements testscript.T.
func (t *scriptT) Run(name string, f func(testscript.T)) {
	sub := &scriptT{report: t.report, start: t.report.suite.Now(), done: make(chan struct{}), released: make(chan struct{})}
	t.report.running.Add(1)
	go sub.run(name, f)
	go func() {
		defer t.report.running.Done()
		<-sub.done
		sub.finish()
	}()
	select {
	case <-sub.done:
	case <-sub.released:
	}
}

// finish reports a script that has ended and frees its slot.
func (t *scriptT) finish() {
	if t.parallel {
		<-t.report.slots
	}
	r := t.report
	r.mu.Lock()
	defer r.mu.Unlock()
	word := "ok  "
	switch {
	case t.failed:
		word = "FAIL"
		r.result.Failed++
	case t.skipped:
		word = "skip"
		r.result.Skipped++
	default:
		r.result.Passed++
	}
	fmt.Fprintf(r.suite.Out, "%s  %s  (%.2fs)\n", word, t.name, r.suite.Now().Sub(t.start).Seconds())
	if t.failed || t.skipped || r.suite.Verbose {
		if log := strings.TrimRight(t.log.String(), "\n"); log != "" {
			fmt.Fprintln(r.suite.Out, "    "+strings.ReplaceAll(log, "\n", "\n    "))
		}
	}
}

// Parallel implements testscript.T: the parent goes on, this script waits for a
// slot.
func (t *scriptT) Parallel() {
	close(t.released)
	t.report.slots <- struct{}{}
	t.parallel = true
	t.start = t.report.suite.Now()
}

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
