package scenarios

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/config/diag"
)

// State is how a scenario ended.
type State string

// The states.
const (
	Passed  State = "pass"
	Failed  State = "fail"
	Skipped State = "skip"
)

// GoldensTest is the name under which the audit of the goldens is reported.
const GoldensTest = "goldens"

// Outcome is what became of one scenario.
type Outcome struct {
	Name   string // of the scenario, GoldensTest, or "" for the suite, which could not begin
	File   string // absolute path of the scenario, "" for what is none
	State  State
	Log    string  // as it was written, with control characters
	Broken *Broken // the line that failed, nil when none did
	At     time.Time
	Took   time.Duration
}

// Broken is a line of a scenario that does not hold.
type Broken struct {
	Line    int    // counted from 1
	Promise string // the comment above it, "" for none
	Source  string // the line
	Message string // why it does not hold, its first line
}

// Result is what became of a suite.
type Result struct {
	Passed, Failed, Skipped int
	Took                    time.Duration
	// Err is why the run was ended before its end: *TimeoutError, or the cause of the
	// context; nil for a whole run.
	Err error
}

// OK reports whether something was checked and everything held.
func (r Result) OK() bool { return r.Failed == 0 && r.Passed > 0 && r.Err == nil }

// Reporter is told what happens in a suite, one call at a time.
type Reporter interface {
	Begin(name string, at time.Time)    // there is such a scenario
	Pause(name string, at time.Time)    // it waits for its turn
	Continue(name string, at time.Time) // its turn has come
	End(o Outcome)
	Note(text string, at time.Time) // a line about the run as a whole
	Done(r Result, at time.Time)
}

// Silent is a Reporter that says nothing, for others to build on.
type Silent struct{}

// Begin implements Reporter.
func (Silent) Begin(string, time.Time) {}

// Pause implements Reporter.
func (Silent) Pause(string, time.Time) {}

// Continue implements Reporter.
func (Silent) Continue(string, time.Time) {}

// End implements Reporter.
func (Silent) End(Outcome) {}

// Note implements Reporter.
func (Silent) Note(string, time.Time) {}

// Done implements Reporter.
func (Silent) Done(Result, time.Time) {}

// TextReport is the report for a person: a line a scenario, and the log of those that
// did not pass. What could move a cursor or change colours is shown as an escape:
// logs hold what models and programs wrote.
type TextReport struct {
	Silent
	Out     io.Writer
	Verbose bool // the log of those that pass as well
	// Obeyed says that a line that begins with :: or ##[ is a command to what reads the
	// report, as on GitHub: lines of logs are kept from that.
	Obeyed bool
}

// command is how a line begins that GitHub obeys, indented or not.
var command = regexp.MustCompile(`(?m)^(\s*)(:|#)(:|#\[)`)

// End implements Reporter.
func (t TextReport) End(o Outcome) {
	log := strings.TrimRight(diag.Printable(o.Log), "\n")
	if t.Obeyed {
		log = command.ReplaceAllString(log, "$1$2 $3")
	}
	if o.Name == "" {
		fmt.Fprintf(t.Out, "FAIL\n%s\n", log)
		return
	}
	word := map[State]string{Passed: "ok  ", Failed: "FAIL", Skipped: "skip"}[o.State]
	if o.Name == GoldensTest && o.File == "" {
		fmt.Fprintf(t.Out, "%s  %s\n", word, o.Name)
	} else {
		fmt.Fprintf(t.Out, "%s  %s  (%.2fs)\n", word, inLine(o.Name), o.Took.Seconds())
	}
	if o.State == Passed && !t.Verbose {
		// Whoever asked for the folder to be kept is told where it is.
		if log, _, _ = strings.Cut(log, "\n"); !strings.HasPrefix(log, "WORK=") {
			return
		}
	}
	if log != "" {
		fmt.Fprintln(t.Out, "    "+strings.ReplaceAll(log, "\n", "\n    "))
	}
}

// Note implements Reporter.
func (t TextReport) Note(text string, _ time.Time) { fmt.Fprintln(t.Out, diag.Printable(text)) }

// Done implements Reporter.
func (t TextReport) Done(r Result, _ time.Time) {
	fmt.Fprintf(t.Out, "%d passed, %d failed, %d skipped\n", r.Passed, r.Failed, r.Skipped)
}

// inLine is a text that is safe for a terminal and stays in its line.
func inLine(s string) string { return strings.ReplaceAll(diag.Printable(s), "\n", `\n`) }
