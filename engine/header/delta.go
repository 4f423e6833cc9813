package header

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Delta says how a header differs from the one before it (spec/loop.md section
// 3.3). The zero Delta changes nothing. Format: docs/format/header.md.
type Delta struct {
	System msg.Opt[SystemDelta]
	Tools  msg.Opt[ToolsDelta]
	Config msg.Opt[msg.CallConfig] // replaces the whole
	Prefix msg.Opt[Prefix]         // replaces the whole; an empty one makes it absent
	Wire   msg.Opt[Wire]           // replaces the whole
}

// SystemDelta replaces the middle of the system text's lines. A text without
// lines is absent.
type SystemDelta struct {
	KeepStart, KeepEnd int64 // lines of the old text that stay
	Insert             []string
}

// ToolsDelta names what changed in the tools. Added ones come last.
type ToolsDelta struct {
	Added   []msg.Tool
	Removed []string
	Changed []msg.Tool // take the place of the tool of their name
}

// IsEmpty reports whether the delta changes nothing.
func (d Delta) IsEmpty() bool {
	_, s := d.System.Get()
	_, t := d.Tools.Get()
	_, c := d.Config.Get()
	_, p := d.Prefix.Get()
	_, w := d.Wire.Get()
	return !s && !t && !c && !p && !w
}

// lines splits a system text; an absent one has none.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// Diff returns what turns prev into next. Apply may give something else than next
// where tools were reordered: whoever logs a delta compares first.
func Diff(prev, next Header) Delta {
	var d Delta
	if prev.p.System != next.p.System {
		d.System = msg.Some(diffLines(lines(prev.p.System), lines(next.p.System)))
	}
	if !prev.sameTools(next) {
		d.Tools = msg.Some(diffTools(prev.p.Tools, next.p.Tools))
	}
	if !prev.p.Config.Equal(next.p.Config) {
		d.Config = msg.Some(next.Config())
	}
	if !prev.p.Prefix.equal(next.p.Prefix) {
		d.Prefix = msg.Some(next.p.Prefix)
	}
	if prev.p.Wire != next.p.Wire {
		d.Wire = msg.Some(next.p.Wire)
	}
	return d
}

// diffLines keeps the longest common beginning, then the longest common end that
// does not overlap it on either side.
func diffLines(a, b []string) SystemDelta {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return SystemDelta{KeepStart: int64(start), KeepEnd: int64(end), Insert: slices.Clone(b[start : len(b)-end])}
}

func diffTools(prev, next []msg.Tool) ToolsDelta {
	// Of several tools of one name the last counts.
	find := func(list []msg.Tool, name string) (msg.Tool, bool) {
		for _, t := range slices.Backward(list) {
			if t.Name == name {
				return t, true
			}
		}
		return msg.Tool{}, false
	}
	var d ToolsDelta
	for _, t := range next {
		old, ok := find(prev, t.Name)
		switch {
		case !ok:
			d.Added = append(d.Added, t)
		case old != t:
			d.Changed = append(d.Changed, t)
		}
	}
	for _, t := range prev {
		if _, ok := find(next, t.Name); !ok {
			d.Removed = append(d.Removed, t.Name)
		}
	}
	return d
}

// Apply returns the header that a delta makes of h. Errors: line counts that h
// does not have; tools of version 0 that are no list.
func (h Header) Apply(d Delta) (Header, error) {
	p := h.p
	if s, ok := d.System.Get(); ok {
		old := lines(p.System)
		n := int64(len(old))
		if s.KeepStart < 0 || s.KeepEnd < 0 || s.KeepStart > n || s.KeepEnd > n-s.KeepStart {
			return Header{}, fmt.Errorf("system delta keeps %d and %d of %d lines", s.KeepStart, s.KeepEnd, n)
		}
		p.System = strings.Join(slices.Concat(old[:s.KeepStart], s.Insert, old[n-s.KeepEnd:]), "\n")
	}
	if t, ok := d.Tools.Get(); ok {
		if h.old.tools != "" {
			return Header{}, fmt.Errorf("tools delta of tools that are no list")
		}
		var tools []msg.Tool
		for _, old := range p.Tools {
			if slices.Contains(t.Removed, old.Name) {
				continue
			}
			for _, c := range t.Changed {
				if c.Name == old.Name {
					old = c
				}
			}
			tools = append(tools, old)
		}
		p.Tools = append(tools, t.Added...)
	}
	p.Config = d.Config.Or(p.Config)
	p.Prefix = d.Prefix.Or(p.Prefix)
	p.Wire = d.Wire.Or(p.Wire)
	next := New(p)
	next.old = h.old
	return next, nil
}

// Raw returns the canonical JSON object: system, tools, config, messagePrefix,
// wire, those that changed.
func (d Delta) Raw() string {
	var o canon.Object
	if s, ok := d.System.Get(); ok {
		var so canon.Object
		so.Int("keepStart", s.KeepStart)
		so.Int("keepEnd", s.KeepEnd)
		so.Strings("insert", s.Insert)
		o.Raw("system", so.End())
	}
	if t, ok := d.Tools.Get(); ok {
		var to canon.Object
		to.Raw("added", rawTools(t.Added))
		to.Strings("removed", t.Removed)
		to.Raw("changed", rawTools(t.Changed))
		o.Raw("tools", to.End())
	}
	if c, ok := d.Config.Get(); ok {
		o.Raw("config", c.Raw())
	}
	if p, ok := d.Prefix.Get(); ok {
		o.Raw("messagePrefix", p.raw())
	}
	if w, ok := d.Wire.Get(); ok {
		o.Raw("wire", w.Raw())
	}
	return o.End()
}

func rawTools(tools []msg.Tool) string {
	raws := make([]string, len(tools))
	for i, t := range tools {
		raws[i] = t.Raw()
	}
	return canon.Array(raws...)
}

// raw is the canonical JSON of the list.
func (p Prefix) raw() string {
	if p.text != "" {
		return p.text
	}
	raws := make([]string, len(p.messages))
	for i, m := range p.messages {
		raws[i] = m.Raw()
	}
	return canon.Array(raws...)
}

// ParseDelta takes a delta from a canonical JSON value. Errors name the member.
func ParseDelta(v canon.Value) (Delta, error) { return parseDelta(v, false) }

// ParseDelta takes a delta that is to be applied to h from a canonical JSON value.
// A delta of a header of version 0 may hold what other deltas may not: members
// that nobody knows, which are left out, and tools and messages that were
// scrubbed. Errors name the member.
func (h Header) ParseDelta(v canon.Value) (Delta, error) { return parseDelta(v, h.old.is) }

func parseDelta(v canon.Value, old bool) (Delta, error) {
	var d Delta
	for name, m := range v.Members() {
		var err error
		switch name {
		case "system":
			var s SystemDelta
			s, err = parseSystemDelta(m)
			d.System = msg.Some(s)
		case "tools":
			var t ToolsDelta
			t, err = parseToolsDelta(m, old)
			d.Tools = msg.Some(t)
		case "config":
			var c msg.CallConfig
			c, err = msg.ParseCallConfig(m)
			d.Config = msg.Some(c)
		case "messagePrefix":
			var p Prefix
			if old {
				p = oldPrefix(m)
			} else {
				p.messages, err = parseMessages(m)
			}
			d.Prefix = msg.Some(p)
		case "wire":
			var w Wire
			w, err = ParseWire(m)
			d.Wire = msg.Some(w)
		default:
			if !old {
				err = fmt.Errorf("unknown member")
			}
		}
		if err != nil {
			return Delta{}, fmt.Errorf("header delta: %s: %w", name, err)
		}
	}
	return d, nil
}

func parseSystemDelta(v canon.Value) (SystemDelta, error) {
	var s SystemDelta
	var ok1, ok2 bool
	s.KeepStart, ok1 = v.Get("keepStart").Int()
	s.KeepEnd, ok2 = v.Get("keepEnd").Int()
	if !ok1 || !ok2 || v.Get("insert").Kind() != canon.ArrayKind {
		return s, fmt.Errorf("no keepStart, keepEnd and insert")
	}
	for e := range v.Get("insert").Elements() {
		line, ok := e.Text()
		if !ok {
			return s, fmt.Errorf("an inserted line is not text")
		}
		s.Insert = append(s.Insert, line)
	}
	return s, nil
}

func parseToolsDelta(v canon.Value, old bool) (ToolsDelta, error) {
	parse := parseTools
	if old {
		parse = oldTools
	}
	var t ToolsDelta
	var err error
	if t.Added, err = parse(v.Get("added")); err != nil {
		return t, err
	}
	if t.Changed, err = parse(v.Get("changed")); err != nil {
		return t, err
	}
	if v.Get("removed").Kind() != canon.ArrayKind {
		return t, fmt.Errorf("removed is not a list")
	}
	for e := range v.Get("removed").Elements() {
		name, ok := e.Text()
		if !ok {
			return t, fmt.Errorf("a removed tool is not a name")
		}
		t.Removed = append(t.Removed, name)
	}
	return t, nil
}

func parseTools(v canon.Value) ([]msg.Tool, error) {
	if v.Kind() != canon.ArrayKind {
		return nil, fmt.Errorf("tools is not a list")
	}
	var out []msg.Tool
	for e := range v.Elements() {
		t, err := msg.ParseTool(e)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func parseMessages(v canon.Value) ([]msg.Message, error) {
	if v.Kind() != canon.ArrayKind {
		return nil, fmt.Errorf("messagePrefix is not a list")
	}
	var out []msg.Message
	for e := range v.Elements() {
		m, err := msg.ParseMessage(e)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
