package script

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// codeExpectation is the provider's code of a request that is not what the author
// of the script expected.
const codeExpectation = "SCRIPT_EXPECTATION"

// Expect is what a request has to hold: every text and a match of every
// expression, each in the body as it was sent or in the text of its messages.
type Expect struct {
	Contains []string
	Matches  []*regexp.Regexp
}

// unmet returns the first expectation that a request does not meet, as the rest of
// a sentence, or "".
func (e *Expect) unmet(body canon.Value) string {
	var texts []string
	for m := range body.Get("messages").Elements() {
		texts = append(texts, textOf(m))
	}
	text := strings.Join(texts, "\n")
	for _, s := range e.Contains {
		if !strings.Contains(text, s) && !strings.Contains(body.Raw(), s) {
			return "that contains " + excerpt(s)
		}
	}
	for _, re := range e.Matches {
		if !re.MatchString(text) && !re.MatchString(body.Raw()) {
			return "that matches " + excerpt(re.String())
		}
	}
	return ""
}

// refuse returns the answer to a request that does not meet the expectation of its
// reply, nil when it does. which names the reply.
func (e *Expect) refuse(body canon.Value, source, which string) *Error {
	unmet := e.unmet(body)
	if unmet == "" {
		return nil
	}
	said := "the request has no message of the user"
	for m := range body.Get("messages").Elements() {
		if role, _ := m.Get("role").Text(); role == "user" {
			said = "the last message of the user is " + excerpt(textOf(m))
		}
	}
	if source == "" {
		source = "the script"
	}
	return &Error{Status: 400, Code: codeExpectation, Message: fmt.Sprintf("%s: %s expects a request %s; %s", source, which, unmet, said)}
}

// textOf is the text of a message, the arguments of its tool calls included.
func textOf(message canon.Value) string {
	content := message.Get("content")
	text, _ := content.Text()
	var b strings.Builder
	b.WriteString(text)
	for part := range content.Elements() {
		text, _ := part.Get("text").Text()
		b.WriteString(text)
		result, _ := part.Get("content").Text() // of a tool, in the messages protocol
		b.WriteString(result)
		b.WriteString(part.Get("input").Raw())
	}
	for call := range message.Get("tool_calls").Elements() {
		arguments, _ := call.Get("function").Get("arguments").Text()
		b.WriteString(arguments)
	}
	return b.String()
}

// excerpt quotes the beginning of a text. Two of them leave room for the rest of
// a message in what is shown of a provider's words.
func excerpt(s string) string {
	const most = 120
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%q…", s[:n])
}
