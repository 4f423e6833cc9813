package chat

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// key is what was pressed: a character, or one of the negative values below.
type key rune

const (
	keyNone key = -1 - iota // nothing that means anything here
	keyInterrupt
	keyEnter
	keyTab
	keyEscape
	keyBackspace
	keyDelete
	keyEOF
	keyUp
	keyDown
	keyLeft
	keyRight
	keyWordLeft
	keyWordRight
	keyHome
	keyLineEnd
	keyDeleteWord
	keyDeleteBefore
	keyDeleteBehind
	keyTranspose
	keyClear
)

// control returns what a control character means, that of no other is keyNone.
func control(b byte) key {
	switch b {
	case 1:
		return keyHome
	case 2:
		return keyLeft
	case 3:
		return keyInterrupt
	case 4:
		return keyEOF
	case 5:
		return keyLineEnd
	case 6:
		return keyRight
	case 8, 127:
		return keyBackspace
	case '\t':
		return keyTab
	case 11:
		return keyDeleteBehind
	case 12:
		return keyClear
	case '\r', '\n':
		return keyEnter
	case 14:
		return keyDown
	case 16:
		return keyUp
	case 20:
		return keyTranspose
	case 21:
		return keyDeleteBefore
	case 23:
		return keyDeleteWord
	}
	return keyNone
}

// sequence returns what an escape sequence means, without its first two bytes.
func sequence(s string) key {
	switch s {
	case "A":
		return keyUp
	case "B":
		return keyDown
	case "C":
		return keyRight
	case "D":
		return keyLeft
	case "H", "1~", "7~":
		return keyHome
	case "F", "4~", "8~":
		return keyLineEnd
	case "3~":
		return keyDelete
	case "1;3C", "1;5C":
		return keyWordRight
	case "1;3D", "1;5D":
		return keyWordLeft
	}
	return keyNone
}

// together is how long the bytes of one key may be apart.
const together = 100 * time.Millisecond

// keys reads keys from a terminal in raw mode.
type keys struct {
	in    io.Reader
	idle  func() // called before something is waited for
	typed func() // called when something was read

	buf     [1024]byte
	rest    []byte // read and not taken
	begun   []byte // of a character whose end was not read yet
	err     error  // to be returned behind the rest
	pasting bool   // between the marks of a paste
	behind  bool   // the last byte was a carriage return
	escaped time.Time
}

// The marks that a terminal puts around a paste.
const pasteStart, pasteEnd = "\x1b[200~", "\x1b[201~"

// next returns the next key, and whether it stands in a paste, in which only line ends
// and Ctrl-C are no characters.
func (k *keys) next() (key, bool, error) {
	for {
		for len(k.rest) > 0 {
			pressed, n := k.parse()
			if n == 0 {
				break
			}
			again := k.rest[0] == '\n' && k.behind // the same end of the line
			k.behind = k.rest[0] == '\r'
			k.rest = k.rest[n:]
			if pressed != keyNone && !again {
				return pressed, k.pasting, nil
			}
		}
		// An escape with nothing behind it is the key. Where the rest of a sequence was
		// only late, it is put in front again.
		if string(k.rest) == "\x1b" && !k.pasting {
			k.rest, k.escaped = nil, time.Now()
			return keyEscape, false, nil
		}
		if k.err != nil {
			return keyNone, false, k.err
		}
		k.idle()
		n, err := k.in.Read(k.buf[:])
		late := n > 0 && (k.buf[0] == '[' || k.buf[0] == 'O') && time.Since(k.escaped) < together
		if k.escaped = (time.Time{}); late {
			k.rest = []byte{0x1b}
		}
		k.take(k.buf[:n])
		k.err = err
		k.typed()
	}
}

// take adds what was read. What is no UTF-8 becomes a question mark.
func (k *keys) take(b []byte) {
	b = append(k.begun, b...)
	whole := len(b)
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if last := b[len(b)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= i
			}
			break
		}
	}
	k.begun = slices.Clone(b[whole:])
	k.rest = append(k.rest, bytes.ToValidUTF8(b[:whole], []byte("?"))...)
}

// parse reads the key at the beginning of the rest and returns its length, 0 when its
// end was not read yet.
func (k *keys) parse() (key, int) {
	rest := string(k.rest)
	mark := pasteStart
	if k.pasting {
		mark = pasteEnd
	}
	switch {
	case strings.HasPrefix(rest, mark):
		k.pasting = !k.pasting
		return keyNone, len(mark)
	case len(rest) < len(mark) && strings.HasPrefix(mark, rest):
		return keyNone, 0
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case k.pasting && r != ctrlC && r != '\r' && r != '\n':
		return key(r), size
	case r == 0x1b && len(rest) > 1:
		return escape(rest)
	case r < ' ' || r == 0x7f:
		return control(rest[0]), 1
	case r >= 0x80 && r < 0xa0:
		return keyNone, size
	}
	return key(r), size
}

const ctrlC = 3

// escape reads what begins with an escape and goes on.
func escape(s string) (key, int) {
	switch s[1] {
	case '[', 'O':
		for i := 2; i < len(s); i++ {
			switch c := s[i]; {
			case c >= 0x40 && c <= 0x7e:
				return sequence(s[2 : i+1]), i + 1
			case c < 0x20 || c > 0x7e:
				return keyNone, i // it was none
			}
		}
		return keyNone, 0
	case 'b':
		return keyWordLeft, 2
	case 'f':
		return keyWordRight, 2
	}
	return keyEscape, 1
}
