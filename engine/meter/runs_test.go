package meter_test

import (
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/meter/bpe"
)

// Long runs of what tokenizers pack tightly are not taken for nothing.
func TestLongRuns(t *testing.T) {
	for _, family := range []string{"o200k", "cl100k"} {
		exact, err := bpe.Open(family)
		if err != nil {
			t.Fatal(err)
		}
		e := estimator(t, family)
		for what, text := range map[string]string{
			"line breaks and blanks": strings.Repeat("\n ", 10_000),
			"unusual blanks":         strings.Repeat("\u2003", 3000),
			"marks":                  strings.Repeat("!", 20_000),
			"rules":                  strings.Repeat("-", 20_000),
			"blanks":                 strings.Repeat(" ", 50_000),
			"columns":                strings.Repeat(strings.Repeat(" ", 1000)+"a", 100),
			"padded lines":           strings.Repeat(strings.Repeat(" ", 300)+"\n", 100),
		} {
			got, want := e.Text(text), meter.Tokens(exact.Count(text))
			if got < want/3 || got > want*4 {
				t.Errorf("%s: %s: estimated at %d, counted %d", family, what, got, want)
			}
		}
	}
}
