package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/session"
)

// codecCase is a pair of headers, a delta that no writer logs, a header that is
// not canonical, or a list of events with the header after each.
type codecCase struct {
	Name, Kind, Quirk, Writes                string
	Prev, Next, Delta, Apply, Raw, Canonical json.RawMessage
	Equal, RoundTrips                        bool
	Events, After                            []json.RawMessage
}

func parsedHeader(t *testing.T, raw json.RawMessage) header.Header {
	t.Helper()
	h, err := header.Parse(value(t, string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if !h.IsVersion0() || h.Sendable() != nil && !strings.Contains(string(raw), `"{{tools}}"`) {
		t.Errorf("%s: %v", raw, h.Sendable())
	}
	return h
}

func value(t *testing.T, raw string) canon.Value {
	t.Helper()
	v, err := canon.ParseCanonical(raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func checkCodec(t *testing.T, d *differences, c *codecCase) {
	switch c.Kind {
	case "pair":
		c.checkPair(t)
	case "apply":
		prev := parsedHeader(t, c.Prev)
		delta, err := prev.ParseDelta(value(t, string(c.Delta)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := prev.Apply(delta)
		if c.Quirk != "" {
			d.note("line counts that do not fit", c.Name)
			if err == nil {
				t.Errorf("counts that do not fit lead to %s", got.Raw())
			}
		} else if err != nil || got.Raw() != string(c.Apply) {
			t.Errorf("got\n%s, %v, want\n%s", got.Raw(), err, c.Apply)
		}
	case "canonical":
		if got := parsedHeader(t, c.Raw).Raw(); got != string(c.Canonical) {
			t.Errorf("got  %s\nwant %s", got, c.Canonical)
		}
	case "fold":
		if len(c.Events) != len(c.After) || len(c.Events) == 0 {
			t.Fatalf("%d events, %d headers", len(c.Events), len(c.After))
		}
		state := &session.State{}
		for i, raw := range c.Events {
			e, err := event.ParseVersion0(string(raw))
			if err != nil {
				t.Fatal(err)
			}
			if err := state.Apply(e); err != nil {
				t.Fatal(err)
			}
			got := "null"
			if h, ok := state.Header(); ok {
				got = h.Raw()
			}
			if got != string(c.After[i]) {
				t.Errorf("after event %d\n%s, want\n%s", i, got, c.After[i])
			}
		}
	default:
		t.Errorf("kind %q is not known", c.Kind)
	}
}

func (c *codecCase) checkPair(t *testing.T) {
	prev, next := parsedHeader(t, c.Prev), parsedHeader(t, c.Next)
	if prev.Raw() != string(c.Prev) || next.Raw() != string(c.Next) {
		t.Errorf("headers read back as\n%s\n%s", prev.Raw(), next.Raw())
	}
	if prev.Equal(next) != c.Equal || next.Equal(prev) != c.Equal {
		t.Errorf("equal is %v", !c.Equal)
	}
	delta := header.Diff(prev, next)
	got := "null"
	if !delta.IsEmpty() {
		got = delta.Raw()
	}
	if got != string(c.Delta) {
		t.Errorf("delta\n%s, want\n%s", got, c.Delta)
	}
	applied, err := prev.Apply(delta)
	if err != nil || applied.Raw() != string(c.Apply) {
		t.Fatalf("applied\n%s, %v, want\n%s", applied.Raw(), err, c.Apply)
	}
	if applied.Equal(next) != c.RoundTrips {
		t.Errorf("round trip is %v", !c.RoundTrips)
	}
	writes := "fallback"
	switch {
	case prev.Equal(next):
		writes = "none"
	case applied.Equal(next):
		writes = "delta"
	}
	if writes != c.Writes {
		t.Errorf("writes %s, want %s", writes, c.Writes)
	}
	// A log says the same.
	line := func(seq int, kind, data string) string {
		return fmt.Sprintf(`{"type":%q,"seq":%d,"time":1,"data":%s}`, kind, seq, data)
	}
	lines := []string{line(0, "request/header", `{"header":`+string(c.Prev)+`,"reason":"initial"}`)}
	switch writes {
	case "delta":
		lines = append(lines, line(1, "request/header-delta", got))
	case "fallback":
		lines = append(lines, line(1, "request/header", `{"header":`+string(c.Next)+`,"reason":"fallback"}`))
	}
	state := &session.State{}
	for _, l := range lines {
		e, err := event.ParseVersion0(l)
		if err == nil {
			err = state.Apply(e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if h, ok := state.Header(); !ok || !h.Equal(next) {
		t.Errorf("the log folds to\n%s, want\n%s", h.Raw(), next.Raw())
	}
}
