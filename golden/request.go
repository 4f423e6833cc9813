package golden

import (
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Log renders a session's log: NormalizeLog and ScrubHeaders, so that an edit of a
// prompt does not rewrite it. Errors as for these.
func Log(log string, v Varying) (string, error) {
	text, err := NormalizeLog(log, v)
	if err != nil {
		return "", err
	}
	return ScrubHeaders(text)
}

// Request renders a body for review: a line for each member, and one for each tool
// and message, with what varies from run to run as tokens. Errors: the body is no
// JSON object.
func Request(body string, v Varying) (string, error) {
	o, err := object(body)
	if err != nil {
		return "", fmt.Errorf("the body: %w", err)
	}
	var members []string
	for name, m := range o.Members() {
		value := v.value(m)
		if name == "messages" || name == "tools" {
			var lines []string
			for e := range parsed(value).Elements() {
				lines = append(lines, "    "+e.Raw())
			}
			if value = "[]"; len(lines) > 0 {
				value = "[\n" + strings.Join(lines, ",\n") + "\n  ]"
			}
		}
		members = append(members, "  "+canon.Quote(name)+": "+value)
	}
	return "{\n" + strings.Join(members, ",\n") + "\n}\n", nil
}

// History renders messages for review as Markdown: a section for each, with its
// number and role, and its blocks in order.
func History(messages []msg.Message, v Varying) string {
	var b strings.Builder
	b.WriteString("# History\n")
	for i, m := range messages {
		fmt.Fprintf(&b, "\n## %d %s\n", i+1, m.Role)
		for block := range m.Content.Blocks() {
			switch block := block.(type) {
			case msg.Text:
				fenced(&b, "text", v.scrub(block.Text))
			case msg.Reasoning:
				fenced(&b, "reasoning", v.scrub(block.Text))
			case msg.ToolCall:
				fenced(&b, fmt.Sprintf("call %s of %s", v.scrub(block.ID), block.Name), v.scrub(block.Arguments))
			case msg.ToolResult:
				kind := "result"
				if block.IsError {
					kind = "error"
				}
				fenced(&b, fmt.Sprintf("%s of call %s", kind, v.scrub(block.CallID)), v.scrub(block.Content.Text()))
			case msg.Unknown:
				fenced(&b, "other", v.scrub(block.Raw))
			}
		}
	}
	return b.String()
}

// fenced writes a text with its kind.
func fenced(b *strings.Builder, kind, text string) {
	fmt.Fprintf(b, "\n%s:\n\n%s", kind, inFence(text))
}

// inFence is a text in a fence that it cannot end.
func inFence(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + "text\n" + text + fence + "\n"
}
