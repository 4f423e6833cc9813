package mention

import (
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/ref"
)

// Token is what is being typed behind an @.
type Token struct {
	Start  int    // where its @ stands, in UTF-16 units
	Prefix string // the token as typed up to the cursor
	Query  string // without @ and opening quote
	Quoted bool   // a quote is open
}

// At returns the token at the cursor, which is counted in UTF-16 units; there is none
// inside a surrogate pair. The @ stands at the beginning or behind white space. Behind
// an open quote the token may hold white space, otherwise it ends there
// (spec/references.md section 10.1).
func At(line string, cursor int) (Token, bool) {
	end, ok := bytesOf(line, cursor)
	if !ok {
		return Token{}, false
	}
	line = line[:end]
	begins := func(at int) bool {
		r, _ := utf8.DecodeLastRuneInString(line[:at])
		return line[at] == '@' && (at == 0 || ref.JavaScriptSpace(r))
	}
	if q := strings.LastIndexByte(line, '"'); q > 0 && begins(q-1) {
		return Token{Start: Units(line[:q-1]), Prefix: line[q-1:], Query: line[q+1:], Quoted: true}, true
	}
	at := 0
	if i := strings.LastIndexFunc(line, ref.JavaScriptSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(line[i:])
		at = i + size
	}
	if at == len(line) || !begins(at) {
		return Token{}, false
	}
	return Token{Start: Units(line[:at]), Prefix: line[at:], Query: line[at+1:]}, true
}

// Units is the length of a text in UTF-16 units.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += unitsOf(r)
	}
	return n
}

func unitsOf(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// bytesOf is where a place in UTF-16 units is in bytes: the end for one behind it, and
// nowhere inside a pair.
func bytesOf(s string, units int) (int, bool) {
	for i, r := range s {
		if units <= 0 {
			return i, units == 0 || i == 0
		}
		units -= unitsOf(r)
	}
	return len(s), units >= 0
}

// Insertion is the text that names a path: @path, and a directory ends in a slash.
// Where the path holds white space, or a quote was opened, it stands in quotes, which
// stay open for a directory. A path with a control character, a quote or what is no
// UTF-8 cannot be named (spec/references.md section 10.1).
func Insertion(path string, directory, quoted bool) (text string, ok bool) {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f || r == '"' }) {
		return "", false
	}
	quoted = quoted || strings.ContainsFunc(path, ref.JavaScriptSpace)
	switch {
	case quoted && directory:
		return `@"` + path + "/", true
	case quoted:
		return `@"` + path + `"`, true
	case directory:
		return "@" + path + "/", true
	}
	return "@" + path, true
}
