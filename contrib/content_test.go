package contrib

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzLF(f *testing.F) {
	for _, s := range []string{"", "\r", "\n", "\r\n", "\r\r\n", "a\r\nb\rc\n\r", "\r\n\r\n", "é\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := lf(s)
		switch {
		case strings.Contains(got, "\r\n"):
			t.Fatalf("CRLF is left in %q", got)
		case lf(got) != got:
			t.Fatalf("a second pass changes %q", got)
		case strings.ReplaceAll(got, "\r", "") != strings.ReplaceAll(s, "\r", ""):
			t.Fatalf("%q became %q", s, got)
		case !strings.Contains(s, "\r\n") && got != s:
			t.Fatalf("%q without CRLF became %q", s, got)
		}
	})
}

func FuzzInvalidUTF8(f *testing.F) {
	for _, s := range []string{"", "a", "é", "\xff", "a\xe2\x82", "\ufffd", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at := invalidUTF8(s)
		if (at < 0) != utf8.ValidString(s) {
			t.Fatalf("%q: %d", s, at)
		}
		if at >= 0 && !utf8.ValidString(s[:at]) {
			t.Fatalf("%q: %d is not the first", s, at)
		}
	})
}
