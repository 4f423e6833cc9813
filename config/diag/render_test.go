package diag

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
)

// span is the range of a text in a source named f, at its first occurrence.
func span(src, text string) Range {
	r := at(src, text)
	r.File = "f"
	return r
}

// rows joins the lines of a table entry; "" is an empty line.
func rows(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func TestTextCases(t *testing.T) {
	const long = "a {\n  b\n  c\n  d\n  e\n  f\n  g\n}\n"
	cases := []struct {
		name string
		src  string
		d    Diagnostic
		opts TextOptions
		want string
	}{
		{
			name: "nothing but a summary",
			d:    Errorf(Range{}, "Odd", ""),
			want: rows("Error: Odd"),
		},
		{
			name: "a warning has its rule",
			d:    Warnf("no-effect", Range{}, "Odd", "Remove it."),
			want: rows("Warning: Odd [no-effect]", "", "Remove it."),
		},
		{
			name: "the subject is underlined from its first to its last column",
			src:  "model \"m\" {\n  id = 1\n}\n",
			d:    Diagnostic{Summary: "Odd", Detail: "Write it.", Subject: span("model \"m\" {\n  id = 1\n}\n", "id = 1"), In: `model "m"`},
			want: rows("Error: Odd", "", `  on f:2,3, in model "m":`, "  2 |   id = 1", "    |   ^~~~~~", "", "Write it."),
		},
		{
			name: "one column has a mark of its own",
			src:  "a = 1\n",
			d:    Errorf(span("a = 1\n", "1"), "Odd", ""),
			want: rows("Error: Odd", "", "  on f:1,5:", "  1 | a = 1", "    |     ^"),
		},
		{
			name: "an empty subject at the end of a line",
			src:  "a =\nb\n",
			d:    Errorf(Range{File: "f", Start: Pos{1, 4, 3}, End: Pos{1, 4, 3}}, "Odd", ""),
			want: rows("Error: Odd", "", "  on f:1,4:", "  1 | a =", "    |    ^"),
		},
		{
			name: "line endings of Windows are not shown",
			src:  "a = 1\r\nb = 2\r\n",
			d:    Errorf(span("a = 1\r\nb = 2\r\n", "b = 2"), "Odd", ""),
			want: rows("Error: Odd", "", "  on f:2,1:", "  2 | b = 2", "    | ^~~~~"),
		},
		{
			name: "a tab is four columns, in the line and under it",
			src:  "\ta\tb\n",
			d:    Errorf(span("\ta\tb\n", "a\tb"), "Odd", ""),
			want: rows("Error: Odd", "", "  on f:1,2:", "  1 |     a    b", "    |     ^~~~~~"),
		},
		{
			name: "wide characters are two columns, joined ones none",
			src:  "\"日本\" e\u0301 x\n",
			d:    Errorf(span("\"日本\" e\u0301 x\n", "e\u0301 x"), "Odd", ""),
			want: rows("Error: Odd", "", "  on f:1,6:", "  1 | \"日本\" e\u0301 x", "    |        ^~~"),
		},
		{
			name: "every line of a subject is underlined from its first character",
			src:  "a = [\n  1,\n\n]\n",
			d:    Errorf(span("a = [\n  1,\n\n]\n", "[\n  1,\n\n]"), "Odd", ""),
			want: rows("Error: Odd", "", "  on f:1,5:", "  1 | a = [", "    |     ^", "  2 |   1,", "    |   ~~", "  3 |", "  4 | ]", "    | ~"),
		},
		{
			name: "a subject of many lines is cut",
			src:  long,
			d:    Errorf(span(long, strings.TrimSuffix(long, "\n")), "Odd", ""),
			want: rows("Error: Odd", "", "  on f:1,1:", "  1 | a {", "    | ^~~", "  2 |   b", "    |   ~", "  3 |   c", "    |   ~",
				"  4 |   d", "    |   ~", "  5 |   e", "    |   ~", "  6 |   f", "    |   ~", "    | ..."),
		},
		{
			name: "the lines of a short context are shown around the subject",
			src:  "a {\n  b\n}\n",
			d:    Diagnostic{Summary: "Odd", Subject: span("a {\n  b\n}\n", "b"), Context: span("a {\n  b\n}\n", "a {\n  b\n}")},
			want: rows("Error: Odd", "", "  on f:2,3:", "  1 | a {", "  2 |   b", "    |   ^", "  3 | }"),
		},
		{
			name: "those of a long one are not",
			src:  long,
			d:    Diagnostic{Summary: "Odd", Subject: span(long, "d"), Context: span(long, strings.TrimSuffix(long, "\n"))},
			want: rows("Error: Odd", "", "  on f:4,3:", "  4 |   d", "    |   ^"),
		},
		{
			name: "line numbers are aligned",
			src:  strings.Repeat("\n", 8) + "a\nb\n",
			d:    Errorf(Range{File: "f", Start: Pos{9, 1, 8}, End: Pos{10, 2, 11}}, "Odd", ""),
			want: rows("Error: Odd", "", "  on f:9,1:", "   9 | a", "     | ^", "  10 | b", "     | ~"),
		},
		{
			name: "further places stand behind the advice",
			src:  "a\nb\n",
			d: Diagnostic{Summary: "Odd", Detail: "Write it.", Subject: span("a\nb\n", "b"), Related: []Related{
				{Message: "first written", At: span("a\nb\n", "a")},
				{Message: "in a file without text", At: Range{File: "gone", Start: Pos{3, 1, 9}, End: Pos{3, 2, 10}}},
				{Message: "nowhere"},
			}},
			want: rows("Error: Odd", "", "  on f:2,1:", "  2 | b", "    | ^", "", "Write it.", "",
				"  first written at f:1,1:", "  1 | a", "    | ^", "", "  in a file without text at gone:3,1", "", "  nowhere"),
		},
		{
			name: "values stand under the snippet",
			src:  "a\n",
			d:    Diagnostic{Summary: "Odd", Subject: span("a\n", "a"), Values: []Value{{"var.team", `"core"`}, {"var.key", "(sensitive)"}}},
			want: rows("Error: Odd", "", "  on f:1,1:", "  1 | a", "    | ^", `  with var.team = "core"`, "  with var.key = (sensitive)"),
		},
		{
			name: "advice is wrapped, source lines are not",
			src:  "a = 1 + 2 + 3 + 4 + 5 + 6\n",
			d:    Errorf(span("a = 1 + 2 + 3 + 4 + 5 + 6\n", "a"), "A summary is not wrapped", "One two three four five.\n  as it is written here\nEnd."),
			opts: TextOptions{Width: 20},
			want: rows("Error: A summary is not wrapped", "", "  on f:1,1:", "  1 | a = 1 + 2 + 3 + 4 + 5 + 6", "    | ^", "",
				"One two three four", "five.", "  as it is written here", "End."),
		},
		{
			name: "an error is red, what is beside it dim",
			src:  "a = 1\n",
			d:    Errorf(span("a = 1\n", "1"), "Odd", "Write it."),
			opts: TextOptions{Color: true},
			want: rows(red+"Error:"+reset+" "+bold+"Odd"+reset, "", "  on f:1,5:",
				"  "+dim+"1 |"+reset+" a = 1", "  "+dim+"  |"+reset+" "+red+"    ^"+reset, "", "Write it."),
		},
		{
			name: "a warning is yellow, its rule dim",
			src:  "a = 1\n",
			d:    Warnf("no-effect", span("a = 1\n", "1"), "Odd", ""),
			opts: TextOptions{Color: true},
			want: rows(yellow+"Warning:"+reset+" "+bold+"Odd"+reset+dim+" [no-effect]"+reset, "", "  on f:1,5:",
				"  "+dim+"1 |"+reset+" a = 1", "  "+dim+"  |"+reset+" "+yellow+"    ^"+reset),
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sources := Sources{}
			if c.src != "" {
				sources["f"] = []byte(c.src)
			}
			var b strings.Builder
			if err := Text(&b, List{c.d}, sources, c.opts); err != nil {
				t.Fatal(err)
			}
			if b.String() != c.want {
				t.Errorf("got\n%swant\n%s", b.String(), c.want)
			}
		})
	}
}

