package golden

import (
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
)

// Tokens that stand for content, so that a change of a text does not rewrite
// every golden.
const (
	tokenSystem  = "{{system}}"
	tokenMessage = "{{messagePrefix}}"
	tokenTool    = "{{tool}}"
)

// Header renders a header for review: why it was logged, the call configuration,
// and, for each part of the system text and each message of the prefix, in wire
// order, its contributor's address, its role and one token for its content.
func Header(p event.RequestHeader) string {
	h := p.Header
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"reason\": %s,\n", canon.Quote(p.Reason))
	fmt.Fprintf(&b, "  \"config\": %s,\n", h.Config().Raw())
	fmt.Fprintf(&b, "  \"wire\": %s", h.Wire().Raw())
	if h.System() != "" {
		var lines []string
		for _, s := range p.Sources.System {
			lines = append(lines, fmt.Sprintf("{\"address\": %s, \"text\": %s}", canon.Quote(s.Address), canon.Quote(tokenSystem)))
		}
		list(&b, "system", lines)
	}
	var tools []string
	for _, t := range h.Tools() {
		tools = append(tools, fmt.Sprintf("{\"name\": %s, \"schema\": %s}", canon.Quote(t.Name), canon.Quote(tokenTool)))
	}
	list(&b, "tools", tools)
	var messages []string
	for i, m := range h.Prefix().All() {
		address := ""
		if i < len(p.Sources.Prefix) {
			address = p.Sources.Prefix[i].Address
		}
		messages = append(messages, fmt.Sprintf("{\"address\": %s, \"role\": %s, \"content\": %s}",
			canon.Quote(address), canon.Quote(string(m.Role)), canon.Quote(tokenMessage)))
	}
	list(&b, "messagePrefix", messages)
	b.WriteString("\n}\n")
	return b.String()
}

// list adds a member with one line an element; an empty one is left out, as in
// the header itself.
func list(b *strings.Builder, name string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, ",\n  %s: [\n    %s\n  ]", canon.Quote(name), strings.Join(lines, ",\n    "))
}
