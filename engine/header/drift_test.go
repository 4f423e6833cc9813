package header_test

import (
	"fmt"
	"testing"

	"github.com/dsh-hcl/dsh/engine/header"
)

func TestDrift(t *testing.T) {
	list := func(pairs ...string) (out []header.Source) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, header.Source{Address: pairs[i], SHA256: pairs[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		name       string
		prev, next []header.Source
		want       string
	}{
		{"the same", list("a", "1", "b", "2"), list("a", "1", "b", "2"), "[]"},
		{"changed", list("a", "1", "b", "2"), list("a", "1", "b", "3"), "[{b changed}]"},
		{"added", list("a", "1"), list("b", "2", "a", "1"), "[{b added}]"},
		{"removed", list("a", "1", "b", "2"), list("b", "2"), "[{a removed}]"},
		{"all at once", list("a", "1", "b", "2"), list("c", "1", "b", "9"), "[{c added} {b changed} {a removed}]"},
		{"moved", list("a", "1", "b", "2", "c", "3"), list("b", "2", "a", "1", "c", "3"), "[{b moved} {a moved}]"},
		{"one of several messages", list("a", "1", "a", "2"), list("a", "1", "a", "3"), "[{a changed}]"},
		{"a message fewer", list("a", "1", "a", "2"), list("a", "1"), "[{a changed}]"},
		{"nothing", nil, nil, "[]"},
	} {
		got := header.Drift(header.Sources{Prefix: c.prev}, header.Sources{Prefix: c.next})
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
		if got := header.Drift(header.Sources{System: c.prev}, header.Sources{System: c.next}); fmt.Sprint(got) != c.want {
			t.Errorf("%s in system: %v, want %s", c.name, got, c.want)
		}
	}
}
