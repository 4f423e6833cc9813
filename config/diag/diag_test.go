package diag

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

const source = "model \"chat\" {\n\tid = \"日本\" + e\u0301x\n  provider = 1\n}\n"

// at is the range of the nth occurrence of a text in the source.
func at(src, text string) Range {
	from := strings.Index(src, text)
	if from < 0 {
		panic(text)
	}
	return Range{File: "dsh.hcl", Start: position(src, from), End: position(src, from+len(text))}
}

// position counts characters; it is exact for text without joined ones before it.
func position(src string, offset int) Pos {
	start := strings.LastIndex(src[:offset], "\n") + 1
	return Pos{Line: 1 + strings.Count(src[:start], "\n"), Column: 1 + utf8.RuneCountInString(src[start:offset]), Byte: offset}
}

func problems() (List, Sources) {
	sources := Sources{"dsh.hcl": []byte(source), "other.hcl": []byte("a\nbb\n")}
	wide := Errorf(at(source, "\"日本\""), "Invalid value", "The argument %q is wrong, and this sentence is long enough to be broken into two lines at the width.\n  kept as it is\nEnd.", "id")
	wide.In = `model "chat"`
	wide.Values = []Value{{Traversal: "var.team", Text: `"core"`}}
	joined := Errorf(at(source, "e\u0301"), "Unknown name", "")
	related := Errorf(at(source, "provider"), "Duplicate name", "Both are here.")
	related.Context = Range{File: "dsh.hcl", Start: Pos{1, 1, 0}, End: position(source, len(source)-1)}
	related.Related = []Related{{Message: "first declared", At: Range{File: "other.hcl", Start: Pos{2, 1, 2}, End: Pos{2, 3, 4}}}, {Message: "no place"}}
	block := Errorf(Range{File: "dsh.hcl", Start: Pos{1, 1, 0}, End: position(source, len(source)-1)}, "Whole block", "It is wrong.")
	end := Errorf(Range{File: "dsh.hcl", Start: position(source, len(source)), End: position(source, len(source))}, "Missing end", "Write it.")
	return List{
		wide, joined, related, block, end,
		Warnf("unused-declaration", Range{File: "gone.hcl", Start: Pos{3, 4, 20}, End: Pos{3, 5, 21}}, "Never used", "Nothing uses it."),
		Errorf(Range{}, "No configuration found", "Run `dsh init`."),
	}, sources
}

// golden compares with a file; DSH_UPDATE rewrites it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("DSH_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", path, got)
	}
}

func TestText(t *testing.T) {
	list, sources := problems()
	for path, opts := range map[string]TextOptions{
		"testdata/plain.txt": {Width: 60},
		"testdata/color.txt": {Color: true},
	} {
		var b strings.Builder
		if err := Text(&b, list, sources, opts); err != nil {
			t.Fatal(err)
		}
		golden(t, path, b.String())
	}
}

