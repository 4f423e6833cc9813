package verify

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
	"github.com/dsh-hcl/dsh/engine/wire"
)

// Request is one rebuilt request. Number counts the requests of the log from 1.
type Request struct {
	Number     int
	Turn, Step int64
	Sent       event.RequestSent
	Body       wire.Body   // as rebuilt; zero when Err is set
	Difference *Difference // nil when identical
	Err        error       // why it could not be rebuilt
	Header     event.RequestHeader
	group      int // requests of one group extend each other
}

// Identical reports whether the rebuilt body is the one that was sent.
func (r Request) Identical() bool { return r.Err == nil && r.Difference == nil }

// Damage is a place where the log is not what was written, found apart from any
// request: by the digest of a turn's end, or by a line that cannot be read.
type Damage struct {
	Turn int64 // 0 for a line that cannot be read
	Err  error
}

// Report is what became of a session.
type Report struct {
	Version  int64 // of the log's format
	Requests []Request
	Damage   []Damage
	Torn     bool // the last line was cut by a crash, which is no damage
	Open     bool // the last turn has no end: it was cut, or it is still running
	// Derived is the number of answered steps of a log of version 0 whose header and
	// history it still gives. What was sent is not recorded there, so that there is
	// nothing to compare: such a log has no Requests.
	Derived int
}

// Identical is the number of requests rebuilt to the byte.
func (r *Report) Identical() int {
	n := 0
	for _, q := range r.Requests {
		if q.Identical() {
			n++
		}
	}
	return n
}

// OK reports whether every request is identical and the log undamaged.
func (r *Report) OK() bool { return r.Identical() == len(r.Requests) && len(r.Damage) == 0 }

// boundary is the history as it stood right before a step/start.
type boundary struct {
	known      bool
	turn, step int64
	history    session.History
}

// pass is the pass of a compaction whose summary is asked for.
type pass struct {
	start    event.CompactStart
	messages []msg.Message // of the nodes it is about
	nodes    []session.Node
	known    bool
}

// header is the header in force as the request for the summary has it.
func (p pass) header(rh event.RequestHeader) event.RequestHeader {
	rh.Header = rh.Header.With(p.start.Config, p.start.Wire)
	return rh
}

// seqs are the events behind the messages.
func (p pass) seqs() []int64 {
	var out []int64
	inside := false
	for _, n := range p.nodes {
		inside = inside || n.Seq == p.start.Start
		if _, has := n.Message.Get(); has && inside {
			out = append(out, n.Seq)
		}
		if n.Seq == p.start.End {
			break
		}
	}
	return out
}

// fold walks a log once and collects its requests.
type fold struct {
	state    *session.State
	at       boundary
	pass     pass
	enc      *wire.Encoder
	encGen   int
	headers  int // request/header events folded when enc was made
	chain    chain
	group    int // counts the encoders
	derived  int // see Report
	requests []Request
}

// Log verifies the text of a log. path is for errors. The error is set only when
// not even the session header can be read; everything else is in the report.
func Log(path, text string) (*Report, error) {
	report := &Report{}
	f := &fold{state: &session.State{}}
	digest := newRunning(text)
	own := newRules(text)
	good, goodLine := int64(0), int64(1) // what a digest has vouched for ends here
	w, scanErr := eventlog.WalkText(path, text, func(e event.Event, start int64) error {
		if e.Type == "turn/end" && e.Version() > 0 {
			got, _ := e.Data.Get("logSha256").Text()
			if want := digest.at(start); got != want {
				turn, _ := e.Data.Get("turn").Int()
				report.Damage = append(report.Damage, Damage{Turn: turn,
					Err: fmt.Errorf("lines %d to %d, bytes %d to %d of the log, are not what was written: turn/end recorded another digest (%s, not %s)", goodLine, e.Seq+1, good, start-1, short(got), want[:12])})
			} else {
				good, goodLine = start, e.Seq+2
			}
		}
		if err := own.keep(e); err != nil {
			report.Damage = append(report.Damage, Damage{Err: fmt.Errorf("line %d, byte %d: %w", e.Seq+2, start, err)})
		}
		if err := f.apply(e); err != nil {
			n := int(f.state.Next())
			return &eventlog.CorruptError{Path: path, Line: n + 2, Offset: start, Readable: n, Err: err}
		}
		return nil
	})
	if scanErr != nil && w.Header.ID == "" {
		return nil, scanErr
	}
	report.Version, report.Torn, report.Derived = w.Header.Version, w.Torn, f.derived
	if n := w.Header.Redacted; n > 0 {
		report.Damage = append(report.Damage, Damage{Err: &eventlog.RedactedError{Path: path, Texts: n}})
	}
	turn, _ := f.state.Open()
	report.Open = turn != 0
	f.settle()
	report.Requests = f.requests
	if scanErr != nil {
		var corrupt *eventlog.CorruptError
		if errors.As(scanErr, &corrupt) {
			f.cutOff(report, corrupt, text)
		}
		report.Damage = append(report.Damage, Damage{Err: scanErr})
	}
	return report, nil
}

func short(digest string) string {
	if len(digest) > 12 {
		return digest[:12]
	}
	return digest
}

