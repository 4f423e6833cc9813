package header

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// old is what a header of version 0, which has no wire settings, holds beyond
// Parts. Such logs may be fixtures whose content was scrubbed: then there is text
// where tools and messages were.
type old struct {
	is    bool
	tools string // canonical JSON of tools that are no list, "" for none
}

// parseOld takes a header of version 0: members that nobody knows are left out,
// and what is empty is absent.
func parseOld(v canon.Value) (Header, error) {
	h := Header{old: old{is: true}}
	var err error
	if h.p.Config, err = msg.ParseCallConfig(v.Get("config")); err != nil {
		if !v.Get("config").Exists() {
			err = fmt.Errorf("no config")
		}
		return Header{}, fmt.Errorf("header: %w", err)
	}
	if s := v.Get("system"); s.Exists() && s.Kind() != canon.Null {
		var ok bool
		if h.p.System, ok = s.Text(); !ok {
			return Header{}, fmt.Errorf("header: system is not text")
		}
	}
	if tools := v.Get("tools"); !hollow(tools) {
		if h.p.Tools, err = oldTools(tools); err != nil {
			h.p.Tools, h.old.tools = nil, tools.Raw()
		}
	}
	h.p.Prefix = oldPrefix(v.Get("messagePrefix"))
	return h, nil
}

// hollow reports whether JavaScript takes a value for one without length.
func hollow(v canon.Value) bool {
	switch v.Kind() {
	case canon.String, canon.ArrayKind:
		return len(v.Raw()) == 2
	}
	return true
}

// oldTools takes a list of objects for tools, whatever is in them.
func oldTools(v canon.Value) ([]msg.Tool, error) {
	if v.Kind() != canon.ArrayKind {
		return nil, errors.New("tools is not a list")
	}
	var out []msg.Tool
	for e := range v.Elements() {
		if e.Kind() != canon.ObjectKind {
			return nil, errors.New("a tool is not an object")
		}
		t, _ := msg.KeepTool(e)
		out = append(out, t)
	}
	return out, nil
}

// oldPrefix takes a prefix; where its text is not what its messages give, or they
// are none, it keeps the text.
func oldPrefix(v canon.Value) Prefix {
	if hollow(v) {
		return Prefix{}
	}
	messages, err := parseMessages(v)
	if err != nil {
		return Prefix{text: v.Raw()}
	}
	p := Prefix{messages: messages}
	if p.raw() != v.Raw() {
		p.text = v.Raw()
	}
	return p
}

func (p Prefix) absent() bool { return len(p.messages) == 0 && p.text == "" }

func (p Prefix) equal(o Prefix) bool {
	return p.text == o.text && slices.Equal(p.messages, o.messages)
}

// IsVersion0 reports whether the header was read from a log of version 0, which
// does not say how a body is shaped.
func (h Header) IsVersion0() bool { return h.old.is }

// Sendable returns nil when a request could be built of the header's parts. A
// header of version 0 may hold tools or messages that were scrubbed.
func (h Header) Sendable() error {
	if !h.old.is {
		return nil
	}
	if h.old.tools != "" {
		return errors.New("the tools of the header are no list: the log was scrubbed")
	}
	for _, t := range h.p.Tools {
		if v, err := canon.ParseCanonical(t.Raw()); err == nil {
			if _, err := msg.ParseTool(v); err != nil {
				return fmt.Errorf("%w: the log was scrubbed", err)
			}
		}
	}
	if p := h.p.Prefix; p.text != "" && len(p.messages) == 0 {
		return errors.New("the prefix of the header is no list of messages: the log was scrubbed")
	}
	return nil
}

// RawAt returns the canonical JSON of message i, 0-based, as the log has it.
func (p Prefix) RawAt(i int) string {
	if p.text != "" {
		if v, err := canon.ParseCanonical(p.text); err == nil {
			for e := range v.Elements() {
				if i == 0 {
					return e.Raw()
				}
				i--
			}
		}
	}
	return p.messages[i].Raw()
}
