package verify

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/wire"
)

// Difference is the first place where a rebuilt body is not what was sent.
type Difference struct {
	// Offset is the first differing byte of the body, 0-based. When Exact is
	// false it is known only to lie in Offset … Offset+Span-1.
	Offset int64
	Span   int64
	Exact  bool
	// Sent and Rebuilt are the byte that was sent and the one that the log gives
	// now, when Exact.
	Sent, Rebuilt byte
	// Where names the part of the request: a contributor's address or an event
	// with its line in the log.
	Where string
	// Around is the rebuilt text around Offset.
	Around string
	// Record says that the body is what was sent, and the digest, length or marks
	// recorded for it were changed.
	Record bool
	// Unsure says that no mark tells where the body differs: either Offset and Span
	// do, behind the last mark, or the record of the request was changed.
	Unsure bool
}

// String describes the difference in one line.
func (d Difference) String() string {
	if d.Record {
		return "the marks recorded for it were changed"
	}
	var b strings.Builder
	if d.Unsure {
		return fmt.Sprintf("its recorded digest was changed, or its marks were, or the first differing byte is among bytes %d to %d", d.Offset, d.Offset+d.Span-1)
	}
	if d.Exact {
		fmt.Fprintf(&b, "first differing byte is %d: sent %q, the log now gives %q", d.Offset, d.Sent, d.Rebuilt)
	} else {
		fmt.Fprintf(&b, "first differing byte is among bytes %d to %d", d.Offset, d.Offset+d.Span-1)
	}
	if d.Where != "" {
		b.WriteString(", in " + d.Where)
	}
	if d.Around != "" {
		fmt.Fprintf(&b, ", near %q", d.Around)
	}
	return b.String()
}

// chain is a list of requests that extend each other.
type chain struct {
	marks   []byte      // of their bodies so far
	earlier *Difference // of one of them
}

// content is what a body is made of: header, messages, and their events. Messages
// without an event stand at the end.
type content struct {
	header   event.RequestHeader
	messages []msg.Message
	seqs     func() []int64
}

// compare holds a rebuilt body against what its request/sent recorded.
func (c *chain) compare(r Request, made content) *Difference {
	recorded, err := base64.RawStdEncoding.DecodeString(r.Sent.Marks)
	if err != nil {
		recorded = nil
	}
	rebuilt, _ := base64.RawStdEncoding.DecodeString(r.Body.Marks())
	first := int64(len(c.marks) / wire.MarkSize)
	c.marks = append(c.marks, rebuilt...)
	same := 0 // leading marks that agree
	for same+wire.MarkSize <= min(len(recorded), len(rebuilt)) && string(recorded[same:same+wire.MarkSize]) == string(rebuilt[same:same+wire.MarkSize]) {
		same += wire.MarkSize
	}
	marksAgree := same == len(recorded) && same == len(rebuilt)
	if r.Sent.SHA256 == r.Body.SHA256() && r.Sent.Bytes == r.Body.Len() {
		if marksAgree {
			return nil
		}
		return &Difference{Record: true}
	}
	if r.Sent.SHA256 == r.Body.SHA256() {
		return &Difference{Record: true}
	}
	if c.earlier != nil {
		// The bodies of one encoder extend each other: what was wrong stays wrong.
		return c.earlier
	}
	body := r.Body.Bytes()
	start := (first + int64(same/wire.MarkSize)) * wire.MarkEvery
	d := &Difference{Offset: min(start, int64(len(body)))}
	end := min(start+wire.MarkEvery, int64(len(body)))
	d.Span = max(end-d.Offset, 1)
	switch {
	case same < len(recorded) && same < len(rebuilt):
		want := recorded[same : same+wire.MarkSize]
		d.search(body, start, end, func(sum []byte) bool { return string(sum[:wire.MarkSize]) == string(want) })
	case r.Sent.Bytes == r.Body.Len() && same == len(rebuilt) && int64(len(body))-start <= wire.MarkEvery+r.Body.Len()-r.Body.Head():
		end = int64(len(body))
		d.search(body, start, end, func(sum []byte) bool { return hex.EncodeToString(sum) == r.Sent.SHA256 })
		d.Unsure = !d.Exact
	default:
		// The lengths differ, or marks are missing.
		d.Unsure = same == min(len(recorded), len(rebuilt)) && len(recorded) != len(rebuilt) && r.Sent.Bytes == r.Body.Len()
	}
	d.Where = made.locate(d.Offset)
	if last := made.locate(d.Offset + d.Span - 1); last != d.Where {
		d.Where += " … " + last
	}
	d.Around = around(body, d.Offset)
	if !d.Unsure {
		c.earlier = d
	}
	return d
}

// search looks for the one byte in body[start:end] whose replacement makes the
// digest of body[:end] fit.
func (d *Difference) search(body []byte, start, end int64, fits func(sum []byte) bool) {
	before := newHash()
	before.h.Write(body[:start])
	var sum [sha256.Size]byte
	for i := start; i < end; i++ {
		for v := range 256 {
			if byte(v) == body[i] {
				continue
			}
			h := before.clone()
			h.Write([]byte{byte(v)})
			h.Write(body[i+1 : end])
			if fits(h.Sum(sum[:0])) {
				d.Offset, d.Span, d.Exact, d.Sent, d.Rebuilt = i, 1, true, byte(v), body[i]
				return
			}
		}
		before.h.Write(body[i : i+1])
	}
}

// locate names the part of a body that holds a byte.
func (c content) locate(offset int64) string {
	h := c.header.Header
	enc, err := wire.NewEncoder(header.New(header.Parts{Config: h.Config(), System: h.System(), Tools: tools(h), Wire: h.Wire()}))
	if err != nil {
		return ""
	}
	if offset < enc.Body().Head() {
		return "model settings, tools or system text"
	}
	inside := func(m msg.Message) bool { return enc.Append(m) == nil && offset < enc.Body().Head() }
	for i, m := range h.Prefix().All() {
		if inside(m) {
			if i < len(c.header.Sources.Prefix) {
				return "prefix " + c.header.Sources.Prefix[i].Address
			}
			return fmt.Sprintf("prefix message %d", i+1)
		}
	}
	seqs := c.seqs()
	for i, m := range c.messages {
		if inside(m) && i < len(seqs) {
			return fmt.Sprintf("event %d (log line %d)", seqs[i], seqs[i]+2)
		}
	}
	return "the end of the body"
}

func tools(h header.Header) []msg.Tool {
	var out []msg.Tool
	for _, t := range h.Tools() {
		out = append(out, t)
	}
	return out
}

// around cuts the text near a byte for a person to recognise.
func around(body []byte, at int64) string {
	from, to := max(at-20, 0), min(at+20, int64(len(body)))
	return string(body[from:to])
}

// hashState is a running SHA-256.
type hashState struct{ h hash.Hash }

func newHash() hashState { return hashState{sha256.New()} }

func (s hashState) write(text string) { s.h.Write([]byte(text)) }

func (s hashState) sum() []byte { return s.h.Sum(nil) }

func (s hashState) clone() hash.Hash {
	c, err := s.h.(hash.Cloner).Clone()
	if err != nil {
		panic("verify: sha256 cannot be cloned: " + err.Error())
	}
	return c
}