// apply folds one event and rebuilds the request it stands for.
func (f *fold) apply(e event.Event) error {
	turn, _ := e.Data.Get("turn").Int()
	step, _ := e.Data.Get("step").Int()
	if e.Type == "compact/start" && e.Compaction() {
		start, err := event.ParseCompactStart(e.Data)
		messages, ok := f.state.Range(start.Start, start.End)
		f.pass = pass{start: start, messages: messages, nodes: f.state.Nodes(), known: err == nil && ok && start.Kind == event.GateSummarize}
	}
	if e.Type == "step/start" {
		f.at = boundary{history: f.state.History(), known: true, turn: turn, step: step}
	}
	if err := f.state.Apply(e); err != nil {
		return err
	}
	if e.Version() == 0 && f.at.known && (e.Type == "assistant/chunk" || e.Type == "assistant/message") && turn == f.at.turn && step == f.at.step {
		// The first answer of a step: its request was made of what stands before.
		f.at.known = false
		if h, ok := f.state.Header(); ok && h.Sendable() == nil {
			f.derived++
		}
	}
	if e.Type != "request/sent" || e.Version() == 0 {
		return nil
	}
	r := Request{Number: len(f.requests) + 1, Sent: event.ParseRequestSent(e.Data)}
	r.Turn, r.Step = r.Sent.Turn, r.Sent.Step
	r.Header, _ = f.state.RequestHeader()
	r.Body, r.Err = f.rebuild(r.Sent)
	if r.Err == nil {
		if r.Sent.Purpose == event.PurposeSummary {
			r.group = -r.Number // no other extends it
			r.Difference = (&chain{}).compare(r, content{f.pass.header(r.Header), f.pass.messages, f.pass.seqs})
		} else {
			r.group = f.group
			r.Difference = f.chain.compare(r, content{r.Header, f.at.history.Messages, f.state.HistorySeqs})
		}
	}
	f.requests = append(f.requests, r)
	return nil
}

// rebuild makes the body of a request from what was folded before it.
func (f *fold) rebuild(sent event.RequestSent) (wire.Body, error) {
	h, ok := f.state.Header()
	if !ok {
		return wire.Body{}, errors.New("no request/header comes before it")
	}
	if sent.Purpose == event.PurposeSummary {
		return f.summary(h, sent)
	}
	if sent.Purpose != event.PurposeStep {
		return wire.Body{}, fmt.Errorf("its purpose %q is unknown: a newer dsh wrote it", sent.Purpose)
	}
	if !f.at.known || f.at.turn != sent.Turn || f.at.step != sent.Step {
		return wire.Body{}, fmt.Errorf("no step/start of turn %d step %d comes before it", sent.Turn, sent.Step)
	}
	hist := f.at.history
	if f.enc == nil || f.headers != f.state.Headers() || f.encGen != hist.Generation || f.enc.Messages() > len(hist.Messages) {
		enc, err := wire.NewEncoder(h)
		if err != nil {
			return wire.Body{}, err
		}
		f.group++
		f.enc, f.headers, f.encGen, f.chain = enc, f.state.Headers(), hist.Generation, chain{}
	}
	if err := f.enc.Append(hist.Messages[f.enc.Messages():]...); err != nil {
		f.enc = nil
		return wire.Body{}, err
	}
	return f.enc.Body(), nil
}

// summary makes the body of a request for a summary, which extends none and is
// extended by none.
func (f *fold) summary(h header.Header, sent event.RequestSent) (wire.Body, error) {
	if !f.pass.known || f.pass.start.Turn != sent.Turn {
		return wire.Body{}, errors.New("no compact/start that asks for a summary comes before it")
	}
	f.pass.known = false
	return wire.Encode(h.With(f.pass.start.Config, f.pass.start.Wire), f.pass.messages, msg.Message{Role: msg.RoleUser, Content: f.pass.start.Instruction})
}

// settle clears up what one request alone leaves unsure: a request that a later,
// identical one extends was right, so its record is not.
func (f *fold) settle() {
	for i := range f.requests {
		d := f.requests[i].Difference
		if d == nil || !d.Unsure {
			continue
		}
		for _, later := range f.requests[i+1:] {
			if later.group == f.requests[i].group && later.Identical() {
				f.requests[i].Difference = &Difference{Record: true}
			}
		}
	}
}

// cutOff reports the request that an unreadable line takes away, if one follows.
func (f *fold) cutOff(report *Report, c *eventlog.CorruptError, text string) {
	if !strings.Contains(text[min(c.Offset, int64(len(text))):], `"type":"request/sent"`) {
		return
	}
	report.Requests = append(report.Requests, Request{
		Number: len(f.requests) + 1,
		Err:    fmt.Errorf("the log cannot be read from line %d on: the first byte that cannot be right is byte %d", c.Line, c.Offset),
	})
}

// running is the digest of ever longer beginnings of a text.
type running struct {
	text string
	done int64
	sum  hashState
}

func newRunning(text string) *running { return &running{text: text, sum: newHash()} }

// at returns the digest of the first n bytes in lower-case hex; n never shrinks.
func (r *running) at(n int64) string {
	r.sum.write(r.text[r.done:n])
	r.done = n
	return hex.EncodeToString(r.sum.sum())
}
