package bpe

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// letters has what the patterns tell apart, several of a kind.
var letters = []string{
	"a", "b", "s", "t", "re", "ve", "ll", "d", "A", "S", "LL", "é", "É", "ǅ", "ʰ", "ª", "日", "本", "\u0301", "\u0902", "ก", "ั", "1", "22", "٣", "½",
	"'", "'", "'", "ſ", "K", "/", "!", "_", "-", "…", "😀", "\u200d", "\ufeff", " ", " ", "  ", "\t", "\n", "\r\n", "\r", "\v", "\u0085", "\u00a0", "\u3000", "\x00",
}

func randomText(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(24) {
		b.WriteString(letters[random.IntN(len(letters))])
	}
	return b.String()
}

// The splitters find the pieces that the published patterns find.
func TestSplit(t *testing.T) {
	patterns := map[string]string{"cl100k": patternCL100k, "o200k": patternO200k}
	for name, split := range map[string]splitter{"cl100k": splitCL100k, "o200k": splitO200k} {
		// Another implementation has compiled code for these very patterns, which does
		// not find them all; an empty group keeps it from being taken.
		pattern := regexp2.MustCompile("(?:)"+patterns[name], regexp2.None)
		random := rand.New(rand.NewPCG(7, 50))
		for range 40_000 {
			text := randomText(random)
			m, err := pattern.FindStringMatch(text)
			for rest := text; rest != ""; {
				if err != nil || m == nil {
					t.Fatalf("%s: the pattern ends before %q of %q: %v", name, rest, text, err)
				}
				end := split(rest)
				if rest[:end] != m.String() {
					t.Fatalf("%s: %q of %q, not %q", name, rest[:end], text, m.String())
				}
				rest = rest[end:]
				m, err = pattern.FindNextMatch(m)
			}
		}
	}
}

// Joining with a heap gives what joining the lowest pair again and again gives.
func TestMerge(t *testing.T) {
	tk, err := Open("cl100k")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 50))
	for range 20_000 {
		alphabet := letters[:1+random.IntN(len(letters))]
		var b strings.Builder
		for range 1 + random.IntN(30) {
			b.WriteString(strings.Repeat(alphabet[random.IntN(len(alphabet))], 1+random.IntN(4)))
		}
		piece := b.String()
		if piece = piece[:min(len(piece), short)]; piece == "" {
			continue
		}
		if a, b := merge(piece, &tk.bytes, tk.join), mergeLong(piece, &tk.bytes, tk.join); a != b {
			t.Fatalf("%q has %d tokens, with a heap %d", piece, a, b)
		}
	}
}

// Counts are those of another implementation.
func TestCountsAgree(t *testing.T) {
	paths, err := filepath.Glob("../testdata/texts/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d texts, %v", len(paths), err)
	}
	for _, name := range Names() {
		tk, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		other := reference[name]()
		agree := func(what, text string) {
			want, err := other.Count(text)
			if got := tk.Count(text); got != want || err != nil {
				t.Errorf("%s: %s has %d tokens, not %d (%v)", name, what, got, want, err)
			}
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			agree(path, string(text))
		}
		random := rand.New(rand.NewPCG(7, 50))
		for range 20_000 {
			// Of blanks before a line break the other one makes more pieces than the
			// published pattern does.
			text := strings.Join(strings.Fields(randomText(random)), " ")
			agree(text, text)
		}
		if got := tk.Count("a\xff\xfeb"); got != tk.Count("a\uFFFDb") {
			t.Errorf("%s: stray bytes have %d tokens", name, got)
		}
	}
}

// Texts that would take quadratic time by simpler ways take eight times as long when
// they are eight times as long, give or take.
func TestCountIsLinear(t *testing.T) {
	for _, name := range Names() {
		tk, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, unit := range map[string]string{
			"one letter": "a", "capitals": "A", "cases": "aA", "digits": "1", "marks": "!?", "blanks": " ", "line breaks": "\n", "blank lines": " \n",
			"words": "hello world of tests ", "han": "港务局的门在清晨六点打开", "combining": "\u0301", "letters and marks": "日\u0301", "apostrophes": "'s",
		} {
			took := func(size int) time.Duration {
				text := strings.Repeat(unit, size/len(unit))
				best := time.Hour
				for range 3 {
					begin := time.Now()
					tk.Count(text)
					best = min(best, time.Since(begin))
				}
				return best
			}
			short, long := took(1<<14), took(1<<17)
			for range 10 { // others may use the machine
				if long <= 24*short {
					break
				}
				short, long = min(short, took(1<<14)), min(long, took(1<<17))
			}
			t.Logf("%s: %s: 16 KB take %v, 128 KB %v", name, what, short, long)
			if long > 24*short {
				t.Errorf("%s: %s: 16 KB take %v, and 128 KB %v", name, what, short, long)
			}
		}
	}
}
