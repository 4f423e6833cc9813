package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// MarkEvery is the distance of marks in bytes; MarkSize is the size of one.
const (
	MarkEvery = 256
	MarkSize  = 4
)

// UnsupportedError says that a header or a message cannot be expressed in a
// protocol.
type UnsupportedError struct{ Protocol, What string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("protocol %q cannot carry %s", e.Protocol, e.What)
}

// StableCode returns the error's code.
func (e *UnsupportedError) StableCode() string { return "UNSUPPORTED_CONTENT" }

// protocol writes the parts of one protocol. open is called once, then message for
// each message of the prefix, then prefixed, then message for each of the history;
// each calls put with substrings in order. tail is what closes a body.
type protocol interface {
	open(h header.Header, put func(...string)) error
	message(m msg.Message, first bool, put func(...string)) error
	prefixed(put func(...string))
	tail() string
}

// Encoder builds the bodies of the requests that share one header and a growing
// list of messages. It is owned by one goroutine; the Bodies it returns are
// immutable and may be read anywhere. After an error it is of no use.
type Encoder struct {
	proto    protocol
	parts    parts
	size     int64 // bytes in parts
	sum      hash.Hash
	block    [MarkEvery]byte // the bytes since the last mark
	filled   int             // of block
	marks    []byte          // not yet taken by a Body
	messages int
	started  bool // a message was written
}

// NewEncoder starts the bodies of a header; its prefix is encoded right away.
// Errors: *UnsupportedError.
func NewEncoder(h header.Header) (*Encoder, error) {
	e := &Encoder{sum: sha256.New()}
	switch w := h.Wire(); w.Protocol {
	case "openai":
		if w.Dialect != "openai" && w.Dialect != "deepseek" {
			return nil, &UnsupportedError{w.Protocol, fmt.Sprintf("dialect %q", w.Dialect)}
		}
		if w.CacheTTL != "" || w.Thinking != "" {
			return nil, &UnsupportedError{w.Protocol, "breakpoints of a cache, or thinking"}
		}
		e.proto = &openai{deepseek: w.Dialect == "deepseek"}
	case "anthropic":
		if w.Dialect != "anthropic" {
			return nil, &UnsupportedError{w.Protocol, fmt.Sprintf("dialect %q", w.Dialect)}
		}
		p, err := newAnthropic(w)
		if err != nil {
			return nil, err
		}
		e.proto = p
	default:
		return nil, &UnsupportedError{w.Protocol, "any request: this dsh does not know it"}
	}
	if err := e.proto.open(h, e.put); err != nil {
		return nil, err
	}
	e.started = h.System() != ""
	for _, m := range h.Prefix().All() {
		if err := e.write(m); err != nil {
			return nil, err
		}
	}
	e.proto.prefixed(e.put)
	return e, nil
}

// Append encodes further messages of the history. Errors: *UnsupportedError.
func (e *Encoder) Append(messages ...msg.Message) error {
	for _, m := range messages {
		if err := e.write(m); err != nil {
			return err
		}
		e.messages++
	}
	return nil
}

func (e *Encoder) write(m msg.Message) error {
	before := e.parts.n
	err := e.proto.message(m, !e.started, e.put)
	if e.parts.n > before {
		e.started = true
	}
	return err
}

// Encode makes the body of one request that no other extends: header, messages, and
// a last one. Errors: *UnsupportedError.
func Encode(h header.Header, messages []msg.Message, last msg.Message) (Body, error) {
	e, err := NewEncoder(h)
	if err != nil {
		return Body{}, err
	}
	if err := e.Append(messages...); err != nil {
		return Body{}, err
	}
	if err := e.Append(last); err != nil {
		return Body{}, err
	}
	return e.Body(), nil
}

// Messages is the number of history messages encoded so far, the prefix not
// counted.
func (e *Encoder) Messages() int { return e.messages }

// put appends parts and carries the running digest and the marks along.
func (e *Encoder) put(texts ...string) {
	for _, p := range texts {
		if p == "" {
			continue
		}
		e.parts.add(p)
		e.size += int64(len(p))
		for len(p) > 0 {
			n := copy(e.block[e.filled:], p)
			e.filled += n
			p = p[n:]
			if e.filled == MarkEvery {
				e.sum.Write(e.block[:])
				e.filled = 0
				var d [sha256.Size]byte
				e.marks = append(e.marks, e.sum.Sum(d[:0])[:MarkSize]...)
			}
		}
	}
}

// Body returns the request body as it stands now and takes the marks recorded
// since the last call.
func (e *Encoder) Body() Body {
	tail := e.proto.tail()
	c, err := e.sum.(hash.Cloner).Clone()
	if err != nil {
		panic("wire: sha256 cannot be cloned: " + err.Error())
	}
	c.Write(e.block[:e.filled])
	io.WriteString(c, tail)
	b := Body{parts: e.parts, tail: tail, size: e.size + int64(len(tail)), marks: e.marks}
	c.Sum(b.sum[:0])
	e.marks = nil
	return b
}

// Body is one request body: a list of immutable parts. Copies share the parts.
type Body struct {
	parts parts
	tail  string
	size  int64
	sum   [sha256.Size]byte
	marks []byte
}

// Len is the length in bytes.
func (b Body) Len() int64 { return b.size }

// Head is the length in bytes up to and including the last message, less what closes
// it where the next message may go on in it: what the next body begins with.
func (b Body) Head() int64 { return b.size - int64(len(b.tail)) }

// SHA256 is the digest of the body in lower-case hex.
func (b Body) SHA256() string { return hex.EncodeToString(b.sum[:]) }

// Marks are the marks that this body adds to those of its predecessors, as the
// log records them.
func (b Body) Marks() string { return base64.RawStdEncoding.EncodeToString(b.marks) }

// Reader returns a fresh reader of the body, so that it can be sent again.
func (b Body) Reader() io.Reader { return &reader{body: b} }

// Bytes returns the body as one new slice.
func (b Body) Bytes() []byte {
	out := make([]byte, 0, b.size)
	for i := range b.parts.n {
		out = append(out, b.parts.at(i)...)
	}
	return append(out, b.tail...)
}

type reader struct {
	body Body
	i    int // next part; the one after the last is the tail
	off  int
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && r.i <= r.body.parts.n {
		part := r.body.tail
		if r.i < r.body.parts.n {
			part = r.body.parts.at(r.i)
		}
		c := copy(p[n:], part[r.off:])
		n += c
		r.off += c
		if r.off == len(part) {
			r.i, r.off = r.i+1, 0
		}
	}
	if n == 0 && r.i > r.body.parts.n {
		return 0, io.EOF
	}
	return n, nil
}
