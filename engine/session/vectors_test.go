package session_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// The vectors are what the reference's own code answered about session logs of
// version 0: a log or a header, and everything that is derived from it. The files
// in testdata always run. A folder of the same form may be named by the
// environment variable DSH_VECTORS; its files run besides.
const vectorFolder = "testdata/vectors"

// vectorCounts is how many cases each file of testdata has.
var vectorCounts = map[string]int{"synthetic": 324, "damaged": 207, "codec": 235, "sweep": 5}

// TestVectors runs every case of every file. The cases of testdata in which this
// project differs from the reference are those that docs/format/divergences.md
// counts.
func TestVectors(t *testing.T) {
	t.Run("testdata", func(t *testing.T) {
		var d differences
		runVectors(t, vectorFolder, &d, vectorCounts)
		d.compare(t, filepath.Join("..", "..", "docs", "format", "divergences.md"))
	})
	if folder := os.Getenv("DSH_VECTORS"); folder != "" {
		t.Run("DSH_VECTORS", func(t *testing.T) {
			runVectors(t, filepath.Join(folder, "log"), &differences{}, nil)
		})
	}
}

// runVectors runs the files of a folder. counts is how many cases each has, nil
// where any number will do.
func runVectors(t *testing.T, folder string, d *differences, counts map[string]int) {
	logs := append(readVectors[logCase](t, folder, "synthetic", counts), readVectors[logCase](t, folder, "damaged", counts)...)
	sweeps := readVectors[sweepCase](t, folder, "sweep", counts)
	codecs := readVectors[codecCase](t, folder, "codec", counts)
	each := func(name string, check func(t *testing.T, d *differences, c *logCase)) {
		t.Run(name, func(t *testing.T) {
			for i := range logs {
				t.Run(logs[i].Name, func(t *testing.T) { check(t, d, &logs[i]) })
			}
		})
	}
	each("scan", checkScan)
	each("listed", checkListed)
	each("fold", checkFold)
	each("requests", checkRequests)
	each("invariants", checkInvariants)
	each("carry", checkCarry)
	each("golden", checkGolden)
	for i := range sweeps {
		t.Run(sweeps[i].Name, func(t *testing.T) { checkSweep(t, &sweeps[i]) })
	}
	for i := range codecs {
		t.Run(codecs[i].Name, func(t *testing.T) { checkCodec(t, d, &codecs[i]) })
	}
}

// readVectors returns the cases of a file, which may be cut into parts NAME-1,
// NAME-2 and so on. It fails when a file is missing, empty or short.
func readVectors[T any](t *testing.T, folder, name string, counts map[string]int) []T {
	t.Helper()
	cases := readFolder[T](t, folder, name)
	if want, ok := counts[name]; counts != nil && (!ok || len(cases) != want) {
		t.Fatalf("%s has %d cases instead of %d", name, len(cases), want)
	}
	t.Logf("%d cases of %s", len(cases), name)
	return cases
}

func readFolder[T any](t *testing.T, folder, name string) []T {
	t.Helper()
	files := []string{filepath.Join(folder, name+".dev.json")}
	if parts, err := filepath.Glob(filepath.Join(folder, name+"-*.dev.json")); err == nil && len(parts) > 0 {
		files = parts
	}
	var all []T
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []T
		if err := json.Unmarshal(b, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(cases) == 0 {
			t.Fatalf("%s has no case", file)
		}
		all = append(all, cases...)
	}
	return all
}

// failure is an error as the vectors name it. Line counts events from 1.
type failure struct {
	Kind string
	Line int
}

// logCase is one log and what the reference derives from it. Of raw messages the
// bytes are those of JSON.stringify.
type logCase struct {
	Name, Kind, Note string
	Tags, Bugs       []string
	Log, Encoding    string
	NormalizeCtx     json.RawMessage
	Expect           struct {
		Scan struct {
			CommittedBytes    int64
			RawCommittedBytes *int64
			Torn              bool
			Events            int
			DroppedLines      int
			Meta              json.RawMessage
			Error             *failure
		}
		Load struct {
			Events int
			Error  *failure
		}
		Listed                                                            json.RawMessage
		SeedError, SurfaceError, MessagesError, HeaderError, ClosersError *failure
		SurfaceSeqs, EmptySeqs                                            []int64
		Messages                                                          []json.RawMessage
		Shadowed                                                          []struct {
			Seq     int64
			Message json.RawMessage
		}
		Header         json.RawMessage
		Closers        []json.RawMessage
		CloserMessages []json.RawMessage
		Requests       []requestCase
		Invariant      struct {
			OK    bool
			Seq   int64
			Check string
			Error *failure
		}
		Normalized, Scrubbed *string
		ScrubbedSame         bool
	}
}

type requestCase struct {
	Turn, Step, BoundarySeq, ResponseSeq int64
	Header                               json.RawMessage
	PrefixCount                          int
	Messages                             []json.RawMessage
	HeaderError, MessagesError           *failure
}

// bytes is the log as it stands in the file.
func (c *logCase) bytes(t *testing.T) string {
	t.Helper()
	if c.Encoding != "base64" {
		return c.Log
	}
	b, err := base64.StdEncoding.DecodeString(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (c *logCase) tagged(tag string) bool { return slices.Contains(c.Tags, tag) }

// quotedSurrogate is a lone surrogate in the kind of a source, which the reference
// quotes before it becomes text.
var quotedSurrogate = regexp.MustCompile(`^(\{"role":"user","content":\[\{"type":"text","text":"<(?:context|steering) source=\\"[^>]*?)\\\\ud[89a-f][0-9a-f]{2}`)

// expected returns what the reference answered as this project writes it: a lone
// surrogate, which UTF-8 cannot carry, is U+FFFD.
func (d *differences) expected(t *testing.T, c *logCase, raw json.RawMessage) string {
	t.Helper()
	v, err := canon.ParseJavaScript(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	want := v.Raw()
	for c.tagged("lone-surrogate") && quotedSurrogate.MatchString(want) {
		want = quotedSurrogate.ReplaceAllString(want, "$1\ufffd")
	}
	if want == string(raw) {
		return want
	}
	if !c.tagged("lone-surrogate") {
		t.Fatalf("JavaScript writes %.200s as %.200s", raw, want)
	}
	d.note("lone surrogate", c.Name)
	return want
}

// differences counts the cases in which this project differs from the reference on
// purpose, by the names of docs/format/divergences.md.
type differences struct{ cases map[string][]string }

func (d *differences) note(divergence, name string) {
	if d.cases == nil {
		d.cases = map[string][]string{}
	}
	if !slices.Contains(d.cases[divergence], name) {
		d.cases[divergence] = append(d.cases[divergence], name)
	}
}

// compare holds the counts against the table of a page, whose rows begin with a
// name in backquotes and end with a number.
func (d *differences) compare(t *testing.T, page string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	stated := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| ([0-9]+) \\|$").FindAllStringSubmatch(string(b), -1) {
		stated[m[1]], _ = strconv.Atoi(m[2])
	}
	found := map[string]int{}
	for name, cases := range d.cases {
		found[name] = len(cases)
	}
	if diff := cmp.Diff(stated, found); diff != "" {
		t.Errorf("%s counts other divergences (-stated +found):\n%s", page, diff)
	}
}
