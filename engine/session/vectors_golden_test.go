package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/golden"
)

// checkGolden compares the two normal forms of a log.
func checkGolden(t *testing.T, d *differences, c *logCase) {
	want := c.Expect
	if want.Normalized == nil {
		return // damaged logs have none
	}
	var ctx struct {
		SessionIDs []string
		Cwd        string
	}
	if err := json.Unmarshal(c.NormalizeCtx, &ctx); err != nil {
		t.Fatal(err)
	}
	v := golden.Varying{SessionIDs: ctx.SessionIDs, Cwd: ctx.Cwd}
	got, err := golden.NormalizeLog(c.Log, v)
	if err != nil {
		t.Fatal(err)
	}
	compareLines(t, d, c, "normalized", got, *want.Normalized)
	if again, err := golden.NormalizeLog(got, v); err != nil || again != got && !c.overlapping(ctx.SessionIDs, ctx.Cwd) {
		t.Errorf("normalising is not idempotent: %v", err)
	}
	scrubbed := c.Log
	if want.Scrubbed != nil {
		scrubbed = *want.Scrubbed
	} else if !want.ScrubbedSame {
		t.Fatal("nothing is expected of scrubbing")
	}
	got, err = golden.ScrubHeaders(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	compareLines(t, d, c, "scrubbed", got, scrubbed)
	if again, err := golden.ScrubHeaders(got); err != nil || again != got {
		t.Errorf("scrubbing is not idempotent: %v", err)
	}
}

// overlapping reports whether an id or the workspace is a part of a token, so that
// it is found again in what was normalised.
func (c *logCase) overlapping(ids []string, cwd string) bool {
	for _, s := range append(ids, cwd) {
		if strings.Contains("{{sessionId}} {{cwd}}", s) {
			return true
		}
	}
	return false
}

func compareLines(t *testing.T, d *differences, c *logCase, what, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(g) != len(w) {
		t.Fatalf("%s: %d lines, want %d", what, len(g), len(w))
	}
	source := strings.Split(c.Log, "\n")
	for i := range g {
		if g[i] == w[i] {
			continue
		}
		if strings.Contains(source[i], `"__proto__"`) {
			d.note("member named __proto__", c.Name)
			continue
		}
		if exp := d.expected(t, c, json.RawMessage(w[i])); g[i] != exp {
			t.Errorf("%s line %d:\n%s, want\n%s", what, i+1, g[i], w[i])
		}
	}
}
