package scenarios

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// JSONReport writes the events of go test -json (go doc test2json), one a line, for
// the tools that read those.
type JSONReport struct {
	Out     io.Writer
	Package string
	begun   bool
	err     error
	folders map[string]*folder
	order   []string // of the folders
}

// folder is a test that stands for all scenarios in a folder: a name with a slash is
// that of a subtest, and tools look for the test that it belongs to.
type folder struct {
	state State // Passed, or Failed when one of them has
}

// testEvent is a line; members stand in the order of test2json.
type testEvent struct {
	Time    time.Time
	Action  string
	Package string
	Test    string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"` // seconds
	Output  string   `json:",omitempty"`
}

// Err is the first error of a write.
func (j *JSONReport) Err() error { return j.err }

func (j *JSONReport) write(e testEvent) {
	if !j.begun {
		j.begun = true
		j.write(testEvent{Time: e.Time, Action: "start"})
	}
	e.Package = j.Package
	b, err := json.Marshal(e)
	if err == nil && j.err == nil {
		_, err = j.Out.Write(append(b, '\n'))
	}
	if j.err == nil {
		j.err = err
	}
}

// output writes a text, an event a line.
func (j *JSONReport) output(test, text string, at time.Time) {
	for line := range strings.Lines(text) {
		j.write(testEvent{Time: at, Action: "output", Test: test, Output: line})
	}
}

// framed is an event of a test, with the line that go test prints for it.
func (j *JSONReport) framed(action, frame, test string, at time.Time) {
	j.write(testEvent{Time: at, Action: action, Test: test})
	j.output(test, fmt.Sprintf("=== %-5s %s\n", frame, inLine(test)), at)
}

// Begin implements Reporter.
func (j *JSONReport) Begin(name string, at time.Time) {
	for i, c := range name {
		if c == '/' && j.folders[name[:i]] == nil {
			if j.folders == nil {
				j.folders = map[string]*folder{}
			}
			j.folders[name[:i]] = &folder{state: Passed}
			j.order = append(j.order, name[:i])
			j.framed("run", "RUN", name[:i], at)
		}
	}
	if j.folders[name] == nil { // else it began as a folder
		j.framed("run", "RUN", name, at)
	}
}

// Pause implements Reporter.
func (j *JSONReport) Pause(name string, at time.Time) { j.framed("pause", "PAUSE", name, at) }

// Continue implements Reporter.
func (j *JSONReport) Continue(name string, at time.Time) { j.framed("cont", "CONT", name, at) }

// End implements Reporter.
func (j *JSONReport) End(o Outcome) {
	log := strings.TrimRight(o.Log, "\n")
	if o.Name == "" {
		j.output("", log+"\n", o.At)
		return
	}
	if o.File == "" { // nobody began it
		j.Begin(o.Name, o.At)
	}
	if log != "" {
		j.output(o.Name, "    "+strings.ReplaceAll(log, "\n", "\n    ")+"\n", o.At)
	}
	if o.State == Failed {
		for i, c := range o.Name {
			if c == '/' {
				j.folders[o.Name[:i]].state = Failed
			}
		}
	}
	if f := j.folders[o.Name]; f != nil { // it ends with what is in the folder of its name
		if o.State == Failed {
			f.state = Failed
		}
		return
	}
	j.ended(o.Name, o.State, o.Took, o.At)
}

func (j *JSONReport) ended(name string, state State, took time.Duration, at time.Time) {
	word := map[State]string{Passed: "PASS", Failed: "FAIL", Skipped: "SKIP"}[state]
	j.output(name, fmt.Sprintf("--- %s: %s (%.2fs)\n", word, inLine(name), took.Seconds()), at)
	j.write(testEvent{Time: at, Action: string(state), Test: name, Elapsed: seconds(took)})
}

// Note implements Reporter.
func (j *JSONReport) Note(text string, at time.Time) { j.output("", text+"\n", at) }

// Done implements Reporter.
func (j *JSONReport) Done(r Result, at time.Time) {
	for _, name := range slices.Backward(j.order) { // those within before those around
		j.ended(name, j.folders[name].state, r.Took, at)
	}
	word, state, line := "PASS", Passed, "ok  "
	if !r.OK() {
		word, state, line = "FAIL", Failed, "FAIL"
	}
	j.output("", fmt.Sprintf("%s\n%s\t%s\t%.3fs\n", word, line, inLine(j.Package), r.Took.Seconds()), at)
	j.write(testEvent{Time: at, Action: string(state), Elapsed: seconds(r.Took)})
}

// seconds is a duration as test2json states it, to a hundredth.
func seconds(d time.Duration) *float64 {
	s := d.Round(10 * time.Millisecond).Seconds()
	return &s
}
