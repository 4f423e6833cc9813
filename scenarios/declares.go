package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// Declared is a file of a scenario that declares something which starts a process
// when an agent runs.
type Declared struct {
	Kind   string // "hook", "tool" or "command"
	Name   string // of the file
	Line   int    // of the first such block, counted from 1
	SHA256 string // of the scenario's text, lower-case hex: its other lines decide what of it runs
}

// starting are the blocks that start a process, by kind: a line that begins one in
// either syntax. Comments may stand around its type, and unquote removes what may
// stand in front of it. It rather says so too often.
var starting = []struct {
	kind   string
	line   *regexp.Regexp
	except *regexp.Regexp // lines that are none all the same
}{
	{"hook", beginning("hook"), nil},
	// A scripted call of a tool that starts something or writes counts as a tool.
	{"tool", beginning("tool"), regexp.MustCompile(`^>*\s*tool\s+"(read|list|glob|grep|todo)"[^*/]*$`)},
	{"command", beginning("command"), nil},
}

func beginning(block string) *regexp.Regexp {
	return regexp.MustCompile(`^>*(.*\*/)?\s*` + block + `(\s*"|\s*/\*|\s+[A-Za-z_])|"` + block + `"\s*:`)
}

// Declares returns the files of a scenario that declare hooks, those that declare or call
// tools and those that declare commands, of each kind in their order. A file with several
// is there for each.
func Declares(text []byte) []Declared {
	var out []Declared
	whole := sha256.Sum256(text)
	sum := hex.EncodeToString(whole[:])
	name, first := "", make([]int, len(starting))
	end := func() {
		for i, s := range starting {
			if name != "" && first[i] > 0 {
				out = append(out, Declared{Kind: s.kind, Name: name, Line: first[i], SHA256: sum})
			}
			first[i] = 0
		}
	}
	for n, line := range strings.SplitAfter(string(text), "\n") {
		if marker, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- "); ok && strings.HasSuffix(marker, " --") {
			end()
			name = strings.TrimSuffix(marker, " --")
			continue
		}
		for i, s := range starting {
			if first[i] == 0 && s.line.MatchString(line) && (s.except == nil || !s.except.MatchString(strings.TrimRight(line, "\r\n"))) {
				first[i] = n + 1
			}
		}
	}
	end()
	slices.SortStableFunc(out, func(a, b Declared) int { return strings.Compare(b.Kind, a.Kind) }) // tools, hooks, commands
	return out
}
