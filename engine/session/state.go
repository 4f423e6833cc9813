package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// FoldError says that an event cannot follow the ones before it.
type FoldError struct {
	Seq    int64
	Reason string
}

func (e *FoldError) Error() string { return fmt.Sprintf("event %d: %s", e.Seq, e.Reason) }

// StableCode returns the error's code.
func (e *FoldError) StableCode() string { return "LOG_CORRUPT" }

// History is the derived messages at some point of a log. Messages of one
// Generation only ever grow at the end, so a shorter history of the same
// generation is a prefix of a longer one. The slice is shared and not to be
// written to.
type History struct {
	Messages   []msg.Message
	Generation int
}

// node is one event on the surface.
type node struct {
	seq     int64
	message msg.Message // zero when the event yields none
	has     bool
	result  *event.ToolResult // of a tool/result, without content
	summary bool              // it is a checkpoint
}

// Call is a tool call that no result has answered yet.
type Call struct {
	Turn, Step int64
	ID, Name   string
	CallSeq    int64 // seq of its tool/call, -1 when none was logged
}

// State is the fold of a log. The zero State is that of a session without events.
type State struct {
	seed            int64 // leading events that were copied from another session
	next            int64 // seq that the next event has
	lastTime        int64
	surface         []node
	history         History
	own             bool                         // nobody was handed the history since its last replacement
	found           int                          // where the last node was found
	placed          struct{ node, messages int } // a node, and the messages before it
	header          event.RequestHeader
	hasHeader       bool
	headers         int
	headerSeq       int64 // of the last snapshot
	requests        int
	summaries       int // of the requests
	attempts        int // that failed and were followed by another
	summaryAttempts int // of the attempts
	title           string
	boundary        History // before the last step/start
	lastTurn        int64
	turn, step      int64 // open ones, 0 for none
	pending         []Call
	spent           []msg.Cost // one for each currency, in order of first use
	notices         []notice   // those on the surface, the latest last
	compacting      int64      // turn of the open pass of a compaction, 0 for none
	replaced        bool       // that pass changed the surface
	compacted       bool       // one did, and no request of a step was sent since
	failed          Failed
	last            Reported
}

// Failed is the passes of compactions that came to nothing since the last one that did
// not: how many, and the turn and the pressure in tokens of the last.
type Failed struct {
	Turn   int64
	Passes int
	At     int64
}

// Reported is what the provider last reported of a request: its input in tokens,
// cached ones included, the messages behind the header that it had, all of one
// generation, and the header's place among the header events of the log.
type Reported struct {
	Input   int64
	History History
	Headers int
}

// notice is a message that told the model what a contributor reads now.
type notice struct {
	seq             int64
	address, digest string
}

// NewState returns the state of a session that begins with seed events of another
// one, before any event. What those cost, the other session paid.
func NewState(seed int64) *State { return &State{seed: seed} }