func TestJSON(t *testing.T) {
	list, sources := problems()
	var b strings.Builder
	if err := JSON(&b, list, sources); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/report.json", b.String())

	b.Reset()
	if err := JSON(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"format_version\": \"1.0\",\n  \"valid\": true,\n  \"error_count\": 0,\n  \"warning_count\": 0,\n  \"diagnostics\": []\n}\n"; b.String() != want {
		t.Errorf("an empty report is\n%s", b.String())
	}
}

// TestHighlight holds that the offsets of a snippet cut the subject out of it.
func TestHighlight(t *testing.T) {
	list, sources := problems()
	cut := 0
	for _, d := range list {
		s := toJSONSnippet(d, sources)
		if s == nil {
			continue
		}
		cut++
		want := source[d.Subject.Start.Byte:d.Subject.End.Byte]
		if got := s.Code[s.HighlightStartOffset:s.HighlightEndOffset]; got != want {
			t.Errorf("%s: %q, want %q", d.Summary, got, want)
		}
		if !strings.HasPrefix(source[lineStart(source, s.StartLine):], s.Code) {
			t.Errorf("%s: line %d does not begin with %q", d.Summary, s.StartLine, s.Code)
		}
	}
	if cut < 5 {
		t.Errorf("%d snippets", cut)
	}
}

func lineStart(src string, number int) int {
	offset := 0
	for range number - 1 {
		offset += strings.Index(src[offset:], "\n") + 1
	}
	return offset
}

func TestControlCharactersAreNotWritten(t *testing.T) {
	src := "a = \"\x1b[2J\u202e\x07\x9b\" \xff\n"
	d := Errorf(Range{File: "x\x1b.hcl", Start: Pos{1, 1, 0}, End: Pos{1, 2, 1}}, "Odd\x1b", "Text \x1b[31m.")
	d.In = "block \"\x1b\""
	var b strings.Builder
	if err := Text(&b, List{d}, Sources{"x\x1b.hcl": []byte(src)}, TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\x07\u202e\u009b") || !utf8.ValidString(b.String()) {
		t.Errorf("%q", b.String())
	}
}

func TestLongLine(t *testing.T) {
	src := strings.Repeat("é", 5000) + "X" + strings.Repeat("y", 5000)
	d := Errorf(Range{File: "f", Start: Pos{1, 5001, 10000}, End: Pos{1, 5002, 10001}}, "Here", "")
	var b strings.Builder
	if err := Text(&b, List{d}, Sources{"f": []byte(src)}, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) < 5 || len(lines[3]) > 500 || !strings.Contains(lines[3], "éX") {
		t.Fatalf("%q", b.String())
	}
	if x, mark := utf8.RuneCountInString(lines[3][:strings.Index(lines[3], "X")]), strings.Index(lines[4], "^"); x != mark {
		t.Errorf("the mark is at %d, the place at %d", mark, x)
	}
}

func TestWrap(t *testing.T) {
	cases := []struct {
		text  string
		width int
		want  string
	}{
		{"one two three four five", 20, "one two three four|five"},
		{"日本語 日本語 日本語 日本語", 20, "日本語 日本語 日本語|日本語"},
		{"a very-long-word-that-does-not-fit-anywhere b", 20, "a|very-long-word-that-does-not-fit-anywhere|b"},
		{"a\n\nb", 20, "a||b"},
		{"one two three four five", 0, "one two three four five"},
	}
	for _, c := range cases {
		if got := strings.Join(wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestSort(t *testing.T) {
	l := List{
		Warnf("r", Range{File: "b", Start: Pos{1, 1, 5}}, "w", ""),
		Errorf(Range{File: "b", Start: Pos{1, 1, 5}}, "e", ""),
		Errorf(Range{File: "a", Start: Pos{1, 1, 9}}, "late", ""),
		Errorf(Range{}, "nowhere", ""),
	}
	l.Sort()
	var got []string
	for _, d := range l {
		got = append(got, d.Summary)
	}
	if s := strings.Join(got, " "); s != "nowhere late e w" {
		t.Error(s)
	}
}

// FuzzRender holds that a diagnostic with any range over any text can be
// rendered, and that the report is valid JSON.
func FuzzRender(f *testing.F) {
	f.Add("a\nb\n", 2, 3, 0, 4, "x\ty")
	f.Add("\x9f\x9f\r\n", 1, 900, -4, 7, "")
	f.Add(strings.Repeat("\x9f", 700), 99, 100, 0, 0, "z")
	f.Fuzz(func(t *testing.T, src string, from, to, contextFrom, contextTo int, detail string) {
		d := Errorf(Range{File: "f", Start: Pos{1, 1, from}, End: Pos{1, 1, to}}, "s", "%s", detail)
		d.Context = Range{File: "f", Start: Pos{1, 1, contextFrom}, End: Pos{1, 1, contextTo}}
		sources := Sources{"f": []byte(src)}
		var b strings.Builder
		if err := Text(&b, List{d}, sources, TextOptions{Width: 40, Color: true}); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := JSON(&b, List{d}, sources); err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(b.String())) {
			t.Errorf("no JSON: %s", b.String())
		}
	})
}
