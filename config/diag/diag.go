// Package diag is how everything that a user wrote is reported: diagnostics with
// a place, a short summary and advice, collected until all are known. It knows
// neither HCL nor the engine, so every layer can report with it.
package diag

import (
	"fmt"
	"sort"
	"strings"
)

// Severity says whether a diagnostic stops the work.
type Severity int

// Error stops the work with exit code 2; Warning does not, unless warnings are
// asked to count as errors.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Pos is a place in a source file. Line and Column are 1-based, Column counts
// grapheme clusters; Byte is the 0-based offset from the start of the file.
type Pos struct{ Line, Column, Byte int }

// Range is a stretch of a source file, End exclusive. File is the path as it
// should be shown, relative to the working directory where that is shorter. The
// zero Range is no place.
type Range struct {
	File       string
	Start, End Pos
}

// IsZero reports whether the range names no place.
func (r Range) IsZero() bool { return r.File == "" }

// String renders file:line,column, the form editors link.
func (r Range) String() string {
	return fmt.Sprintf("%s:%d,%d", r.File, r.Start.Line, r.Start.Column)
}

// Line renders file:line.
func (r Range) Line() string { return fmt.Sprintf("%s:%d", r.File, r.Start.Line) }

// Value is an expression's value that helps to understand a diagnostic. A
// sensitive value has Text "(sensitive)".
type Value struct {
	Traversal string // how the source spells it: var.team
	Text      string // its value, short
}

// Related is a further place of one problem, such as the first declaration of a
// name that was declared twice.
type Related struct {
	Message string
	At      Range
}

// Diagnostic is one problem. Summary is a few words without a full stop; Detail
// says what to do. Rule is the stable name of a warning, by which a
// configuration turns it off; errors have a Rule where a machine wants one.
// Subject is the narrow place, Context a wider one that contains it. In names the
// declaration the subject lies in, as it was written: agent "reviewer".
type Diagnostic struct {
	Severity Severity
	Rule     string
	Summary  string
	Detail   string
	Subject  Range
	Context  Range
	In       string
	Related  []Related
	Values   []Value
}

// List is all problems of a run. It is not an error, to keep a nil List from
// becoming a non-nil error; use Err.
type List []Diagnostic

// Errorf returns an error diagnostic at a place.
func Errorf(at Range, summary, detail string, args ...any) Diagnostic {
	return Diagnostic{Severity: Error, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: at}
}

// Warnf returns a warning of a rule at a place.
func Warnf(rule string, at Range, summary, detail string, args ...any) Diagnostic {
	return Diagnostic{Severity: Warning, Rule: rule, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: at}
}

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	for _, d := range l {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Counts returns the number of errors and warnings.
func (l List) Counts() (errors, warnings int) {
	for _, d := range l {
		if d.Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

// Sort orders diagnostics by file, byte, severity and summary, so that output
// does not depend on the order of discovery.
func (l List) Sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i], l[j]
		switch {
		case a.Subject.File != b.Subject.File:
			return a.Subject.File < b.Subject.File
		case a.Subject.Start.Byte != b.Subject.Start.Byte:
			return a.Subject.Start.Byte < b.Subject.Start.Byte
		case a.Severity != b.Severity:
			return a.Severity < b.Severity
		}
		return a.Summary < b.Summary
	})
}

// ListError carries a List where an error is wanted.
type ListError struct{ List List }

// Error shows the first problem and how many more there are; renderers show all.
func (e *ListError) Error() string {
	var first *Diagnostic
	n := 0
	for i := range e.List {
		if e.List[i].Severity == Error {
			if first == nil {
				first = &e.List[i]
			}
			n++
		}
	}
	if first == nil {
		return "no problem"
	}
	var b strings.Builder
	if !first.Subject.IsZero() {
		fmt.Fprintf(&b, "%s: ", first.Subject)
	}
	b.WriteString(first.Summary)
	if first.Detail != "" {
		b.WriteString(": " + first.Detail)
	}
	if n > 1 {
		fmt.Fprintf(&b, " (and %d more)", n-1)
	}
	return b.String()
}

// Err returns the list as a *ListError when it holds an error, else nil.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return &ListError{List: l}
}