// Fold applies events to a fresh state.
func Fold(events []event.Event) (*State, error) {
	s := &State{}
	for _, e := range events {
		if err := s.Apply(e); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Clone returns a state that goes its own way from here on.
func (s *State) Clone() *State {
	c := *s
	c.surface = slices.Clone(s.surface)
	c.history.Messages = slices.Clone(s.history.Messages)
	c.pending = slices.Clone(s.pending)
	c.spent = slices.Clone(s.spent)
	c.notices = slices.Clone(s.notices)
	return &c
}

// Apply folds the next event. Errors: *FoldError, after which the state is as it
// was.
func (s *State) Apply(e event.Event) error {
	if e.Seq != s.next {
		return &FoldError{e.Seq, fmt.Sprintf("expected event %d", s.next)}
	}
	fail := func(format string, args ...any) error {
		return &FoldError{e.Seq, e.Type + ": " + fmt.Sprintf(format, args...)}
	}
	if err := e.Fault(); err != nil {
		return fail("%v", err)
	}
	number := func(name string) int64 { n, _ := e.Data.Get(name).Int(); return n }
	switch e.Type {
	case "turn/start":
		if s.turn != 0 && e.Version() > 0 {
			return fail("turn %d is still open", s.turn)
		}
		s.turn, s.lastTurn, s.step = number("turn"), number("turn"), 0
		s.pending = nil
	case "turn/end":
		s.turn, s.step, s.compacting = 0, 0, 0
		s.pending = nil
	case "step/start":
		s.step = number("step")
		s.boundary, s.own = s.history, false
	case "step/end":
		s.step = 0
		s.pending = nil
	case "request/header":
		h, err := event.ParseRequestHeader(e.Data)
		if err != nil {
			return fail("%v", err)
		}
		s.header, s.hasHeader, s.headerSeq = h, true, e.Seq
		s.headers++
	case "request/header-delta":
		if err := s.amend(e); err != nil {
			return fail("%v", err)
		}
	case "session/title":
		s.title, _ = e.Data.Get("title").Text()
	case "request/sent":
		if e.Version() > 0 {
			s.requests++
			if p, _ := e.Data.Get("purpose").Text(); p == event.PurposeStep {
				s.compacted = false
			} else {
				s.summaries++
			}
		}
	case "request/attempt":
		if e.Version() > 0 {
			s.attempts++
			if step := number("step"); step == 0 {
				s.summaryAttempts++
			}
		}
	case "compact/start", "compact/summary", "compact/end":
		if e.Compaction() {
			s.compact(e)
		}
	case "tool/call":
		id, _ := e.Data.Get("callId").Text()
		for i := range s.pending {
			if s.pending[i].ID == id && s.pending[i].CallSeq < 0 {
				s.pending[i].CallSeq = e.Seq
				break
			}
		}
	}
	if event.IsSurfaceType(e.Type) {
		if err := s.place(e); err != nil {
			return err
		}
	}
	s.next++
	s.lastTime = e.Time
	return nil
}

// compact follows the passes of a compaction and what they cost.
func (s *State) compact(e event.Event) {
	switch e.Type {
	case "compact/start":
		s.compacting = s.turn
		s.replaced = false
	case "compact/end":
		s.compacting, s.compacted = 0, s.compacted || s.replaced
		switch p := event.ParseCompactEnd(e.Data); {
		case p.Failure == nil:
			s.failed = Failed{}
		case p.Failure.Code != "interrupted" && p.Failure.Code != msg.CodeCancelled:
			s.failed = Failed{Turn: p.Turn, Passes: s.failed.Passes + 1, At: p.Before}
		}
	}
	if c, ok := msg.ParseCost(e.Data.Get("cost")); ok && e.Seq >= s.seed {
		s.pay(c)
	}
}

// pay adds a cost to what the session spent.
func (s *State) pay(c msg.Cost) {
	for i := range s.spent {
		if s.spent[i].Currency == c.Currency {
			s.spent[i].Amount = s.spent[i].Amount.Plus(c.Amount)
			return
		}
	}
	s.spent = append(s.spent, c)
}

// amend applies a header delta to the header in force.
func (s *State) amend(e event.Event) error {
	if !s.hasHeader {
		return errors.New("it comes before any request/header snapshot")
	}
	d, err := s.header.Header.ParseDelta(e.Data)
	if err != nil {
		return err
	}
	h, err := s.header.Header.Apply(d)
	if err != nil {
		return err
	}
	s.header.Header = h
	s.headers++
	return nil
}

// place puts a surface event on the surface.
func (s *State) place(e event.Event) error {
	m, has := e.Message()
	n := node{seq: e.Seq, message: m, has: has, summary: e.Type == "user/message" && e.Op.Kind == event.OpReplace}
	if e.Type == "tool/result" {
		r := event.ParseToolResult(e.Data)
		n.result = &r
	}
	switch e.Op.Kind {
	case event.OpAppend:
		s.surface = append(s.surface, n)
		if has {
			s.history.Messages = append(s.history.Messages, m)
		}
	case event.OpReplace:
		from, to := s.find(e.Op.Start), -1
		if to = from; e.Op.End != e.Op.Start {
			to = s.find(e.Op.End)
		}
		switch {
		case from < 0:
			return &FoldError{e.Seq, fmt.Sprintf("replace start seq %d not found on the surface", e.Op.Start)}
		case to < 0:
			return &FoldError{e.Seq, fmt.Sprintf("replace end seq %d not found on the surface", e.Op.End)}
		case from > to:
			return &FoldError{e.Seq, fmt.Sprintf("replace start seq %d is after end seq %d", e.Op.Start, e.Op.End)}
		}
		s.replaced = true
		if len(s.notices) > 0 {
			gone := map[int64]bool{}
			for _, n := range s.surface[from : to+1] {
				gone[n.seq] = true
			}
			s.notices = slices.DeleteFunc(s.notices, func(n notice) bool { return gone[n.seq] })
		}
		s.replace(from, to, n)
	}
	switch e.Type {
	case "context/message":
		if source, ok := event.SourceOf(e.Data.Get("source")); ok {
			if address, digest, ok := source.Notice(); ok {
				s.notices = append(s.notices, notice{e.Seq, address, digest})
			}
		}
	case "assistant/message":
		turn, _ := e.Data.Get("turn").Int()
		step, _ := e.Data.Get("step").Int()
		if c, ok := msg.ParseCost(e.Data.Get("cost")); ok && e.Seq >= s.seed {
			s.pay(c)
		}
		if u := e.Data.Get("usage"); u.Exists() {
			if n := msg.ParseUsage(u).TotalInput(); n > 0 {
				s.last = Reported{Input: n, History: s.boundary, Headers: s.headers}
			}
		}
		if has {
			for _, c := range m.Content.ToolCalls() {
				s.pending = append(s.pending, Call{Turn: turn, Step: step, ID: c.ID, Name: c.Name, CallSeq: -1})
			}
		}
	case "tool/result":
		if e.Op.Kind == event.OpReplace {
			break // a shorter one answers no call
		}
		// One result answers one call, also when a model gave two the same id.
		id, _ := e.Data.Get("callId").Text()
		if i := slices.IndexFunc(s.pending, func(c Call) bool { return c.ID == id }); i >= 0 {
			s.pending = slices.Delete(s.pending, i, i+1)
		}
	}
	return nil
}

// replace puts a node in the place of a range. Histories that were handed out keep what
// they had; where none was since the last replacement, one node is exchanged where it
// lies, so that a pass over many of them costs no more than a copy.
func (s *State) replace(from, to int, n node) {
	s.history.Generation++
	if from == to && n.has && s.surface[from].has && s.own {
		at := s.placed.messages
		for ; s.placed.node < from; s.placed.node++ {
			if s.surface[s.placed.node].has {
				at++
			}
		}
		if s.placed.node == from {
			s.placed.messages = at
			s.surface[from], s.history.Messages[at] = n, n.message
			return
		}
	}
	s.surface = slices.Replace(s.surface, from, to+1, n)
	messages := make([]msg.Message, 0, len(s.surface))
	for _, n := range s.surface {
		if n.has {
			messages = append(messages, n.message)
		}
	}
	s.history.Messages, s.own = messages, true
	s.placed.node, s.placed.messages, s.found = 0, 0, from
}

// find returns the place of a node, -1 when it is not there. It looks from where the
// last one was found, since replacements mostly follow each other.
func (s *State) find(seq int64) int {
	for i := range s.surface {
		if at := (s.found + i) % len(s.surface); s.surface[at].seq == seq {
			s.found = at
			return at
		}
	}
	return -1
}

// Next is the seq of the next event, which is the number of events folded.
func (s *State) Next() int64 { return s.next }

// History returns the derived messages. What was handed out never changes.
func (s *State) History() History {
	s.own = false
	h := s.history
	h.Messages = h.Messages[:len(h.Messages):len(h.Messages)]
	return h
}

// Surface returns the seqs of the surface in positional order.
func (s *State) Surface() []int64 {
	out := make([]int64, len(s.surface))
	for i, n := range s.surface {
		out[i] = n.seq
	}
	return out
}

// Header returns the header in force and whether the log has one.
func (s *State) Header() (header.Header, bool) { return s.header.Header, s.hasHeader }

// RequestHeader returns the last request/header event's payload, with the header
// as later deltas left it.
func (s *State) RequestHeader() (event.RequestHeader, bool) { return s.header, s.hasHeader }

// HeaderSeq is the seq of the last request/header event, -1 when there is none.
func (s *State) HeaderSeq() int64 {
	if !s.hasHeader {
		return -1
	}
	return s.headerSeq
}

// Headers is the number of request/header and request/header-delta events folded.
func (s *State) Headers() int { return s.headers }

// Requests is how often a request was sent: once for each request/sent folded, and
// once for each request/attempt.
func (s *State) Requests() int { return s.requests + s.attempts }

// Summaries is how often a request for a summary was sent.
func (s *State) Summaries() int { return s.summaries + s.summaryAttempts }

// Title is the session's title, "" when it has none.
func (s *State) Title() string { return s.title }

// Told returns, by address, the digest of what the model was last told in the
// history that a contributor reads, apart from the prefix itself; the caller owns
// the map.
func (s *State) Told() map[string]string {
	out := map[string]string{}
	for _, n := range s.notices {
		out[n.address] = n.digest
	}
	return out
}

// Spent is what the answers of this session cost, one sum for each currency in
// order of first use; the caller owns the slice. What a parent paid is not in it.
func (s *State) Spent() []msg.Cost { return slices.Clone(s.spent) }

// SpentIn is what the answers of this session cost in one currency.
func (s *State) SpentIn(currency string) msg.Amount {
	for _, c := range s.spent {
		if c.Currency == currency {
			return c.Amount
		}
	}
	return 0
}

// LastTurn is the number of the last turn, 0 before the first.
func (s *State) LastTurn() int64 { return s.lastTurn }

// Open returns the open turn and step, 0 where none is open.
func (s *State) Open() (turn, step int64) { return s.turn, s.step }

// Pending returns the unanswered tool calls of the open step in order of their
// first appearance; the caller owns the slice.
func (s *State) Pending() []Call { return slices.Clone(s.pending) }

// Compacted reports whether a compaction changed the surface and no request of a step
// was sent since.
func (s *State) Compacted() bool { return s.compacted }

// Failed returns the passes that came to nothing since the last one that did not.
func (s *State) Failed() Failed { return s.failed }

// Reported returns what the provider last reported of a request; Input is 0 when it
// reported nothing.
func (s *State) Reported() Reported { return s.last }

// Node is one event on the surface. Message is there when the event yields one.
type Node struct {
	Seq     int64
	Message msg.Opt[msg.Message]
	Result  *event.ToolResult // of a tool/result, without content; not to be written to
	// Checkpoint says that it took the place of others.
	Checkpoint bool
}

// Nodes returns the surface in positional order; the caller owns the slice.
func (s *State) Nodes() []Node {
	out := make([]Node, len(s.surface))
	for i, n := range s.surface {
		out[i].Seq, out[i].Result, out[i].Checkpoint = n.seq, n.result, n.summary
		if n.has {
			out[i].Message = msg.Some(n.message)
		}
	}
	return out
}

// Range returns the messages from the node start to the node end, both included; it
// reports false when the surface has no such range. The slice is shared and not to
// be written to.
func (s *State) Range(start, end int64) ([]msg.Message, bool) {
	from, to := s.find(start), s.find(end)
	if from < 0 || to < from {
		return nil, false
	}
	before, within := 0, 0
	for i, n := range s.surface[:to+1] {
		switch {
		case !n.has:
		case i < from:
			before++
		default:
			within++
		}
	}
	s.own = false
	return s.history.Messages[before : before+within : before+within], true
}

// LastTime is the time of the last event in Unix milliseconds.
func (s *State) LastTime() int64 { return s.lastTime }

// HistorySeqs returns the seq of the event behind each message of the history.
func (s *State) HistorySeqs() []int64 {
	var out []int64
	for _, n := range s.surface {
		if n.has {
			out = append(out, n.seq)
		}
	}
	return out
}
