package compact

import (
	"fmt"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Prune is how results of tools are shortened, in characters (code points).
type Prune struct {
	Threshold  int // a result with more is shortened
	Head, Tail int // what stays of its beginning and end
}

// MarkerRoom is how many characters the marker in the place of what was left out
// has at most. Head, Tail and it fit into Threshold, so that a shortened result is
// not shortened again.
const MarkerRoom = 64

func marker(n int) string { return fmt.Sprintf("\n[%d characters left out to save room]\n", n) }

// saves is how many tokens Result frees of nodes, and whether it frees any. The
// estimate is by the share of characters that go, so that deciding costs no
// encoding.
func (p *Prune) saves(nodes []Node) (saved meter.Tokens, any bool) {
	if p == nil {
		return 0, false
	}
	for _, n := range nodes {
		if r, ok := resultOf(n); ok {
			if length := textLength(r.Content); length > p.Threshold {
				gone := length - p.Head - p.Tail
				saved += n.Price * meter.Tokens(gone) / meter.Tokens(length)
				any = true
			}
		}
	}
	return saved, any
}

// resultOf is the result of a node that is one.
func resultOf(n Node) (msg.ToolResult, bool) {
	m, has := n.Message.Get()
	if !has || m.Role != msg.RoleUser {
		return msg.ToolResult{}, false
	}
	for b := range m.Content.Blocks() {
		r, ok := b.(msg.ToolResult)
		return r, ok
	}
	return msg.ToolResult{}, false
}

func textLength(c msg.Content) int {
	n := 0
	for b := range c.Blocks() {
		if t, ok := b.(msg.Text); ok {
			n += utf8.RuneCountInString(t.Text)
		}
	}
	return n
}

// Result is the content of a node's tool result as it is after shortening: the
// beginning and the end of its text with a marker between; blocks that are no text
// keep their place. It reports false for every other node and for a result that is
// short enough.
func (p *Prune) Result(n Node) (msg.Content, bool) {
	r, ok := resultOf(n)
	if p == nil || !ok {
		return msg.Content{}, false
	}
	length := textLength(r.Content)
	if length <= p.Threshold {
		return msg.Content{}, false
	}
	tailFrom := length - p.Tail
	at := 0 // characters before the block
	marked := false
	var out []msg.Block
	for b := range r.Content.Blocks() {
		t, isText := b.(msg.Text)
		if !isText {
			out = append(out, b)
			continue
		}
		count := utf8.RuneCountInString(t.Text)
		head := runes(t.Text, 0, p.Head-at)
		tail := runes(t.Text, max(0, tailFrom-at), count)
		if at >= tailFrom {
			head = "" // all of it is the end
		}
		text := head
		if !marked && at+count > p.Head {
			text += marker(length - p.Head - p.Tail)
			marked = true
		}
		if text += tail; text != "" {
			out = append(out, msg.Text{Text: text})
		}
		at += count
	}
	c, err := msg.NewContent(out...)
	if err != nil {
		panic("compact: blocks that were a content are none: " + err.Error())
	}
	return c, true
}

// runes is the characters from to to of a text, which may lie outside of it.
func runes(s string, from, to int) string {
	start, end, i := len(s), len(s), 0
	for at := range s {
		if i == from {
			start = at
		}
		if i == to {
			end = at
			break
		}
		i++
	}
	if to <= 0 || from >= to || start > end {
		return ""
	}
	return s[start:end]
}