func TestTextSeparates(t *testing.T) {
	var b strings.Builder
	if err := Text(&b, List{Errorf(Range{}, "One", ""), Errorf(Range{}, "Two", "")}, nil, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := "Error: One\n\nError: Two\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	b.Reset()
	if err := Text(&b, nil, nil, TextOptions{}); err != nil || b.String() != "" {
		t.Errorf("no problem is %q, %v", b.String(), err)
	}
}

func TestJSONCases(t *testing.T) {
	const src = "a = <b>\n  c\n}\n"
	type object = map[string]any
	pos := func(line, column, offset int) object {
		return object{"line": float64(line), "column": float64(column), "byte": float64(offset)}
	}
	cases := []struct {
		name string
		d    Diagnostic
		want object
	}{
		{
			name: "what is not known is not there",
			d:    Errorf(Range{}, "Odd", ""),
			want: object{"severity": "error", "summary": "Odd", "detail": ""},
		},
		{
			name: "a place in a file without text has no snippet",
			d:    Warnf("no-effect", Range{File: "gone", Start: Pos{3, 4, 20}, End: Pos{3, 5, 21}}, "Odd", "Remove it."),
			want: object{"severity": "warning", "rule": "no-effect", "summary": "Odd", "detail": "Remove it.",
				"range": object{"filename": "gone", "start": pos(3, 4, 20), "end": pos(3, 5, 21)}},
		},
		{
			name: "a snippet is the lines of the subject",
			d:    Errorf(span(src, "<b>"), "Odd <b>", ""),
			want: object{"severity": "error", "summary": "Odd <b>", "detail": "",
				"range": object{"filename": "f", "start": pos(1, 5, 4), "end": pos(1, 8, 7)},
				"snippet": object{"context": nil, "code": "a = <b>", "start_line": 1.0,
					"highlight_start_offset": 4.0, "highlight_end_offset": 7.0, "values": []any{}}},
		},
		{
			name: "or of the context that holds it, with declaration, values and further places",
			d: Diagnostic{Summary: "Odd", Subject: span(src, "c"), Context: span(src, strings.TrimSuffix(src, "\n")), In: `agent "a"`,
				Values:  []Value{{"var.team", `"core"`}},
				Related: []Related{{Message: "first", At: span(src, "a")}, {Message: "nowhere"}}},
			want: object{"severity": "error", "summary": "Odd", "detail": "",
				"range": object{"filename": "f", "start": pos(2, 3, 10), "end": pos(2, 4, 11)},
				"snippet": object{"context": `agent "a"`, "code": strings.TrimSuffix(src, "\n"), "start_line": 1.0,
					"highlight_start_offset": 10.0, "highlight_end_offset": 11.0,
					"values": []any{object{"traversal": "var.team", "statement": `is "core"`}}},
				"related": []any{
					object{"message": "first", "range": object{"filename": "f", "start": pos(1, 1, 0), "end": pos(1, 2, 1)}},
					object{"message": "nowhere"},
				}},
		},
		{
			name: "a place behind the end of the text is moved into it",
			d:    Errorf(Range{File: "f", Start: Pos{9, 1, 90}, End: Pos{9, 5, 94}}, "Odd", ""),
			want: object{"severity": "error", "summary": "Odd", "detail": "",
				"range": object{"filename": "f", "start": pos(9, 1, 90), "end": pos(9, 5, 94)},
				"snippet": object{"context": nil, "code": "", "start_line": 4.0,
					"highlight_start_offset": 0.0, "highlight_end_offset": 0.0, "values": []any{}}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := JSON(&b, List{c.d}, Sources{"f": []byte(src)}); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), `\u003c`) {
				t.Errorf("characters are escaped that need no escape: %s", b.String())
			}
			var got struct {
				Version     string   `json:"format_version"`
				Valid       bool     `json:"valid"`
				Errors      int      `json:"error_count"`
				Warnings    int      `json:"warning_count"`
				Diagnostics []object `json:"diagnostics"`
			}
			if err := json.Unmarshal(b.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			isError := c.d.Severity == Error
			if got.Version != "1.0" || got.Valid == isError || got.Errors+got.Warnings != 1 || (got.Errors == 1) != isError {
				t.Errorf("%s", b.String())
			}
			if len(got.Diagnostics) != 1 || !reflect.DeepEqual(got.Diagnostics[0], c.want) {
				t.Errorf("got  %v\nwant %v", got.Diagnostics, c.want)
			}
		})
	}
}

