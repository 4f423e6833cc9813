package contrib

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// marker is the line that stands where bytes were left out.
func marker(omitted int) string { return "[... " + strconv.Itoa(omitted) + " bytes omitted ...]" }

// cut shortens content, which is UTF-8 and longer than max, to at most max bytes,
// the marker and the line breaks around it included:
//
//	head    the beginning, then the marker on a line of its own
//	tail    the marker on a line of its own, then the end
//	middle  the beginning, the marker, the end; the beginning has the larger half
//
// No character is split. Where max has no room for the marker and something
// besides, content is cut without one, and middle keeps the beginning.
func cut(content string, max int, how string) string {
	// The marker is shorter for fewer bytes, so this room is enough for any number.
	room := max - len(marker(len(content))) - len("\n")
	if how == "middle" {
		room -= len("\n")
	}
	if room <= 0 {
		if how == "tail" {
			return last(content, max)
		}
		return first(content, max)
	}
	var head, tail string
	switch how {
	case "head":
		head = first(content, room)
	case "tail":
		tail = last(content, room)
	case "middle":
		head = first(content, (room+1)/2)
		tail = last(content, room-len(head))
	default:
		panic("contrib: oversize was not checked")
	}
	line := marker(len(content) - len(head) - len(tail))
	if head != "" && !strings.HasSuffix(head, "\n") {
		line = "\n" + line
	}
	if tail != "" {
		line += "\n"
	}
	return head + line + tail
}

// first returns the longest beginning of at most n bytes that ends with a whole
// character; n is less than the length.
func first(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// last returns the longest end of at most n bytes that begins with a whole
// character; n is less than the length.
func last(s string, n int) string {
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}
