package diag

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf16"
)

// SARIFOptions is what a report in SARIF says besides the problems.
type SARIFOptions struct {
	Version string            // of the program
	Rules   map[string]string // sentences about warning rules, by name
	Main    string            // file that problems without a place are shown at, "" for none
}

// SARIF writes the diagnostics in the Static Analysis Results Interchange Format,
// version 2.1.0, which code scanning reads. A warning has the name of its rule; an
// error has its summary as a name: "unknown-argument". Columns count UTF-16 units,
// as SARIF does unless told otherwise. Detail is in the message, with line breaks.
func SARIF(w io.Writer, list List, sources Sources, opts SARIFOptions) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: make([]sarifResult, 0, len(list))}
	run.Tool.Driver = sarifDriver{Name: "dsh", SemanticVersion: opts.Version, Rules: []sarifRule{}}
	known := map[string]int{}
	for _, d := range list {
		id := ruleID(d)
		index, ok := known[id]
		if !ok {
			index = len(known)
			known[id] = index
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, toSARIFRule(id, d, opts.Rules[d.Rule]))
		}
		r := sarifResult{RuleID: id, RuleIndex: index, Level: d.Severity.String(), Message: sarifText{messageOf(d)}}
		at := d.Subject
		if at.IsZero() && opts.Main != "" {
			at = Range{File: opts.Main, Start: Pos{1, 1, 0}, End: Pos{1, 1, 0}}
		}
		if !at.IsZero() {
			r.Locations = append(r.Locations, sarifLocation{Physical: toSARIFPlace(at, sources)})
		}
		for i, related := range d.Related {
			if related.At.IsZero() {
				continue
			}
			r.Related = append(r.Related, sarifLocation{ID: i + 1, Physical: toSARIFPlace(related.At, sources), Message: &sarifText{related.Message}})
		}
		run.Results = append(run.Results, r)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	report := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
	if err := e.Encode(report); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name            string      `json:"name"`
	SemanticVersion string      `json:"semanticVersion,omitempty"`
	Rules           []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID            string     `json:"id"`
	Short         sarifText  `json:"shortDescription"`
	Full          *sarifText `json:"fullDescription,omitempty"`
	Configuration struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifText    `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region sarifRegion `json:"region"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn"`
	EndLine     int        `json:"endLine"`
	EndColumn   int        `json:"endColumn"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

func toSARIFRule(id string, d Diagnostic, doc string) sarifRule {
	r := sarifRule{ID: id, Short: sarifText{d.Summary}}
	r.Configuration.Level = d.Severity.String()
	if doc != "" {
		r.Full = &sarifText{doc}
	}
	return r
}

// ruleID is the name of a warning's rule, or an error's summary as a name.
func ruleID(d Diagnostic) string {
	if d.Rule != "" {
		return d.Rule
	}
	words := strings.FieldsFunc(strings.ToLower(d.Summary), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "problem"
	}
	return strings.Join(words, "-")
}

func messageOf(d Diagnostic) string {
	if d.Detail == "" {
		return d.Summary
	}
	return d.Summary + ": " + d.Detail
}

func toSARIFPlace(r Range, sources Sources) sarifPhysical {
	var out sarifPhysical
	// A colon in the first element of a relative path would be read as a scheme.
	u := url.URL{Path: filepath.ToSlash(r.File)}
	if filepath.IsAbs(r.File) {
		u.Scheme = "file"
	}
	out.Artifact.URI = u.String()
	out.Region = sarifRegion{StartLine: r.Start.Line, StartColumn: r.Start.Column, EndLine: r.End.Line, EndColumn: r.End.Column}
	src, ok := sources[r.File]
	if !ok {
		return out
	}
	r = sources.clamp(r)
	out.Region.StartColumn = columnUTF16(src, r.Start.Byte)
	out.Region.EndColumn = columnUTF16(src, r.End.Byte)
	if rows := sources.lines(r); len(rows) > 0 {
		var lines [][]byte
		for _, row := range rows {
			lines = append(lines, row.text)
		}
		text, _ := clip(bytes.Join(lines, []byte("\n")), r.Start.Byte-rows[0].start)
		out.Region.Snippet = &sarifText{string(bytes.ToValidUTF8(text, []byte("\uFFFD")))}
	}
	return out
}

// columnUTF16 is the column of a byte in UTF-16 units, from 1.
func columnUTF16(src []byte, offset int) int {
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	n := 1
	for _, r := range string(src[start:offset]) {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
