package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/compact"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/meter"
)

// TestSpecPairing is the cases of spec/loop.md section 9.11: may a cut be before the
// node at, counted from 0, the number of nodes for behind the last.
func TestSpecPairing(t *testing.T) {
	for name, c := range map[string]struct {
		words string
		at    int
		want  bool
	}{
		"L139 before the user of a closed turn":                          {"u ca ra", 0, true},
		"L140 before its assistant":                                      {"u ca ra", 1, true},
		"L142 before a lone user":                                        {"u", 0, true},
		"L143 behind the result":                                         {"u ca ra", 3, true},
		"L144 behind the assistant that calls":                           {"u ca ra", 2, false},
		"L147 behind steering that follows text":                         {"u t x", 3, true},
		"L148 behind a lone user":                                        {"u", 1, true},
		"L150 behind the second of two results":                          {"u cab ra rb", 4, true},
		"L151 before context between call and result":                    {"u ca x ra", 2, false},
		"L152 behind that context":                                       {"u ca x ra", 3, false},
		"L154 behind the result that follows it":                         {"u ca x ra", 4, true},
		"L155 a checkpoint is where the range it stands for was":         {"u t", 1, true},
		"L156 before a checkpoint at the head":                           {"u t", 0, true},
		"behind the first of two results":                                {"u cab ra rb", 3, false},
		"ids that are used again":                                        {"u ca ra ca ra", 3, true},
		"two calls of one id, behind the first result":                   {"u caa ra ra", 3, false},
		"behind a node without a message":                                {"u n t", 2, true},
		"behind a call that nothing answered, of a log of the reference": {"u ca u t ca ra", 4, true},
		"and in a pair that follows it":                                  {"u ca u t ca ra", 5, false},
	} {
		cuts, err := compact.Cuts(surface(t, c.words))
		if err != nil || cuts[c.at] != c.want {
			t.Errorf("%s: %v, %v", name, cuts, err)
		}
	}
	t.Run("L158 a surface that begins with a result", func(t *testing.T) {
		var corrupt *compact.CorruptError
		if _, err := compact.Cuts(surface(t, "ra u")); !errors.As(err, &corrupt) || corrupt.Seq != 1 || !strings.Contains(err.Error(), "no matching tool-call") {
			t.Error(err)
		}
	})
}

// TestSpecRetention is the retention walk of section 9.13: how many nodes go.
func TestSpecRetention(t *testing.T) {
	for name, c := range map[string]struct {
		words  string
		retain meter.Tokens
		want   int
	}{
		"L166 one closed step":            {"ca ra", 5, 0},
		"L186 three turns":                {"u t u t u t", 10, 5},
		"L188 three turns, one retained":  {"u t u t u t", 10, 5},
		"L190 less than is retained":      {"u t u t", 45, 0},
		"exactly what is retained":        {"u t u t", 40, 0},
		"L191 a runaway turn":             {"u ca ra cb rb cc rc cd rd ce re", 25, 7},
		"a pair is kept whole":            {"u ca ra cb rb", 10, 3},
		"nothing retained keeps one node": {"u t u", 0, 2},
		"nothing retained keeps one unit": {"u ca ra", 0, 1},
		"L192 an empty surface":           {"", 10, 0},
		"a lone message":                  {"u", 0, 0},
	} {
		nodes := surface(t, c.words)
		cuts, err := compact.Cuts(nodes)
		if err != nil {
			t.Fatal(err)
		}
		if got := compact.Region(nodes, cuts, c.retain); got != c.want {
			t.Errorf("%s: %d nodes, want %d", name, got, c.want)
		}
	}
	t.Run("L239 an empty surface over the threshold", func(t *testing.T) {
		d, err := compact.Policy{Threshold: 100}.Gate(event.TriggerThreshold, 200, nil, 0)
		if err != nil || d.Kind != event.GateNone {
			t.Errorf("%+v, %v", d, err)
		}
	})
}
