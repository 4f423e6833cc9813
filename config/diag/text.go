package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TextOptions says how text output looks. Width is the number of columns that
// prose is wrapped to, 0 to leave it alone; source lines are never wrapped.
type TextOptions struct {
	Width int
	Color bool
}

const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
)

// Most lines of one place that are shown: a problem that covers a whole block is
// clear from its beginning.
const maxSnippet = 6

// Text writes the diagnostics for a person at a terminal: severity and summary,
// the place with the source underlined, what to do, further places, values.
// Diagnostics are separated by an empty line.
func Text(w io.Writer, list List, sources Sources, opts TextOptions) error {
	t := &textWriter{sources: sources, opts: opts}
	for i, d := range list {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.diagnostic(d)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

type textWriter struct {
	b       strings.Builder
	sources Sources
	opts    TextOptions
}

func (t *textWriter) style(code, s string) string {
	if !t.opts.Color || s == "" {
		return s
	}
	return code + s + reset
}

func (t *textWriter) diagnostic(d Diagnostic) {
	accent, word := red, "Error:"
	if d.Severity == Warning {
		accent, word = yellow, "Warning:"
	}
	t.b.WriteString(t.style(accent, word) + " " + t.style(bold, shown(d.Summary)))
	if d.Rule != "" {
		t.b.WriteString(t.style(dim, " ["+shown(d.Rule)+"]"))
	}
	t.b.WriteByte('\n')
	if !d.Subject.IsZero() {
		place := "on " + shown(d.Subject.String())
		if d.In != "" {
			place += ", in " + shown(d.In)
		}
		t.b.WriteString("\n  " + place)
		t.snippet(d.Subject, d.Context, accent)
	}
	for _, v := range d.Values {
		fmt.Fprintf(&t.b, "  with %s = %s\n", shown(v.Traversal), shown(v.Text))
	}
	if d.Detail != "" {
		t.b.WriteByte('\n')
		for _, l := range wrap(d.Detail, t.opts.Width) {
			t.b.WriteString(l + "\n")
		}
	}
	for _, r := range d.Related {
		fmt.Fprintf(&t.b, "\n  %s", shown(r.Message))
		if r.At.IsZero() {
			t.b.WriteByte('\n')
			continue
		}
		t.b.WriteString(" at " + shown(r.At.String()))
		t.snippet(r.At, Range{}, accent)
	}
}

// snippet goes on behind a place: a colon, the lines of the subject underlined, and
// the lines of the context around them, when the source is known.
func (t *textWriter) snippet(subject, context Range, accent string) {
	subject = t.sources.clamp(subject)
	rows := t.sources.lines(subject)
	if len(rows) == 0 {
		t.b.WriteByte('\n')
		return
	}
	t.b.WriteString(":\n")
	if around := t.sources.around(subject, context); len(around) <= maxSnippet {
		rows = around
	}
	cut := len(rows) > maxSnippet
	if cut {
		rows = rows[:maxSnippet]
	}
	gutter := len(strconv.Itoa(rows[len(rows)-1].number))
	for _, row := range rows {
		row = cutLine(row, subject)
		text := strings.TrimRight(" "+shown(string(row.text)), " ")
		fmt.Fprintf(&t.b, "  %s%s\n", t.style(dim, fmt.Sprintf("%*d |", gutter, row.number)), text)
		if mark := underline(row, subject); mark != "" {
			fmt.Fprintf(&t.b, "  %s %s\n", t.style(dim, fmt.Sprintf("%*s |", gutter, "")), t.style(accent, mark))
		}
	}
	if cut {
		fmt.Fprintf(&t.b, "  %s\n", t.style(dim, fmt.Sprintf("%*s | ...", gutter, "")))
	}
}

// maxLine is how many bytes of a source line are shown: enough for a line that is
// written to be read, and a bound for one that is not.
const maxLine = 400

// cutLine keeps the part of a long line that begins a little before the subject.
func cutLine(row line, subject Range) line {
	if len(row.text) <= maxLine {
		return row
	}
	from := runeStart(row.text, min(max(0, subject.Start.Byte-row.start-40), len(row.text)-1))
	to := runeStart(row.text, min(from+maxLine, len(row.text)))
	return line{number: row.number, start: row.start + from, text: row.text[from:to]}
}

// runeStart moves an offset back to where its character begins, in text that may
// be no text.
func runeStart(text []byte, at int) int {
	for i := at; i > 0 && i > at-utf8.UTFMax && i < len(text); i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return at
}

// underline marks the part of a row that the subject covers: ^ at its start, ~
// on. The first row of a subject is always marked, even for an empty subject.
func underline(row line, subject Range) string {
	text := row.text
	from, to := subject.Start.Byte-row.start, subject.End.Byte-row.start
	first := from >= 0 && from <= len(text)
	if from < 0 {
		from = len(text) - len(strings.TrimLeft(string(text), " \t"))
	}
	to = min(to, len(text))
	if from >= to && !first {
		return ""
	}
	from = min(from, len(text))
	to = max(from, to)
	pad := strings.Repeat(" ", textWidth(shown(string(text[:from]))))
	n := max(1, textWidth(shown(string(text[from:to]))))
	if first {
		return pad + "^" + strings.Repeat("~", n-1)
	}
	return pad + strings.Repeat("~", n)
}