// TestWriteFails: renderers pass on what their writer says.
func TestWriteFails(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	list := List{Errorf(Range{}, "Odd", "")}
	if err := Text(w, list, nil, TextOptions{}); err != io.ErrClosedPipe {
		t.Errorf("Text: %v", err)
	}
	if err := JSON(w, list, nil); err != io.ErrClosedPipe {
		t.Errorf("JSON: %v", err)
	}
}

func TestListError(t *testing.T) {
	place := Range{File: "f", Start: Pos{2, 3, 4}}
	cases := []struct {
		list List
		want string // "" for no error
	}{
		{nil, ""},
		{List{Warnf("r", place, "Odd", "")}, ""},
		{List{Warnf("r", place, "Odd", ""), Errorf(place, "Wrong", "Write it.")}, "f:2,3: Wrong: Write it."},
		{List{Errorf(Range{}, "Wrong", ""), Errorf(place, "Worse", ""), Errorf(place, "Worst", "")}, "Wrong (and 2 more)"},
	}
	for _, c := range cases {
		err := c.list.Err()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v is an error: %v", c.list, err)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestTerraformShape reads a report with the types of terraform-json, and with
// nothing left over but what is added to them.
func TestTerraformShape(t *testing.T) {
	type pos struct{ Line, Column, Byte *int }
	type place struct {
		Filename   string
		Start, End pos
	}
	var report struct {
		FormatVersion string `json:"format_version"`
		Valid         bool
		ErrorCount    int `json:"error_count"`
		WarningCount  int `json:"warning_count"`
		Diagnostics   []struct {
			Severity, Summary, Detail string
			Range                     *place
			Snippet                   *struct {
				Context              *string
				Code                 string
				StartLine            int  `json:"start_line"`
				HighlightStartOffset *int `json:"highlight_start_offset"`
				HighlightEndOffset   *int `json:"highlight_end_offset"`
				Values               []struct{ Traversal, Statement string }
			}
			Rule    string            // added
			Related []json.RawMessage // added
		}
	}
	list, sources := problems()
	var b strings.Builder
	if err := JSON(&b, list, sources); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(b.String()))
	d.DisallowUnknownFields()
	if err := d.Decode(&report); err != nil {
		t.Fatal(err)
	}
	if report.FormatVersion != "1.0" || report.Valid || report.ErrorCount != 6 || report.WarningCount != 1 || len(report.Diagnostics) != 7 {
		t.Errorf("%+v", report)
	}
	for i, got := range report.Diagnostics {
		if got.Severity != list[i].Severity.String() || got.Summary != list[i].Summary || (got.Range == nil) != list[i].Subject.IsZero() {
			t.Errorf("%+v", got)
		}
		if r := got.Range; r != nil && (r.Filename == "" || r.Start.Line == nil || r.Start.Column == nil || r.Start.Byte == nil || r.End.Byte == nil) {
			t.Errorf("range %+v", r)
		}
		if s := got.Snippet; s != nil && (s.StartLine == 0 || s.HighlightStartOffset == nil || s.HighlightEndOffset == nil || s.Values == nil) {
			t.Errorf("snippet %+v", s)
		}
	}
	if v := report.Diagnostics[0].Snippet.Values; len(v) != 1 || v[0].Traversal != "var.team" || v[0].Statement != `is "core"` {
		t.Errorf("%+v", v)
	}
}
