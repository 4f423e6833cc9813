package prompt

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Message is a line of a JSON Lines file.
type Message struct {
	Role    string // "user" or "assistant"
	Content string
	Line    int // counted from 1
}

const messageForm = `Write each line as {"role": "user", "content": "..."}, with the role user or assistant.`

// Messages reads the text of the JSON Lines file at a path: a message on each line
// that is not blank.
func Messages(path, text string) ([]Message, []*Problem) {
	var out []Message
	var problems []*Problem
	at := 0
	for n, line := range strings.SplitAfter(text, "\n") {
		start := at
		at += len(line)
		if Blank(line) {
			continue
		}
		report := func(from, to int, summary, detail string) {
			problems = append(problems, &Problem{Path: path, Text: text, From: start + from, To: start + to, Summary: summary, Detail: detail})
		}
		m := Message{Line: n + 1}
		if readMessage(&m, strings.TrimRight(line, "\r\n"), report) {
			out = append(out, m)
		}
	}
	return out, problems
}

// readMessage reads one line. report is given the place of a problem in it.
func readMessage(m *Message, line string, report func(from, to int, summary, detail string)) bool {
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	whole := func(summary, detail string) bool { report(indent, len(line), summary, detail); return false }
	v, err := canon.Parse(line)
	if err != nil {
		var syntax *canon.SyntaxError
		from := indent
		if errors.As(err, &syntax) {
			from, err = min(syntax.Offset, len(line)), errors.New(syntax.Reason)
		}
		report(from, min(from+1, len(line)), "Not JSON", fmt.Sprintf("The line cannot be read as JSON: %s. %s", err, messageForm))
		return false
	}
	if v.Kind() != canon.ObjectKind {
		return whole("Invalid message", "The line is no object. "+messageForm)
	}
	seen := map[string]bool{}
	for name, value := range v.Members() {
		if seen[name] {
			return whole("Invalid message", fmt.Sprintf("The message has %q twice. Remove one of them.", name))
		}
		seen[name] = true
		var field *string
		switch name {
		case "role":
			field = &m.Role
		case "content":
			field = &m.Content
		default:
			return whole("Invalid message", fmt.Sprintf("A message has no %q. %s", name, messageForm))
		}
		s, ok := value.Text()
		if !ok {
			return whole("Invalid message", fmt.Sprintf("The %s is no text. %s", name, messageForm))
		}
		*field = s
	}
	switch {
	case !seen["role"]:
		return whole("Invalid message", `The message has no "role". `+messageForm)
	case !seen["content"]:
		return whole("Invalid message", `The message has no "content". `+messageForm)
	case strings.ContainsRune(m.Content, 0):
		return whole("NUL character", "The content holds a NUL character, and a text for a model holds none. Remove it.")
	case m.Role != "user" && m.Role != "assistant":
		return whole("Invalid message", fmt.Sprintf("The role is %q, not user or assistant.", m.Role))
	}
	return true
}
