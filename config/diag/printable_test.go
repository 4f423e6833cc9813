package diag_test

import (
	"testing"

	"github.com/dsh-hcl/dsh/config/diag"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\ttext":    "plain\n\ttext",
		"\x1b[31mred\a":    `\u001b[31mred\u0007`,
		"a\rb":             `a\u000db`,
		"bad \xff byte":    `bad \xff byte`,
		"c1 \u009b31m":     `c1 \u009b31m`,
		"\u202eback":       `\u202eback`,
		"a\u2028b\u2029":   `a\u2028b\u2029`,
		"ünïcode — ‘fine’": "ünïcode — ‘fine’",
	} {
		if got := diag.Printable(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
