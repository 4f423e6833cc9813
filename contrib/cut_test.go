package contrib

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	for _, tt := range []struct {
		content string
		max     int
		how     string
		want    string
	}{
		{long, 40, "head", "012345678901\n[... 88 bytes omitted ...]"},
		{long, 40, "tail", "[... 88 bytes omitted ...]\n890123456789"},
		{long, 41, "middle", "012345\n[... 88 bytes omitted ...]\n456789"},
		{"line\n" + long, 33, "head", "line\n[... 100 bytes omitted ...]"},
		{strings.Repeat("é", 50), 31, "head", "é\n[... 98 bytes omitted ...]"},
		{strings.Repeat("é", 50), 31, "tail", "[... 98 bytes omitted ...]\né"},
		{strings.Repeat("😀", 25), 31, "head", "[... 100 bytes omitted ...]"},
		{long, 28, "head", long[:28]},
		{long, 28, "tail", long[72:]},
		{long, 28, "middle", long[:28]},
		{"ééé", 5, "head", "éé"},
		{"ééé", 5, "tail", "éé"},
		{"😀😀", 3, "head", ""},
		{"😀😀", 3, "tail", ""},
	} {
		if got := cut(tt.content, tt.max, tt.how); got != tt.want {
			t.Errorf("%s %d of %.20q: got %q, want %q", tt.how, tt.max, tt.content, got, tt.want)
		}
	}
}

var markerLine = regexp.MustCompile(`\n?\[\.\.\. (\d+) bytes omitted \.\.\.\]\n?`)

// FuzzCut holds every cut to its promises: within max, whole characters, a true
// beginning and a true end, and a marker that counts what is missing.
func FuzzCut(f *testing.F) {
	f.Add(strings.Repeat("0123456789", 10), 40, 0)
	f.Add(strings.Repeat("é😀\r\n", 30), 61, 1)
	f.Add(strings.Repeat("漢字\n", 300), 1000, 2)
	f.Add("😀😀😀", 1, 2)
	f.Add(strings.Repeat("x\n", 60), 33, 2)
	f.Fuzz(func(t *testing.T, content string, max, how int) {
		if !utf8.ValidString(content) || max < 1 || max >= len(content) || strings.Contains(content, "[...") {
			return
		}
		kind := []string{"head", "tail", "middle"}[uint(how)%3]
		got := cut(content, max, kind)
		if len(got) > max {
			t.Fatalf("%d bytes of %d", len(got), max)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("a character is split: %q", got)
		}
		m := markerLine.FindStringSubmatchIndex(got)
		if m == nil {
			if whole := strings.HasPrefix(content, got) || kind == "tail" && strings.HasSuffix(content, got); !whole {
				t.Fatalf("%q is no part of %q", got, content)
			}
			return
		}
		// A line break before the marker may be content or not; the count tells.
		omitted, err := strconv.Atoi(got[m[2]:m[3]])
		if err != nil {
			t.Fatal(err)
		}
		for _, head := range []string{got[:m[0]], got[:m[0]] + "\n"} {
			for _, tail := range []string{got[m[1]:], "\n" + got[m[1]:]} {
				if len(head)+len(tail)+omitted == len(content) && strings.HasPrefix(content, head) && strings.HasSuffix(content, tail) {
					return
				}
			}
		}
		t.Fatalf("%s of %d bytes to %d gives %q", kind, len(content), max, got)
	})
}
