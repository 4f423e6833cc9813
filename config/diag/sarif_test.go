package diag

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// report is SARIF as a reader of code scanning results takes it.
type report struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		ColumnKind string
		Tool       struct {
			Driver struct {
				Name, SemanticVersion string
				Rules                 []struct {
					ID                                string
					ShortDescription, FullDescription struct{ Text string }
					DefaultConfiguration              struct{ Level string }
				}
			}
		}
		Results []struct {
			RuleID, Level    string
			RuleIndex        int
			Message          struct{ Text string }
			Locations        []location
			RelatedLocations []location
		}
	}
}

type location struct {
	Message          struct{ Text string }
	PhysicalLocation struct {
		ArtifactLocation struct{ URI string }
		Region           struct {
			StartLine, StartColumn, EndLine, EndColumn int
			Snippet                                    struct{ Text string }
		}
	}
}

func readSARIF(t *testing.T, list List, sources Sources, opts SARIFOptions) report {
	t.Helper()
	var b strings.Builder
	if err := SARIF(&b, list, sources, opts); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal([]byte(b.String()), &r); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if r.Version != "2.1.0" || len(r.Runs) != 1 || r.Runs[0].ColumnKind != "utf16CodeUnits" {
		t.Fatalf("%+v", r)
	}
	for _, result := range r.Runs[0].Results {
		if rules := r.Runs[0].Tool.Driver.Rules; rules[result.RuleIndex].ID != result.RuleID {
			t.Errorf("%+v is not rule %d", result, result.RuleIndex)
		}
	}
	return r
}

func TestSARIF(t *testing.T) {
	list, sources := problems()
	wide := Errorf(at("x = \"\U0001F600\" + y\n", "y"), "Unknown name", "")
	wide.Subject.File = "/abs/a b.hcl"
	sources[wide.Subject.File] = []byte("x = \"\U0001F600\" + y\n")
	list = append(list, wide)
	r := readSARIF(t, list, sources, SARIFOptions{Version: "1.2.3", Rules: map[string]string{"unused-declaration": "A declaration that nothing uses."}, Main: "dsh.hcl"}).Runs[0]
	if len(r.Results) != len(list) {
		t.Fatalf("%d results of %d problems", len(r.Results), len(list))
	}
	if d := r.Tool.Driver; d.Name != "dsh" || d.SemanticVersion != "1.2.3" || len(d.Rules) != 7 {
		t.Errorf("%+v", d)
	}
	for i, want := range []struct {
		rule, level, uri       string
		line, column, to, upTo int
	}{
		{"invalid-value", "error", "dsh.hcl", 2, 7, 2, 11},
		{"unknown-name", "error", "dsh.hcl", 2, 14, 2, 16},
		{"duplicate-name", "error", "dsh.hcl", 3, 3, 3, 11},
		{"whole-block", "error", "dsh.hcl", 1, 1, 4, 2},
		{"missing-end", "error", "dsh.hcl", 5, 1, 5, 1},
		{"unused-declaration", "warning", "gone.hcl", 3, 4, 3, 5},
		{"no-configuration-found", "error", "dsh.hcl", 1, 1, 1, 1},
		{"unknown-name", "error", "file:///abs/a%20b.hcl", 1, 12, 1, 13},
	} {
		got := r.Results[i]
		place := got.Locations[0].PhysicalLocation
		if got.RuleID != want.rule || got.Level != want.level || place.ArtifactLocation.URI != want.uri {
			t.Errorf("%d: %+v", i, got)
		}
		if g := place.Region; g.StartLine != want.line || g.StartColumn != want.column || g.EndLine != want.to || g.EndColumn != want.upTo {
			t.Errorf("%d: region %+v, want %+v", i, g, want)
		}
	}
	related := r.Results[2].RelatedLocations
	if len(related) != 1 || related[0].Message.Text != "first declared" || related[0].PhysicalLocation.ArtifactLocation.URI != "other.hcl" {
		t.Errorf("%+v", related)
	}
	if text := r.Results[2].Locations[0].PhysicalLocation.Region.Snippet.Text; text != "  provider = 1" {
		t.Errorf("snippet %q", text)
	}
	for _, rule := range r.Tool.Driver.Rules {
		if rule.ID == "unused-declaration" && (rule.FullDescription.Text == "" || rule.DefaultConfiguration.Level != "warning") {
			t.Errorf("%+v", rule)
		}
	}
	if r := readSARIF(t, nil, nil, SARIFOptions{}).Runs[0]; r.Results == nil || r.Tool.Driver.Rules == nil {
		t.Errorf("a report without problems is %+v", r)
	}
	if r := readSARIF(t, List{Errorf(Range{}, "No place", "")}, nil, SARIFOptions{}).Runs[0]; len(r.Results[0].Locations) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestLongLines: what stands in a very long line is shown with a part of it.
func TestLongLines(t *testing.T) {
	src := []byte(strings.Repeat("é", 5000) + "X" + strings.Repeat("é", 5000))
	var list List
	at := Range{File: "a", Start: Pos{Line: 1, Column: 5001, Byte: 10000}, End: Pos{Line: 1, Column: 5002, Byte: 10001}}
	for range 100 {
		list = append(list, Errorf(at, "S", "D."))
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"json":  func(b *bytes.Buffer) error { return JSON(b, list, Sources{"a": src}) },
		"sarif": func(b *bytes.Buffer) error { return SARIF(b, list, Sources{"a": src}, SARIFOptions{}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 600_000 || strings.Count(b.String(), "X") != 100 || strings.Contains(b.String(), "\uFFFD") {
			t.Errorf("%s: %d bytes", name, b.Len())
		}
	}
	var b bytes.Buffer
	if err := JSON(&b, list[:1], Sources{"a": src}); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Diagnostics []struct {
			Snippet struct {
				Code  string `json:"code"`
				Start int    `json:"highlight_start_offset"`
				End   int    `json:"highlight_end_offset"`
			} `json:"snippet"`
		} `json:"diagnostics"`
	}
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	if s := out.Diagnostics[0].Snippet; s.Code[s.Start:s.End] != "X" {
		t.Errorf("%q", s.Code[s.Start:s.End])
	}
}
