package event

import (
	"errors"
	"fmt"
	"math"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// ParseVersion0 reads one line of a version 0 log, as the reference reads it
// (docs/format/divergences.md says where it is read otherwise): any JSON object
// is an event. Data is in canonical form, so that its messages can be put on the
// wire and logged again; Line is the line as it stands in the file. An event
// whose data nothing can be derived from has a Fault. Seq is -1 when the line has
// none. Errors: *canon.SyntaxError when the line is not a JSON object.
func ParseVersion0(line string) (Event, error) {
	text := canon.ValidText(line)
	e := Event{line: line, version: 0, Seq: -1}
	v, err := canon.ParseJavaScript(text)
	var syntax *canon.SyntaxError
	switch {
	case errors.As(err, &syntax):
		if text != line {
			// Its offset counts bytes that are not in the file.
			syntax = &canon.SyntaxError{Offset: 0, Reason: syntax.Reason}
		}
		return Event{}, syntax
	case err != nil:
		// What holds a number without a value keeps only its envelope.
		e.fault = err
		if v, err = canon.Parse(text); err != nil {
			return Event{}, err
		}
	}
	if v.Kind() != canon.ObjectKind {
		return Event{}, &canon.SyntaxError{Offset: 0, Reason: "not an object"}
	}
	for name, m := range v.Members() {
		switch name {
		case "type":
			e.Type, _ = m.Text()
		case "seq":
			e.Seq = -1
			if f, ok := m.Float(); ok && f >= 0 && f < 1<<53 && f == math.Trunc(f) {
				e.Seq = int64(f)
			}
		case "time":
			e.Time = 0
			if f, ok := m.Float(); ok && f >= 0 && f < 1<<53 {
				e.Time = int64(f)
			}
		case "data":
			if e.fault == nil {
				e.Data = m
			}
		case "sourceEventSeqs":
			var ok bool
			if e.Sources, ok = parseSeqs(m); !ok {
				e.Sources = []int64{} // there, and no event's seq
			}
		case "surfaceOp":
			e.Op = looseOp(m)
		}
	}
	if e.fault == nil {
		e.fault = e.faultOf(v)
	}
	return e, nil
}

// looseOp takes an operation as the reference does: whatever is not the text
// "append" replaces a range, whose ends may be nowhere.
func looseOp(v canon.Value) Op {
	if s, ok := v.Text(); ok && s == "append" {
		return Op{Kind: OpAppend}
	}
	op := Op{Kind: OpReplace, Start: -1, End: -1}
	if n, ok := natural(v.Get("start")); ok {
		op.Start = n
	}
	if n, ok := natural(v.Get("end")); ok {
		op.End = n
	}
	return op
}

// faultOf says what keeps a fold from using an event of version 0.
func (e *Event) faultOf(v canon.Value) error {
	if !e.Data.Exists() {
		return fmt.Errorf("no data")
	}
	if IsSurfaceType(e.Type) {
		if op := v.Get("surfaceOp"); !op.Exists() || op.Kind() == canon.Null {
			return fmt.Errorf("no surfaceOp")
		}
	}
	if e.Type == "request/sent" || e.Type == "request/attempt" {
		return nil // types of version 1, which mean nothing here
	}
	return e.check()
}

// Version is the version of the format that the event was read from or made for.
func (e Event) Version() int64 { return e.version }

// Fault says why nothing can be derived from the event, nil when all can. Only
// events of version 0 have one: lines of later versions are refused instead.
func (e Event) Fault() error { return e.fault }

// carried is the payload of an event that goes from one log into another.
type carried struct{ kind, data string }

// Type implements Payload.
func (p carried) Type() string { return p.kind }

// Raw implements Payload.
func (p carried) Raw() string { return p.data }

// Sealed implements Sealer: the digest of a turn/end is that of the log it stands
// in.
func (p carried) Sealed(digest string) Payload {
	if p.kind != "turn/end" {
		return p
	}
	v, err := canon.ParseCanonical(p.data)
	if err != nil {
		panic("event: carried data is not canonical: " + err.Error())
	}
	var o canon.Object
	for name, m := range v.Members() {
		if name != "logSha256" {
			o.Member(name, m.Raw())
		}
	}
	o.String("logSha256", digest)
	return carried{p.kind, o.End()}
}

// Sealer is a payload that records the digest of the log before it.
type Sealer interface {
	// Sealed returns the payload with the digest, in lower-case hex.
	Sealed(digest string) Payload
}

// Sealed implements Sealer.
func (p TurnEnd) Sealed(digest string) Payload {
	p.LogSHA256 = digest
	return p
}

// Entry returns what an event is made of, to be appended to another log: its data
// as it is and in canonical form. Errors: the event has a Fault, or it is of
// version 0 and has no type, a surface operation that its type cannot have, or data
// that it cannot have in version 1.
func (e Event) Entry() (Entry, error) {
	switch {
	case e.fault != nil:
		return Entry{}, fmt.Errorf("%s: %w", e.Type, e.fault)
	case e.Type == "":
		return Entry{}, shape("event without type")
	case !IsSurfaceType(e.Type) && (e.Op.Kind != OpNone || e.Sources != nil):
		return Entry{}, shape("%s with a surface operation", e.Type)
	case named(e.Type) && e.Data.Kind() != canon.ObjectKind:
		return Entry{}, shape("%s: data is no object", e.Type)
	}
	// A type of version 1 may have meant something else in version 0.
	e.version = 1
	if err := e.check(); err != nil {
		return Entry{}, shape("%s: %v", e.Type, err)
	}
	return Entry{Payload: carried{e.Type, e.Data.Raw()}, Sources: e.Sources, Op: e.Op}, nil
}
