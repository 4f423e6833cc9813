package bpe

import (
	"strings"
	"testing"
)

// A piece of any length is counted in parts: their sum is what it is in the whole, or a
// little more.
func TestLongPieces(t *testing.T) {
	for _, name := range Names() {
		tk, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"a", " ", "日"} {
			part, whole := tk.Count(strings.Repeat(unit, longest/len(unit))), tk.Count(strings.Repeat(unit, 4*longest/len(unit)))
			if whole < 4*part-8 || whole > 4*part+8 {
				t.Errorf("%s: %q: a part has %d tokens, four have %d", name, unit, part, whole)
			}
		}
	}
}
