package golden

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Tokens that stand for what varies from run to run.
const (
	tokenSession = "{{sessionId}}"
	tokenCwd     = "{{cwd}}"
	tokenTools   = "{{tools}}"
	tokenID      = "{{id}}"
)

// Varying is what differs between two runs that are otherwise the same. IDs finds
// the ids that a run makes; nil is whatever looks like one.
type Varying struct {
	SessionIDs []string // in the order in which they are looked for
	Cwd        string   // absolute path of the workspace, "" for none
	IDs        *regexp.Regexp
}

var uuid = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// scrub replaces what varies in one text: the workspace first, then the session
// ids, then whatever looks like an id.
func (v Varying) scrub(s string) string {
	if v.Cwd != "" {
		s = strings.ReplaceAll(s, v.Cwd, tokenCwd)
	}
	for _, id := range v.SessionIDs {
		if id != "" {
			s = strings.ReplaceAll(s, id, tokenSession)
		}
	}
	if v.IDs != nil {
		return v.IDs.ReplaceAllLiteralString(s, tokenID)
	}
	return uuid.ReplaceAllLiteralString(s, tokenSession)
}

// NormalizeLog returns the text of a session log with what varies from run to run
// taken out (spec/loop.md section 8): times become 0, so does the duration of a
// hook, and in every string the workspace and session ids become tokens. seq
// stays. Lines become compact, blank ones go. Normalising twice gives what
// normalising once gave, unless an id or the workspace is itself a part of a
// token. Errors name the first line that is not a JSON object.
func NormalizeLog(log string, v Varying) (string, error) {
	var out strings.Builder
	for i, line := range strings.Split(log, "\n") {
		if blank(line) {
			continue
		}
		e, err := object(line)
		if err != nil {
			return "", fmt.Errorf("line %d: %w", i+1, err)
		}
		kind, _ := e.Get("type").Text()
		var o canon.Object
		for name, m := range e.Members() {
			switch {
			case kind == "session" && name == "createdAt", kind != "session" && name == "time":
				o.Member(name, "0")
			case kind == "hook/result" && name == "data" && m.Kind() == canon.ObjectKind:
				o.Member(name, v.value(each(m, func(name, raw string) string {
					if name == "durationMs" {
						return "0"
					}
					return raw
				})))
			default:
				o.Member(name, v.value(m))
			}
		}
		out.WriteString(o.End())
		out.WriteByte('\n')
	}
	return out.String(), nil
}

// value scrubs every string in a value; names of members stay.
func (v Varying) value(m canon.Value) string {
	switch m.Kind() {
	case canon.String:
		s, _ := m.Text()
		return canon.Quote(v.scrub(s))
	case canon.ArrayKind:
		var list []string
		for e := range m.Elements() {
			list = append(list, v.value(e))
		}
		return canon.Array(list...)
	case canon.ObjectKind:
		var o canon.Object
		for name, e := range m.Members() {
			o.Member(name, v.value(e))
		}
		return o.End()
	}
	return m.Raw()
}

// ScrubHeaders returns the text of a session log with the content of its request
// headers taken out: tokens stand for system text, tools and messages of the
// prefix, so that one golden may pin the content and all others the rest. What is
// absent stays absent, and counts stay: one token a message, one a line of a
// system delta, one a member of a tool that a delta adds or changes. A line in
// which none of these stands stays as it is to the byte. Errors name the first line
// of a header that cannot be read.
func ScrubHeaders(log string) (string, error) {
	lines := strings.Split(log, "\n")
	for i, line := range lines {
		if blank(line) {
			continue
		}
		e, err := object(line)
		if err != nil {
			return "", fmt.Errorf("line %d: %w", i+1, err)
		}
		var s scrubber
		kind, _ := e.Get("type").Text()
		scrubbed := each(e, func(name, raw string) string {
			switch {
			case name == "data" && kind == "request/header":
				return s.header(raw)
			case name == "data" && kind == "request/header-delta":
				return s.delta(raw)
			}
			return raw
		})
		if s.found {
			lines[i] = scrubbed.Raw()
		}
	}
	return strings.Join(lines, "\n"), nil
}

// scrubber takes the content out of a line; found says that there was some.
type scrubber struct{ found bool }

func (s *scrubber) header(data string) string {
	return within(data, "header", func(header string) string {
		return each(parsed(header), func(name, raw string) string {
			switch name {
			case "system":
				return s.token(tokenSystem)
			case "tools":
				return s.token(tokenTools)
			case "messagePrefix":
				return s.list(raw, func(canon.Value) string { return canon.Quote(tokenMessage) })
			}
			return raw
		}).Raw()
	})
}

func (s *scrubber) delta(data string) string {
	return each(parsed(data), func(name, raw string) string {
		switch name {
		case "system":
			return within(raw, "insert", func(insert string) string {
				return s.list(insert, func(canon.Value) string { return canon.Quote(tokenSystem) })
			})
		case "tools":
			return within(within(raw, "added", s.tools), "changed", s.tools)
		case "messagePrefix":
			return s.list(raw, func(canon.Value) string { return canon.Quote(tokenMessage) })
		}
		return raw
	}).Raw()
}

// tools keeps the names of a list of tools.
func (s *scrubber) tools(list string) string {
	return s.list(list, func(tool canon.Value) string {
		return each(tool, func(name, raw string) string {
			if name == "name" {
				return raw
			}
			return canon.Quote(tokenTools)
		}).Raw()
	})
}

func (s *scrubber) token(token string) string {
	s.found = true
	return canon.Quote(token)
}

// list maps the elements of a list; what is no list stays.
func (s *scrubber) list(raw string, to func(canon.Value) string) string {
	v := parsed(raw)
	if v.Kind() != canon.ArrayKind {
		return raw
	}
	s.found = true
	var list []string
	for e := range v.Elements() {
		list = append(list, to(e))
	}
	return canon.Array(list...)
}

// within maps one member of an object; what is no object stays.
func within(raw, member string, to func(raw string) string) string {
	return each(parsed(raw), func(name, raw string) string {
		if name == member {
			return to(raw)
		}
		return raw
	}).Raw()
}

// each maps the members of an object; what is no object stays.
func each(v canon.Value, to func(name, raw string) string) canon.Value {
	if v.Kind() != canon.ObjectKind {
		return v
	}
	var o canon.Object
	for name, m := range v.Members() {
		o.Member(name, to(name, m.Raw()))
	}
	return parsed(o.End())
}

// parsed is a value of text that is canonical already.
func parsed(raw string) canon.Value {
	v, err := canon.ParseCanonical(raw)
	if err != nil {
		panic("golden: " + err.Error())
	}
	return v
}

// object reads a line as JavaScript does.
func object(line string) (canon.Value, error) {
	v, err := canon.ParseJavaScript(canon.ValidText(line))
	if err == nil && v.Kind() != canon.ObjectKind {
		err = fmt.Errorf("not an object")
	}
	return v, err
}

// blank reports whether a line has nothing but what JavaScript takes for white
// space.
func blank(line string) bool {
	return strings.TrimFunc(line, func(r rune) bool {
		switch r {
		case '\t', '\n', '\v', '\f', '\r', '\u2028', '\u2029', '\ufeff':
			return true
		}
		return unicode.Is(unicode.Zs, r)
	}) == ""
}
