package event

import (
	"fmt"
	"slices"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Payload is the data of an event. The payload types of this package know their
// event type and write their data with members in the order of the format.
type Payload interface {
	// Type is the event type, such as "turn/start".
	Type() string
	// Raw is the canonical JSON of the data.
	Raw() string
}

// OpKind says what an event does to the surface.
type OpKind byte

// The operations on the surface.
const (
	OpNone    OpKind = iota // no surface event
	OpAppend                // new last node
	OpReplace               // takes the place of a range of nodes
)

// Op is an operation on the surface. Start and End are the seqs of the first and
// last node of a replaced range, by position, both included.
type Op struct {
	Kind       OpKind
	Start, End int64
}

func (o Op) raw() string {
	if o.Kind == OpAppend {
		return `"append"`
	}
	var obj canon.Object
	obj.String("op", "replace")
	obj.Int("start", o.Start)
	obj.Int("end", o.End)
	return obj.End()
}

// Entry is an event to be appended: what the log does not give it. Sources are
// the seqs it was made from, nil for none.
type Entry struct {
	Payload Payload
	Sources []int64
	Op      Op
}

// Event is one event of a log. Its fields share the text of the line it was read
// from or written as. Sources is owned by the event and not to be written to.
type Event struct {
	Type    string
	Seq     int64
	Time    int64 // Unix milliseconds
	Data    canon.Value
	Sources []int64
	Op      Op
	line    string
	version int64
	fault   error
	content msg.Content // of a surface event
}

// Line returns the text of the event's line, without the line feed.
func (e Event) Line() string { return e.line }

// IsSurfaceType reports whether events of that type carry a message.
func IsSurfaceType(t string) bool {
	switch t {
	case "user/message", "assistant/message", "tool/result", "context/message", "steering/message":
		return true
	}
	return false
}

// named reports whether a type belongs to the vocabulary of the format.
func named(t string) bool {
	switch t {
	case "turn/start", "turn/end", "step/start", "step/end", "prompt/blocked", "assistant/chunk", "tool/call",
		"request/header", "request/header-delta", "request/sent", "contributor/skipped", "hook/invoked", "hook/result", "tool/permission":
		return true
	}
	return IsSurfaceType(t)
}

// New makes the event that an entry becomes at a place of the log. It panics
// when a surface payload has no operation, or another payload has one or has
// sources: only the engine makes entries.
func New(seq, time int64, e Entry) Event {
	t := e.Payload.Type()
	if IsSurfaceType(t) != (e.Op.Kind != OpNone) || e.Op.Kind == OpNone && e.Sources != nil {
		panic("event: surface operation does not fit the type " + t)
	}
	var o canon.Object
	o.String("type", t)
	o.Int("seq", seq)
	o.Int("time", time)
	at := o.Len() + len(`,"data":`)
	data := e.Payload.Raw()
	o.Raw("data", data)
	if e.Sources != nil {
		o.Ints("sourceEventSeqs", e.Sources)
	}
	if e.Op.Kind != OpNone {
		o.Raw("surfaceOp", e.Op.raw())
	}
	line := o.End()
	v, err := canon.ParseCanonical(line[at : at+len(data)])
	if err != nil {
		panic("event: payload of " + t + " is not canonical: " + err.Error())
	}
	made := Event{Type: t, Seq: seq, Time: time, Data: v, Sources: slices.Clone(e.Sources), Op: e.Op, line: line, version: 1}
	if IsSurfaceType(t) {
		if made.content, err = msg.ParseContent(v.Get("content")); err != nil {
			panic("event: content of " + t + ": " + err.Error())
		}
	}
	return made
}

// ShapeError says that a line is JSON and no event.
type ShapeError struct{ Reason string }

func (e *ShapeError) Error() string { return e.Reason }

func shape(format string, args ...any) error { return &ShapeError{fmt.Sprintf(format, args...)} }

// Parse reads one line of a version 1 log. Errors: *canon.SyntaxError when the
// line is not canonical JSON; *ShapeError when it is not an event or its data
// does not have the shape of its type.
func Parse(line string) (Event, error) {
	var room [len(envelope)]canon.Member
	v, members, err := canon.ParseMembers(line, room[:0])
	if err != nil {
		return Event{}, err
	}
	if v.Kind() != canon.ObjectKind {
		return Event{}, shape("line is not an object")
	}
	e := Event{line: line, version: 1, Seq: -1, Time: -1}
	at := 0
	for _, member := range members {
		m := member.Value
		name, _ := member.Name.Text()
		// The order is part of the canonical form.
		place := slices.Index(envelope[:], name)
		switch {
		case place < 0:
			return Event{}, shape("unknown envelope member %q", name)
		case place < at:
			return Event{}, shape("envelope member %q is out of order", name)
		}
		at = place
		ok := true
		switch name {
		case "type":
			e.Type, ok = m.Text()
		case "seq":
			e.Seq, ok = natural(m)
		case "time":
			e.Time, ok = natural(m)
		case "data":
			e.Data, ok = m, m.Kind() == canon.ObjectKind || !named(e.Type)
		case "sourceEventSeqs":
			e.Sources, ok = parseSeqs(m)
		case "surfaceOp":
			e.Op, ok = parseOp(m)
		}
		if !ok {
			return Event{}, shape("envelope member %q has the wrong type", name)
		}
	}
	switch {
	case e.Type == "" || e.Seq < 0 || e.Time < 0 || !e.Data.Exists():
		return Event{}, shape("envelope lacks type, seq, time or data")
	case IsSurfaceType(e.Type) && e.Op.Kind == OpNone:
		return Event{}, shape("%s without surfaceOp", e.Type)
	case !IsSurfaceType(e.Type) && (e.Op.Kind != OpNone || e.Sources != nil):
		return Event{}, shape("%s with a surface operation", e.Type)
	}
	if err := e.check(); err != nil {
		return Event{}, shape("%s: %v", e.Type, err)
	}
	return e, nil
}

// envelope is the members of a line in their order.
var envelope = [...]string{"type", "seq", "time", "data", "sourceEventSeqs", "surfaceOp"}

// natural takes an integer from 0 up; "-0" is none, it is written 0.
func natural(v canon.Value) (int64, bool) {
	n, ok := v.Int()
	return n, ok && v.Raw()[0] != '-'
}

func parseSeqs(v canon.Value) ([]int64, bool) {
	if v.Kind() != canon.ArrayKind {
		return nil, false
	}
	out := []int64{}
	for m := range v.Elements() {
		n, ok := natural(m)
		if !ok {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

func parseOp(v canon.Value) (Op, bool) {
	if s, ok := v.Text(); ok {
		return Op{Kind: OpAppend}, s == "append"
	}
	start, _ := v.Get("start").Int()
	end, _ := v.Get("end").Int()
	op := Op{Kind: OpReplace, Start: start, End: end}
	return op, v.Raw() == op.raw()
}
