package eventlog

import (
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// structural are the members whose texts are words of the format or identities
// made by programs: a log in which one of them was replaced could not be read.
var structural = []string{
	"type", "kind", "role", "op", "id", "callId", "toolCallId", "finish", "reason", "trigger", "dialect", "point",
	"decision", "purpose", "sha256", "digest", "logSha256", "configDigest", "address", "handlerId", "currency",
}

// Redact returns the text of a log for somebody who must not see what hide
// replaces, and the number of texts in which it replaced something. hide maps a
// text to what may be seen of it. Only the data of events is looked at, decoded;
// the words of the format, ids and digests stay. Lines in which nothing is replaced
// stay byte for byte; a line that is not JSON is given to hide as it is.
//
// With something replaced, the first line says how many texts in a member
// "redacted": such a log can be read, and nobody goes on from it.
func Redact(text string, hide func(string) string) (string, int) {
	r := redactor{hide: hide, pieces: map[piece]*whole{}}
	lines := strings.SplitAfter(text, "\n")
	for _, line := range lines {
		if strings.Contains(line, `"assistant/chunk"`) {
			r.collect(line)
		}
	}
	for i, line := range lines {
		if i > 0 {
			lines[i] = r.line(line)
		}
	}
	if r.n == 0 {
		return text, 0
	}
	lines[0] = r.first(lines[0])
	return strings.Join(lines, ""), r.n
}

type redactor struct {
	hide   func(string) string
	n      int
	pieces map[piece]*whole
}

// piece is what the pieces of one streamed text have in common: a secret may begin
// in one and end in another.
type piece struct{ turn, step, index, member string }

// whole is a text that was streamed. Where something in it is hidden, its first
// piece takes all of it, and the others nothing.
type whole struct {
	text    strings.Builder
	decided bool
}

// pieceOf takes the piece out of an event's data; member is "" for a chunk that is
// none.
func pieceOf(data canon.Value) (key piece, text string) {
	chunk := data.Get("chunk")
	for _, member := range [...]string{"text", "argumentsDelta"} {
		if s, ok := chunk.Get(member).Text(); ok {
			return piece{data.Get("turn").Raw(), data.Get("step").Raw(), chunk.Get("index").Raw(), member}, s
		}
	}
	return piece{}, ""
}

func (r *redactor) collect(line string) {
	v, err := canon.Parse(strings.TrimSuffix(line, "\n"))
	if err != nil {
		return
	}
	key, text := pieceOf(v.Get("data"))
	if key.member == "" {
		return
	}
	if r.pieces[key] == nil {
		r.pieces[key] = &whole{}
	}
	r.pieces[key].text.WriteString(text)
}

// chunk redacts a piece of a streamed text with the others; it reports false for
// what is to be redacted by itself.
func (r *redactor) chunk(data canon.Value) (string, bool) {
	key, _ := pieceOf(data)
	w := r.pieces[key]
	if w == nil {
		return "", false
	}
	replacement := ""
	if !w.decided {
		w.decided = true
		hidden := r.hide(w.text.String())
		if hidden == w.text.String() {
			delete(r.pieces, key)
			return "", false
		}
		r.n++
		replacement = canon.ValidText(hidden)
	}
	var o, c canon.Object
	for name, m := range data.Get("chunk").Members() {
		if name == key.member {
			c.String(name, replacement)
		} else {
			c.Member(name, m.Raw())
		}
	}
	for name, m := range data.Members() {
		if name == "chunk" {
			o.Member(name, c.End())
		} else {
			o.Member(name, m.Raw())
		}
	}
	return o.End(), true
}

// first marks the header of a log.
func (r *redactor) first(line string) string {
	head, end := strings.CutSuffix(line, "\n")
	v, err := canon.Parse(head)
	if err != nil || v.Kind() != canon.ObjectKind {
		return line
	}
	var o canon.Object
	for name, m := range v.Members() {
		if name != "redacted" {
			o.Member(name, m.Raw())
		}
	}
	before, _ := v.Get("redacted").Int()
	o.Int("redacted", before+int64(r.n))
	if end {
		return o.End() + "\n"
	}
	return o.End()
}

func (r *redactor) line(line string) string {
	before := r.n
	body := strings.TrimSuffix(line, "\n")
	v, err := canon.Parse(body)
	if err != nil || v.Kind() != canon.ObjectKind {
		return r.text(body) + line[len(body):]
	}
	streamed := false
	var o canon.Object
	for name, m := range v.Members() {
		raw := m.Raw()
		if name == "data" {
			var together string
			if together, streamed = r.chunk(m); streamed {
				raw = together
			} else {
				raw = r.value(m)
			}
		}
		o.Member(name, raw)
	}
	if r.n == before && !streamed {
		return line
	}
	return o.End() + line[len(body):]
}

func (r *redactor) text(s string) string {
	hidden := r.hide(s)
	if hidden != s {
		r.n++
	}
	return hidden
}

// value redacts every text in a value.
func (r *redactor) value(v canon.Value) string {
	switch v.Kind() {
	case canon.String:
		s, _ := v.Text()
		before := r.n
		if hidden := r.text(s); r.n > before {
			return canon.Quote(canon.ValidText(hidden))
		}
	case canon.ArrayKind:
		var list []string
		for e := range v.Elements() {
			list = append(list, r.value(e))
		}
		return canon.Array(list...)
	case canon.ObjectKind:
		var o canon.Object
		for name, m := range v.Members() {
			if m.Kind() == canon.String && slices.Contains(structural, name) {
				o.Member(name, m.Raw())
			} else {
				o.Member(name, r.value(m))
			}
		}
		return o.End()
	}
	return v.Raw()
}
