package contrib

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/config"
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

// What is bounded has at most max_bytes, is UTF-8, and nothing is cut that fits.
func FuzzBounded(f *testing.F) {
	f.Add("Contents of a/b.md:\n\n", "some text\n", 10, uint8(0))
	f.Add("Contents of a/b.md:\n\n", "é", 21, uint8(1))
	f.Add(strings.Repeat("i", 132), strings.Repeat("x", 50), 128, uint8(0))
	f.Add(strings.Repeat("i", 132), strings.Repeat("é", 250), 128, uint8(2))
	f.Fuzz(func(t *testing.T, intro, text string, max int, how uint8) {
		if max < 1 || !utf8.ValidString(intro) || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return
		}
		var c config.Contributor
		c.MaxBytes.V, c.Oversize.V = max, []string{"head", "tail", "middle"}[how%3]
		got, err := bounded(c, content{intro: intro, text: text})
		switch {
		case err != nil:
			t.Fatal(err)
		case len(got) > max || !utf8.ValidString(got):
			t.Fatalf("%d bytes of at most %d: %q", len(got), max, got)
		case len(intro)+len(text) <= max && !blank(text) && got != intro+text:
			t.Fatalf("cut to %q", got)
		case len(intro) >= max && len(text) <= max && !blank(text) && got != text:
			t.Fatalf("without the first line, the text is %q", got)
		}
	})
}
