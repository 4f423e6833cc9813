package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// HookFile is a file of a scenario that declares hooks, which its agents run.
type HookFile struct {
	Name   string
	Line   int    // of the first hook, counted from 1
	SHA256 string // of the file's text, lower-case hex
}

// hookBlock is a line that begins a hook block; unquote removes what may stand in
// front of it.
var hookBlock = regexp.MustCompile(`^>*\s*hook\s+["A-Za-z_]`)

// HookFiles returns the files of a scenario that declare hooks, in order.
func HookFiles(text []byte) []HookFile {
	var out []HookFile
	var body strings.Builder
	name, first := "", 0
	end := func() {
		if name != "" && first > 0 {
			sum := sha256.Sum256([]byte(body.String()))
			out = append(out, HookFile{Name: name, Line: first, SHA256: hex.EncodeToString(sum[:])})
		}
		body.Reset()
		first = 0
	}
	for n, line := range strings.SplitAfter(string(text), "\n") {
		if marker, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- "); ok && strings.HasSuffix(marker, " --") {
			end()
			name = strings.TrimSuffix(marker, " --")
			continue
		}
		body.WriteString(line)
		if first == 0 && hookBlock.MatchString(line) {
			first = n + 1
		}
	}
	end()
	return out
}
