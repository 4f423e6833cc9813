package contrib

import (
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/config"
)

// newlines applies the contributor's newlines attribute.
func newlines(c config.Contributor, content string) string {
	if c.Newlines.V == "lf" {
		return lf(content)
	}
	return content
}

// lf turns CRLF into LF. Several carriage returns before a line feed count as one,
// so that a second pass finds nothing to do; those elsewhere stay.
func lf(content string) string {
	if !strings.Contains(content, "\r\n") {
		return content
	}
	lines := strings.Split(content, "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	return strings.Join(lines, "\n")
}

// blank reports whether content is empty or white space.
func blank(content string) bool { return strings.TrimSpace(content) == "" }

// wrap puts the content between tags on lines of their own. No tag, no envelope.
func wrap(tag, content string) string {
	if tag == "" {
		return content
	}
	if !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return "<" + tag + ">\n" + content + "</" + tag + ">"
}

// checkText reports text that cannot be a message: the offset of the first byte that
// belongs to no character, or of a NUL character. origin names the text.
func checkText(origin, s string) error {
	if at := invalidUTF8(s); at >= 0 {
		return &EncodingError{Origin: origin, Offset: at}
	}
	if at := strings.IndexByte(s, 0); at >= 0 {
		return &EncodingError{Origin: origin, Offset: at, NUL: true}
	}
	return nil
}

// invalidUTF8 returns the offset of the first byte that belongs to no character,
// or -1.
func invalidUTF8(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
