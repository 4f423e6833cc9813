package provider

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the characters that a spelling other than the character itself
// begins with.
const escapes = `\&%+`

// maxReadings bounds in how many ways at once a text is read as the beginning of a
// secret. Only a row of backslashes can be read in more than two.
const maxReadings = 8

// spelt returns how many bytes at the beginning of text spell the secret, 0 when
// they do not. Every character may be spelt as itself or in the ways of JSON, HTML
// and URLs, each in its own way. open says that text ends within a spelling of the
// secret.
func spelt(text, secret string) (n int, open bool) {
	var first, second [maxReadings]int
	at, next := append(first[:0], 0), second[:0]
	for q := 0; q < len(secret); {
		r, size := utf8.DecodeRuneInString(secret[q:])
		char := secret[q : q+size]
		next = next[:0]
		for _, p := range at {
			rest := text[p:]
			open = open || q > 0 && unfinished(rest, char, r)
			next = appendEnds(next, p, rest, char, r)
		}
		if len(next) == 0 {
			return 0, open
		}
		at, next = next, at
		q += size
	}
	return slices.Max(at), open
}

// appendEnds appends where the spellings of a character end that text, which
// begins at p, begins with.
func appendEnds(ends []int, p int, text, char string, r rune) []int {
	add := func(n int) {
		if len(ends) < maxReadings && !slices.Contains(ends, p+n) {
			ends = append(ends, p+n)
		}
	}
	if text == "" {
		return ends
	}
	if strings.HasPrefix(text, char) {
		add(len(char))
	}
	if r == utf8.RuneError && len(char) == 1 && strings.HasPrefix(text, "\uFFFD") {
		add(len("\uFFFD"))
	}
	switch text[0] {
	case '\\':
		if n := jsonSpelling(text, char, r); n > 0 {
			add(n)
		}
		for n := 2; r == '\\' && n <= 4 && strings.HasPrefix(text, `\\\\`[:n]); n *= 2 {
			add(n)
		}
	case '&':
		if n := strings.IndexByte(text[:min(len(text), 16)], ';') + 1; n > 0 && html.UnescapeString(text[:n]) == char {
			add(n)
		}
	case '%':
		if n := 3 * len(char); len(text) >= n && percentSpelling(text[:n]) == char {
			add(n)
		}
	case '+':
		if r == ' ' {
			add(1)
		}
	}
	return ends
}

// jsonSpelling is the length of a character's escape, behind one backslash or
// several where JSON holds JSON, 0 when text does not begin with one.
func jsonSpelling(text, char string, r rune) int {
	slashes := backslashes(text)
	rest := text[slashes:]
	if rest == "" {
		return 0
	}
	if i := strings.IndexByte("bfnrt", rest[0]); i >= 0 && r == rune("\b\f\n\r\t"[i]) {
		return slashes + 1
	}
	if strings.ContainsAny(char, `"'/`) && strings.HasPrefix(rest, char) {
		return slashes + len(char)
	}
	n := slashes
	for i, unit := range utf16.AppendRune(nil, r) {
		if i > 0 {
			more := backslashes(text[n:])
			if more == 0 {
				return 0
			}
			n += more
		}
		if len(text) < n+5 || text[n] != 'u' {
			return 0
		}
		if v, err := strconv.ParseUint(text[n+1:n+5], 16, 16); err != nil || uint16(v) != unit {
			return 0
		}
		n += 5
	}
	return n
}

// backslashes is how many stand in front, as far as an escape can have them.
func backslashes(text string) int {
	head := text[:min(len(text), 8)]
	return len(head) - len(strings.TrimLeft(head, `\`))
}

// percentSpelling is what a text of %HH means, "" when it is none.
func percentSpelling(text string) string {
	var out []byte
	for ; len(text) >= 3; text = text[3:] {
		v, err := strconv.ParseUint(text[1:3], 16, 8)
		if text[0] != '%' || err != nil {
			return ""
		}
		out = append(out, byte(v))
	}
	return string(out)
}

// unfinished reports whether text may be the beginning of a spelling of a
// character that was cut.
func unfinished(text, char string, r rune) bool {
	switch {
	case text == "":
		return true
	case text[0] == '\\':
		rest := text[backslashes(text):]
		return rest == "" || rest[0] == 'u' && (len(rest) < 5 || r > 0xFFFF && len(rest) < 16)
	case text[0] == '&':
		return len(text) < 16 && strings.IndexByte(text, ';') < 0
	case text[0] == '%':
		return len(text) < 3*len(char)
	}
	return len(text) < len(char) && strings.HasPrefix(char, text)
}
