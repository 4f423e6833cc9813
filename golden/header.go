package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	headers "github.com/dsh-hcl/dsh/engine/header"
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
func Header(p event.RequestHeader) string { return header(p, false, Varying{}) }

// FullHeader is Header with the whole tools and, for each part, its length in bytes
// and its digest: any change of content changes it. Of a part that holds what varies
// from run to run they are those of the text with tokens in its place. Content is the
// text to read beside it.
func FullHeader(p event.RequestHeader, v Varying) string { return header(p, true, v) }

func header(p event.RequestHeader, full bool, v Varying) string {
	h := p.Header
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"reason\": %s,\n", canon.Quote(p.Reason))
	fmt.Fprintf(&b, "  \"config\": %s,\n", h.Config().Raw())
	fmt.Fprintf(&b, "  \"wire\": %s", h.Wire().Raw())
	if h.System() != "" {
		var lines []string
		for _, s := range p.Sources.System {
			if v.scrub(h.System()) != h.System() {
				// Which part holds what varies is not known any more.
				s.Bytes, s.SHA256 = 0, tokenDigest
			}
			lines = append(lines, fmt.Sprintf("{\"address\": %s, %s}", canon.Quote(s.Address), pinned(full, "text", tokenSystem, s.Bytes, s.SHA256)))
		}
		list(&b, "system", lines)
	}
	var tools []string
	for _, t := range h.Tools() {
		if full {
			tools = append(tools, t.Raw())
			continue
		}
		tools = append(tools, fmt.Sprintf("{\"name\": %s, \"schema\": %s}", canon.Quote(t.Name), canon.Quote(tokenTool)))
	}
	list(&b, "tools", tools)
	var messages []string
	for i, m := range h.Prefix().All() {
		var s headers.Source
		if i < len(p.Sources.Prefix) {
			s = p.Sources.Prefix[i]
		}
		if scrubbed := v.scrub(m.Raw()); full && scrubbed != m.Raw() {
			sum := sha256.Sum256([]byte(scrubbed))
			s.Bytes, s.SHA256 = int64(len(scrubbed)), hex.EncodeToString(sum[:])
		}
		messages = append(messages, fmt.Sprintf("{\"address\": %s, \"role\": %s, %s}",
			canon.Quote(s.Address), canon.Quote(string(m.Role)), pinned(full, "content", tokenMessage, s.Bytes, s.SHA256)))
	}
	list(&b, "messagePrefix", messages)
	b.WriteString("\n}\n")
	return b.String()
}

// pinned is a part's content: a token, or its length and digest.
func pinned(full bool, name, token string, bytes int64, sum string) string {
	if full {
		return fmt.Sprintf("\"bytes\": %d, \"sha256\": %s", bytes, canon.Quote(sum))
	}
	return fmt.Sprintf("%s: %s", canon.Quote(name), canon.Quote(token))
}

// Content renders the system text and the prefix of a header as Markdown, one
// section a part, for people to read in a review.
func Content(p event.RequestHeader, v Varying) string {
	var b strings.Builder
	section := func(title, text string) {
		fmt.Fprintf(&b, "## %s\n\n%s\n", title, inFence(v.scrub(text)))
	}
	fmt.Fprintf(&b, "# System\n\n")
	if s := p.Header.System(); s != "" {
		section("system", s)
	}
	fmt.Fprintf(&b, "# Prefix\n\n")
	for i, m := range p.Header.Prefix().All() {
		address := "?"
		if i < len(p.Sources.Prefix) {
			address = p.Sources.Prefix[i].Address
		}
		section(fmt.Sprintf("%s (%s)", address, m.Role), m.Content.Text())
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// list adds a member with one line an element; an empty one is left out, as in
// the header itself.
func list(b *strings.Builder, name string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, ",\n  %s: [\n    %s\n  ]", canon.Quote(name), strings.Join(lines, ",\n    "))
}
