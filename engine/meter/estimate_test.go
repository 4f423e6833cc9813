package meter_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/meter"
)

// counts are the tokens of the texts in testdata/texts: those of o200k and cl100k
// are also held by the exact tokenizers, those of deepseek were counted once with
// the vocabulary of DeepSeek V3.
var counts = map[string]map[string]int{
	"o200k": {
		"base64": 1184, "chinese": 356, "english": 255, "go": 348, "javascript": 323, "json": 355, "mixed": 289, "python": 415,
	},
	"cl100k": {
		"base64": 1256, "chinese": 507, "english": 259, "go": 355, "javascript": 316, "json": 359, "mixed": 325, "python": 412,
	},
	"deepseek": {
		"base64": 1213, "chinese": 260, "english": 259, "go": 373, "javascript": 339, "json": 365, "mixed": 311, "python": 438,
	},
}

func texts(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/texts/*.txt")
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d texts, %v", len(paths), err)
	}
	out := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(path), ".txt")] = string(text)
	}
	return out
}

func estimator(t testing.TB, name string) meter.Estimator {
	t.Helper()
	e, err := meter.For(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The estimate keeps the error that it states, over kinds of text that the factors
// were not fitted to.
func TestEstimateError(t *testing.T) {
	for family, exact := range counts {
		e := estimator(t, family)
		typical, worst := e.Error()
		if typical > 10 || worst > 20 {
			t.Errorf("%s states an error of %d and %d %%", family, typical, worst)
		}
		var sum, most float64
		for kind, text := range texts(t) {
			n, ok := exact[kind]
			if !ok {
				t.Fatalf("%s has no count of %s", family, kind)
			}
			off := 100 * (float64(e.Text(text))/float64(n) - 1)
			t.Logf("%s %-10s %5d tokens, estimated %5d, %+.1f %%", family, kind, n, e.Text(text), off)
			sum += math.Abs(off)
			most = max(most, math.Abs(off))
		}
		mean := sum / float64(len(exact))
		t.Logf("%s: mean %.1f %%, worst %.1f %%", family, mean, most)
		if mean > float64(typical) || most > float64(worst) {
			t.Errorf("%s: the error is %.1f %% on the mean and %.1f %% at worst, not %d and %d", family, mean, most, typical, worst)
		}
	}
}
