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
)

// Varying is what differs between two runs that are otherwise the same.
type Varying struct {
	SessionIDs []string // in the order in which they are looked for
	Cwd        string   // absolute path of the workspace, "" for none
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
// system delta, one a member of a tool that a delta adds or changes. A line with
// nothing to take out stays as it is to the byte. Errors name the first line of a
// header that cannot be read.
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
		scrub := scrubHeader
		switch kind, _ := e.Get("type").Text(); kind {
		case "request/header":
		case "request/header-delta":
			scrub = scrubDelta
		default:
			continue
		}
		data := e.Get("data")
		if with := scrub(data); with != data.Raw() {
			lines[i] = each(e, func(name, raw string) string {
				if name == "data" {
					return with
				}
				return raw
			}).Raw()
		}
	}
	return strings.Join(lines, "\n"), nil
}

func scrubHeader(data canon.Value) string {
	return each(data, func(name, raw string) string {
		if name != "header" {
			return raw
		}
		return each(data.Get("header"), func(name, raw string) string {
			switch name {
			case "system":
				return canon.Quote(tokenSystem)
			case "tools":
				return canon.Quote(tokenTools)
			case "messagePrefix":
				return tokens(raw, tokenMessage)
			}
			return raw
		}).Raw()
	}).Raw()
}

func scrubDelta(data canon.Value) string {
	return each(data, func(name, raw string) string {
		switch name {
		case "system":
			return each(data.Get("system"), func(name, raw string) string {
				if name == "insert" {
					return tokens(raw, tokenSystem)
				}
				return raw
			}).Raw()
		case "tools":
			return each(data.Get("tools"), func(name, raw string) string {
				if name != "added" && name != "changed" {
					return raw
				}
				return elements(raw, func(tool canon.Value) string {
					return each(tool, func(name, raw string) string {
						if name == "name" {
							return raw
						}
						return canon.Quote(tokenTools)
					}).Raw()
				})
			}).Raw()
		case "messagePrefix":
			return tokens(raw, tokenMessage)
		}
		return raw
	}).Raw()
}

// tokens puts a token in the place of each element of a list; what is no list
// stays.
func tokens(raw, token string) string {
	return elements(raw, func(canon.Value) string { return canon.Quote(token) })
}

// elements maps the elements of a list; what is no list stays.
func elements(raw string, to func(canon.Value) string) string {
	v := parsed(raw)
	if v.Kind() != canon.ArrayKind {
		return raw
	}
	var list []string
	for e := range v.Elements() {
		list = append(list, to(e))
	}
	return canon.Array(list...)
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
