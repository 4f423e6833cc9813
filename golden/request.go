package golden

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Log renders a session's log: NormalizeLog and ScrubHeaders, with tokens for digests,
// zero for the lengths, the input and the cost that go with them, and without line
// numbers of origins, so that neither another folder nor an edit of a prompt rewrites
// it. Errors as for these.
func Log(log string, v Varying) (string, error) {
	text, err := NormalizeLog(log, v)
	if err != nil {
		return "", err
	}
	if text, err = ScrubHeaders(text); err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		e, err := object(line)
		if err != nil {
			return "", err
		}
		b.WriteString(undigested(e) + "\n")
	}
	return b.String(), nil
}

const tokenDigest = "{{digest}}"

// lineNumber is where in a file inline content stands.
var lineNumber = regexp.MustCompile(`:[0-9]+$`)

// undigested is a value with its digests, and the lengths beside them, taken out.
func undigested(v canon.Value) string {
	switch v.Kind() {
	case canon.ArrayKind:
		var list []string
		for e := range v.Elements() {
			list = append(list, undigested(e))
		}
		return canon.Array(list...)
	case canon.ObjectKind:
		return each(v, func(name, raw string) string {
			switch m := parsed(raw); {
			case m.Kind() == canon.String && (name == "sha256" || name == "logSha256" || name == "configDigest" || name == "digest" || name == "marks" && raw != `""`):
				return canon.Quote(tokenDigest)
			case name == "bytes" && v.Get("sha256").Exists():
				return "0"
			case name == "origin" && m.Kind() == canon.String:
				text, _ := m.Text()
				return canon.Quote(lineNumber.ReplaceAllString(text, ""))
			case name == "inputTokens", name == "cacheReadTokens", name == "cacheWriteTokens":
				return "0"
			case name == "amount" && v.Get("currency").Exists():
				return `"0"`
			default:
				return undigested(m)
			}
		}).Raw()
	}
	return v.Raw()
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
