package settings

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/config/diag"
)

// source is the text of a settings file. The decoders keep no positions, so a key
// is found again in the text; where that fails, the place is the file's start.
type source struct{ path, format, text string }

func (s source) start() diag.Range { return s.at(0, 0) }

// at is the range of length bytes from a byte offset. Columns count runes, which
// for the keys and the blanks before them are grapheme clusters.
func (s source) at(offset, length int) diag.Range {
	pos := func(offset int) diag.Pos {
		before := s.text[:offset]
		line := strings.LastIndexByte(before, '\n') + 1
		return diag.Pos{
			Line:   strings.Count(before, "\n") + 1,
			Column: utf8.RuneCountInString(before[line:]) + 1,
			Byte:   offset,
		}
	}
	return diag.Range{File: s.path, Start: pos(offset), End: pos(offset + length)}
}

// keyAt is the place of a top-level key.
func (s source) keyAt(name string) diag.Range {
	if s.format == "json" {
		for _, m := range jsonMembers(s.text) {
			if m.name == name {
				return s.at(m.offset, m.length)
			}
		}
		return s.start()
	}
	key := `(["']?` + regexp.QuoteMeta(name) + `["']?)`
	pattern := `(?m)^[ \t]*(?:\[\[?[ \t]*)?` + key + `[ \t]*[=.\]]` // KEY = or [KEY]
	if s.format == "yaml" {
		pattern = `(?m)(?:^|^\{[ \t]*)` + key + `[ \t]*:`
	}
	if m := regexp.MustCompile(pattern).FindStringSubmatchIndex(s.text); m != nil {
		return s.at(m[2], m[3]-m[2])
	}
	return s.start()
}

// repeated reports the second place of a key that a JSON file has twice; the other
// decoders refuse that themselves.
func (s source) repeated() (name string, at diag.Range, ok bool) {
	if s.format != "json" {
		return "", diag.Range{}, false
	}
	seen := map[string]bool{}
	for _, m := range jsonMembers(s.text) {
		if seen[m.name] {
			return m.name, s.at(m.offset, m.length), true
		}
		seen[m.name] = true
	}
	return "", diag.Range{}, false
}

// member is a member name of the outermost object, quotes included in its length.
type member struct {
	name           string
	offset, length int
}

// jsonMembers lists the members of a JSON object in order, as far as it is JSON.
func jsonMembers(text string) []member {
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []member
	for dec.More() {
		before := int(dec.InputOffset())
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return out
		}
		end := int(dec.InputOffset())
		offset := before + strings.IndexByte(text[before:end], '"')
		out = append(out, member{name: name, offset: offset, length: end - offset})
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return out
		}
	}
	return out
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

// errorAt is the place a decoder's error speaks of. TOML's decoder is asked for it
// through the method it has, so that it need not be imported.
func (s source) errorAt(err error) diag.Range {
	var positioned interface{ Position() (row, column int) }
	var syntax *json.SyntaxError
	line := 0
	switch {
	case errors.As(err, &positioned):
		line, _ = positioned.Position()
	case errors.As(err, &syntax):
		offset := min(max(int(syntax.Offset)-1, 0), len(s.text))
		return s.at(offset, 0)
	default:
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			line, _ = strconv.Atoi(m[1])
		}
	}
	offset := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(s.text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	return s.at(offset, 0)
}
