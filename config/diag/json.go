package diag

import (
	"bytes"
	"encoding/json"
	"io"
)

// JSON writes the diagnostics as one object in the shape of "terraform validate
// -json", format version 1.0. rule and related are additions to that shape; a
// reader that does not know them loses nothing else. Offsets in a snippet are
// bytes of its code.
func JSON(w io.Writer, list List, sources Sources) error {
	errors, warnings := list.Counts()
	report := jsonReport{
		FormatVersion: "1.0",
		Valid:         errors == 0,
		ErrorCount:    errors,
		WarningCount:  warnings,
		Diagnostics:   make([]jsonDiagnostic, 0, len(list)),
	}
	for _, d := range list {
		report.Diagnostics = append(report.Diagnostics, toJSON(d, sources))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(report); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

type jsonReport struct {
	FormatVersion string           `json:"format_version"`
	Valid         bool             `json:"valid"`
	ErrorCount    int              `json:"error_count"`
	WarningCount  int              `json:"warning_count"`
	Diagnostics   []jsonDiagnostic `json:"diagnostics"`
}

type jsonDiagnostic struct {
	Severity string        `json:"severity"`
	Rule     string        `json:"rule,omitempty"`
	Summary  string        `json:"summary"`
	Detail   string        `json:"detail"`
	Range    *jsonRange    `json:"range,omitempty"`
	Snippet  *jsonSnippet  `json:"snippet,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
}

type jsonRange struct {
	Filename string  `json:"filename"`
	Start    jsonPos `json:"start"`
	End      jsonPos `json:"end"`
}

type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

type jsonSnippet struct {
	Context              *string     `json:"context"`
	Code                 string      `json:"code"`
	StartLine            int         `json:"start_line"`
	HighlightStartOffset int         `json:"highlight_start_offset"`
	HighlightEndOffset   int         `json:"highlight_end_offset"`
	Values               []jsonValue `json:"values"`
}

type jsonValue struct {
	Traversal string `json:"traversal"`
	Statement string `json:"statement"`
}

type jsonRelated struct {
	Message string     `json:"message"`
	Range   *jsonRange `json:"range,omitempty"`
}

func toJSON(d Diagnostic, sources Sources) jsonDiagnostic {
	out := jsonDiagnostic{
		Severity: d.Severity.String(), Rule: d.Rule, Summary: d.Summary, Detail: d.Detail,
		Range: toJSONRange(d.Subject), Snippet: toJSONSnippet(d, sources),
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, jsonRelated{Message: r.Message, Range: toJSONRange(r.At)})
	}
	return out
}

func toJSONRange(r Range) *jsonRange {
	if r.IsZero() {
		return nil
	}
	return &jsonRange{Filename: r.File, Start: jsonPos(r.Start), End: jsonPos(r.End)}
}

func toJSONSnippet(d Diagnostic, sources Sources) *jsonSnippet {
	subject := sources.clamp(d.Subject)
	rows := sources.around(subject, d.Context)
	if len(rows) == 0 {
		return nil
	}
	start := rows[0].start
	last := rows[len(rows)-1]
	end := last.start + len(last.text)
	code, cut := clip(sources[d.Subject.File][start:end], subject.Start.Byte-start)
	start += cut
	s := &jsonSnippet{
		Code:      string(code),
		StartLine: rows[0].number,
		Values:    []jsonValue{},
	}
	if d.In != "" {
		s.Context = &d.In
	}
	s.HighlightStartOffset = min(subject.Start.Byte-start, len(s.Code))
	s.HighlightEndOffset = min(max(subject.End.Byte-start, s.HighlightStartOffset), len(s.Code))
	for _, v := range d.Values {
		s.Values = append(s.Values, jsonValue{Traversal: v.Traversal, Statement: "is " + v.Text})
	}
	return s
}
