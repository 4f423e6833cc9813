package event

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Reasons of a request/header event.
const (
	HeaderInitial  = "initial"
	HeaderResume   = "resume"
	HeaderFallback = "fallback" // a change that a delta cannot express
)

// RequestHeader is a whole header, logged before the first request of an
// instance.
type RequestHeader struct {
	Header       header.Header
	Reason       string // HeaderInitial, HeaderResume or HeaderFallback
	ConfigDigest string
	Sources      header.Sources
	// Drift names the contributors that differ from the last header of the session.
	// Reused says that the last header's system and prefix were taken all the same,
	// so that Drift is what was left out.
	Drift  []header.Change
	Reused bool
}

// What a request is for.
const (
	PurposeStep    = "step"
	PurposeSummary = "summary" // of a compaction; its Step is 0
)

// RequestSent records a request that is about to leave. Bytes and SHA256 (lower-
// case hex) are those of the exact body; Marks is described in
// docs/format/log.md.
type RequestSent struct {
	Turn, Step int64
	Bytes      int64
	SHA256     string
	Purpose    string // PurposeStep or PurposeSummary
	Marks      string
}

// RequestAttempt records that a request failed before an answer began and will be
// sent again, the same bytes, after a pause. Attempts count from 1. Status is the
// HTTP status, 0 when there was no response; a summary's Step is 0.
type RequestAttempt struct {
	Turn, Step    int64
	Attempt       int64
	Status        int64
	Code, Message string
	DelayMS       int64
}

// Type implements Payload.
func (RequestAttempt) Type() string { return "request/attempt" }

// Type implements Payload.
func (RequestHeader) Type() string { return "request/header" }

// Type implements Payload.
func (RequestSent) Type() string { return "request/sent" }

// Raw implements Payload.
func (p RequestHeader) Raw() string {
	var o canon.Object
	o.Raw("header", p.Header.Raw())
	o.String("reason", p.Reason)
	o.String("configDigest", p.ConfigDigest)
	o.Raw("sources", p.Sources.Raw())
	if len(p.Drift) > 0 {
		raws := make([]string, len(p.Drift))
		for i, c := range p.Drift {
			var co canon.Object
			co.String("address", c.Address)
			co.String("change", c.Kind)
			raws[i] = co.End()
		}
		o.Raw("drift", canon.Array(raws...))
	}
	if p.Reused {
		o.Bool("reused", true)
	}
	return o.End()
}

// Raw implements Payload.
func (p RequestSent) Raw() string {
	o := step(p.Turn, p.Step)
	o.Int("bytes", p.Bytes)
	o.String("sha256", p.SHA256)
	o.String("purpose", p.Purpose)
	o.String("marks", p.Marks)
	return o.End()
}

// Raw implements Payload.
func (p RequestAttempt) Raw() string {
	o := step(p.Turn, p.Step)
	o.Int("attempt", p.Attempt)
	if p.Status != 0 {
		o.Int("status", p.Status)
	}
	o.String("code", p.Code)
	o.String("message", p.Message)
	o.Int("delayMs", p.DelayMS)
	return o.End()
}

// ParseRequestAttempt takes the payload from the data of a request/attempt.
func ParseRequestAttempt(v canon.Value) RequestAttempt {
	var p RequestAttempt
	p.Turn, _ = v.Get("turn").Int()
	p.Step, _ = v.Get("step").Int()
	p.Attempt, _ = v.Get("attempt").Int()
	p.Status, _ = v.Get("status").Int()
	p.Code, _ = v.Get("code").Text()
	p.Message, _ = v.Get("message").Text()
	p.DelayMS, _ = v.Get("delayMs").Int()
	return p
}

// ParseRequestHeader takes the payload from the data of a request/header.
func ParseRequestHeader(v canon.Value) (RequestHeader, error) {
	h, err := header.Parse(v.Get("header"))
	if err != nil {
		return RequestHeader{}, err
	}
	p := RequestHeader{Header: h, Sources: header.ParseSources(v.Get("sources"))}
	p.Reason, _ = v.Get("reason").Text()
	p.ConfigDigest, _ = v.Get("configDigest").Text()
	for e := range v.Get("drift").Elements() {
		var c header.Change
		c.Address, _ = e.Get("address").Text()
		c.Kind, _ = e.Get("change").Text()
		p.Drift = append(p.Drift, c)
	}
	p.Reused = v.Get("reused").IsTrue()
	return p, nil
}

// ParseRequestSent takes the payload from the data of a request/sent.
func ParseRequestSent(v canon.Value) RequestSent {
	var p RequestSent
	p.Turn, _ = v.Get("turn").Int()
	p.Step, _ = v.Get("step").Int()
	p.Bytes, _ = v.Get("bytes").Int()
	p.SHA256, _ = v.Get("sha256").Text()
	p.Purpose, _ = v.Get("purpose").Text()
	p.Marks, _ = v.Get("marks").Text()
	return p
}

// checkCost holds what an answer cost, where that is said, to its form.
func checkCost(d canon.Value) error {
	if v := d.Get("cost"); v.Exists() {
		if _, ok := msg.ParseCost(v); !ok {
			return fmt.Errorf("\"cost\" is no amount of a currency")
		}
	}
	return nil
}

// check holds the data of an event to the shape that the fold relies on. Types
// that nothing is derived from are not looked into. It takes the content of a
// surface event.
func (e *Event) check() error {
	d := e.Data
	ints := func(names ...string) error {
		for _, n := range names {
			if _, ok := natural(d.Get(n)); !ok {
				return fmt.Errorf("no number %q", n)
			}
		}
		return nil
	}
	texts := func(names ...string) error {
		for _, n := range names {
			if d.Get(n).Kind() != canon.String {
				return fmt.Errorf("no text %q", n)
			}
		}
		return nil
	}
	content := func() error {
		c, err := msg.ParseContent(d.Get("content"))
		e.content = c
		return err
	}
	source := func() error {
		if _, ok := SourceOf(d.Get("source")); !ok {
			return fmt.Errorf("no source with a kind")
		}
		return nil
	}
	var errs [3]error
	switch e.Type {
	case "user/message", "context/message":
		errs = [3]error{content(), source()}
	case "steering/message":
		errs = [3]error{content(), source(), ints("turn")}
	case "assistant/message":
		errs = [3]error{content(), ints("turn", "step")}
		if err := checkCost(d); err != nil {
			return err
		}
	case "tool/result":
		errs = [3]error{content(), ints("turn", "step"), texts("callId")}
		if k := d.Get("isError").Kind(); k != canon.Bool {
			return fmt.Errorf("no boolean \"isError\"")
		}
	case "tool/call":
		errs = [3]error{ints("turn", "step"), texts("callId", "name", "arguments")}
	case "turn/start":
		errs = [3]error{ints("turn")}
	case "turn/end":
		errs = [3]error{ints("turn"), nil, nil}
		if d.Get("reason").Get("kind").Kind() != canon.String {
			return fmt.Errorf("no reason with a kind")
		}
	case "step/start", "step/end":
		errs = [3]error{ints("turn", "step")}
	case "request/sent":
		errs = [3]error{ints("turn", "step", "bytes"), texts("sha256", "purpose", "marks")}
	case "request/attempt":
		errs = [3]error{ints("turn", "step", "attempt", "delayMs"), texts("code", "message")}
	case "compact/gate", "compact/start", "compact/prune", "compact/summary", "compact/end":
		if e.carriesCompaction() {
			return e.checkCompaction(ints, texts)
		}
	case "request/header":
		if d.Get("header").Kind() != canon.ObjectKind {
			return fmt.Errorf("no header object")
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
