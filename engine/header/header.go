package header

import (
	"fmt"
	"iter"
	"slices"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Wire is everything that shapes a body besides messages, tools and call
// configuration. TopP is a canonical JSON number.
type Wire struct {
	Protocol string // "openai" or "anthropic"
	Dialect  string // of the protocol: "openai" or "deepseek"; "anthropic"
	TopP     msg.Opt[string]
	// CacheTTL is how long breakpoints ask the cache to keep what is before them: ""
	// for the protocol's default, "1h", or "none" for no breakpoints.
	CacheTTL string
	// Thinking is "adaptive", a number of tokens, or "" for none.
	Thinking string
}

// Raw returns the canonical JSON object.
func (w Wire) Raw() string {
	var o canon.Object
	o.String("protocol", w.Protocol)
	o.String("dialect", w.Dialect)
	if p, ok := w.TopP.Get(); ok {
		o.Raw("topP", p)
	}
	if w.CacheTTL != "" {
		o.String("cacheTtl", w.CacheTTL)
	}
	if w.Thinking != "" {
		o.String("thinking", w.Thinking)
	}
	return o.End()
}

// UnknownWireError says that a logged header shapes its body by a setting that
// this program does not know, so that the request cannot be rebuilt.
type UnknownWireError struct{ Member string }

func (e *UnknownWireError) Error() string {
	return fmt.Sprintf("header has the unknown wire setting %q: a newer dsh wrote it", e.Member)
}

// StableCode returns the error's code.
func (e *UnknownWireError) StableCode() string { return "UNKNOWN_WIRE" }

// ParseWire takes wire settings from a canonical JSON value. Errors:
// *UnknownWireError; a value that is no object, or a setting of the wrong type.
func ParseWire(v canon.Value) (Wire, error) {
	var w Wire
	if v.Kind() != canon.ObjectKind {
		return w, fmt.Errorf("wire is not an object")
	}
	for name, m := range v.Members() {
		ok := true
		switch name {
		case "protocol":
			w.Protocol, ok = m.Text()
		case "dialect":
			w.Dialect, ok = m.Text()
		case "cacheTtl":
			w.CacheTTL, ok = m.Text()
		case "thinking":
			w.Thinking, ok = m.Text()
		case "topP":
			if m.Kind() != canon.Number {
				return w, fmt.Errorf("wire topP is not a number")
			}
			w.TopP = msg.Some(m.Raw())
		default:
			return w, &UnknownWireError{Member: name}
		}
		if !ok {
			return w, fmt.Errorf("wire %s is not text", name)
		}
	}
	return w, nil
}

// Prefix is a frozen list of messages: it can be read, and that is all. The zero
// Prefix is empty.
type Prefix struct {
	messages []msg.Message
	text     string // of version 0, where it is not what the messages give
}

// Seal freezes messages; the caller's slice stays its own.
func Seal(messages []msg.Message) Prefix { return Prefix{messages: slices.Clone(messages)} }

// Len is the number of messages.
func (p Prefix) Len() int { return len(p.messages) }

// At returns message i, 0-based.
func (p Prefix) At(i int) msg.Message { return p.messages[i] }

// All iterates over the messages in wire order.
func (p Prefix) All() iter.Seq2[int, msg.Message] { return slices.All(p.messages) }

// Parts is what a Header is made of. Empty means absent.
type Parts struct {
	Config msg.CallConfig
	System string
	Tools  []msg.Tool
	Prefix Prefix
	Wire   Wire
}

// Header is one sealed header. The zero Header is none.
type Header struct {
	p   Parts
	old old
}

// New seals parts; slices are copied.
func New(p Parts) Header {
	p.Tools = slices.Clone(p.Tools)
	p.Config.Stop = slices.Clone(p.Config.Stop)
	return Header{p: p}
}

// With returns the header with another call configuration and other wire settings;
// system, tools and prefix are the same.
func (h Header) With(c msg.CallConfig, w Wire) Header {
	h.p.Config, h.p.Wire = c, w
	h.p.Config.Stop = slices.Clone(c.Stop)
	return h
}

// Config returns the call configuration; the caller owns its slices.
func (h Header) Config() msg.CallConfig {
	c := h.p.Config
	c.Stop = slices.Clone(c.Stop)
	return c
}

// System returns the system text, "" when absent.
func (h Header) System() string { return h.p.System }

// Tools iterates over the tools in wire order.
func (h Header) Tools() iter.Seq2[int, msg.Tool] { return slices.All(h.p.Tools) }

// Prefix returns the frozen prefix.
func (h Header) Prefix() Prefix { return h.p.Prefix }

// Wire returns the wire settings.
func (h Header) Wire() Wire { return h.p.Wire }

// Raw returns the canonical JSON of the header. It costs as much as the header is
// long; an instance asks for it once.
func (h Header) Raw() string {
	var o canon.Object
	o.Raw("config", h.p.Config.Raw())
	if h.p.System != "" {
		o.String("system", h.p.System)
	}
	switch {
	case h.old.tools != "":
		o.Raw("tools", h.old.tools)
	case len(h.p.Tools) > 0:
		o.Raw("tools", rawTools(h.p.Tools))
	}
	if !h.p.Prefix.absent() {
		o.Raw("messagePrefix", h.p.Prefix.raw())
	}
	if !h.old.is {
		o.Raw("wire", h.p.Wire.Raw())
	}
	return o.End()
}

// Equal reports whether two headers have the same parts.
func (h Header) Equal(o Header) bool {
	return h.p.Config.Equal(o.p.Config) && h.p.System == o.p.System && h.p.Wire == o.p.Wire && h.old.is == o.old.is &&
		h.sameTools(o) && h.p.Prefix.equal(o.p.Prefix)
}

func (h Header) sameTools(o Header) bool {
	return h.old.tools == o.old.tools && slices.Equal(h.p.Tools, o.p.Tools)
}

// Parse takes a header from a canonical JSON value. One without wire settings is
// of version 0. Errors name the member; *UnknownWireError for a wire setting of a
// newer version.
func Parse(v canon.Value) (Header, error) {
	if v.Kind() == canon.ObjectKind && !v.Get("wire").Exists() {
		return parseOld(v)
	}
	var p Parts
	var err error
	for name, m := range v.Members() {
		switch name {
		case "config":
			p.Config, err = msg.ParseCallConfig(m)
		case "system":
			var ok bool
			if p.System, ok = m.Text(); !ok {
				err = fmt.Errorf("system is not text")
			}
		case "tools":
			p.Tools, err = parseTools(m)
		case "messagePrefix":
			p.Prefix.messages, err = parseMessages(m)
		case "wire":
			p.Wire, err = ParseWire(m)
		default:
			err = fmt.Errorf("unknown member %q", name)
		}
		if err != nil {
			return Header{}, fmt.Errorf("header: %w", err)
		}
	}
	if p.Config.Model == "" && !v.Get("config").Exists() {
		return Header{}, fmt.Errorf("header: no config")
	}
	return Header{p: p}, nil
}

// Source says where one part of a composed header came from. Bytes and SHA256
// are length and digest (lower-case hex) of the part's text or of the message's
// canonical JSON.
type Source struct {
	Address string
	Origin  string
	Bytes   int64
	SHA256  string
}

// Sources are the sources of the system text's parts and of the prefix's
// messages, each in wire order.
type Sources struct{ System, Prefix []Source }

// Raw returns the canonical JSON object.
func (s Sources) Raw() string {
	list := func(in []Source) string {
		raws := make([]string, len(in))
		for i, e := range in {
			var o canon.Object
			o.String("address", e.Address)
			o.String("origin", e.Origin)
			o.Int("bytes", e.Bytes)
			o.String("sha256", e.SHA256)
			raws[i] = o.End()
		}
		return canon.Array(raws...)
	}
	var o canon.Object
	o.Raw("system", list(s.System))
	o.Raw("messagePrefix", list(s.Prefix))
	return o.End()
}

// ParseSources takes sources from a JSON value; absent lists are empty.
func ParseSources(v canon.Value) Sources {
	list := func(v canon.Value) []Source {
		var out []Source
		for e := range v.Elements() {
			var s Source
			s.Address, _ = e.Get("address").Text()
			s.Origin, _ = e.Get("origin").Text()
			s.Bytes, _ = e.Get("bytes").Int()
			s.SHA256, _ = e.Get("sha256").Text()
			out = append(out, s)
		}
		return out
	}
	return Sources{System: list(v.Get("system")), Prefix: list(v.Get("messagePrefix"))}
}
