package store

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// fileName is the name that the log with a header has in its bucket.
func fileName(h eventlog.Header) string {
	if h.Version == 0 {
		return encodeID(h.ID) + ".jsonl"
	}
	return h.ID + ".jsonl"
}

// encodeID is how the reference names a file for an id (spec/loop.md section
// 5.2): what is no letter, digit, dot, underscore or hyphen of ASCII is spelt out
// as its UTF-16 code units.
func encodeID(id string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(id)) {
		if c := byte(u); u < 0x80 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "~%04X", u)
	}
	switch name := b.String(); name {
	case ".", "..":
		return strings.ReplaceAll(name, ".", "~002E")
	default:
		return name
	}
}
