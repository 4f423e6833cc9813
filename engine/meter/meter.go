package meter

import (
	"crypto/sha256"
	"slices"

	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// Fingerprint identifies a header: two headers with the same one are the same
// bytes in every request.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns the fingerprint of a header. It costs as much as the
// header is long.
func FingerprintOf(h header.Header) Fingerprint { return sha256.Sum256([]byte(h.Raw())) }

// Pressure is what the next request costs, in tokens.
type Pressure struct {
	Total    Tokens // what the request is taken to have
	Header   HeaderTokens
	History  Tokens // estimate
	Measured bool   // Total starts from what the provider reported
	Base     Tokens // what it reported, when Measured
	Since    Tokens // difference since then, estimated; negative when messages are gone
}

// Request is what a meter knew of a request when it was sent.
type Request struct {
	header   Fingerprint
	history  Tokens // estimate
	estimate Tokens // of all of it
	number   int    // counts the requests
}

// Meter follows one session and says what its next request costs. Following a
// history costs what is new in it. It is not for concurrent use.
//
// Pressure is the input of the last request as its provider reported it plus the
// estimate of what came since. When messages of that request are gone, as much of the
// report is gone as of its estimate: where the estimate is off, it is off by the same
// share in what is left. A report counts for the header of its request alone: with another header in
// force, the estimate is taken until a request with that header was reported.
type Meter struct {
	est         Estimator
	header      header.Header
	hasHeader   bool
	fingerprint Fingerprint
	parts       HeaderTokens

	messages   []msg.Message // the history that was followed last; shared
	prices     []price       // of these messages
	history    Tokens
	generation int

	requests int // that were sent
	anchored bool
	anchor   Request
	base     Tokens
	measured Tokens // estimate of the messages that the anchor had and that are still there
}

// price is the estimate of a message. It is new in the request of that number.
type price struct {
	tokens  Tokens
	request int
}

// New returns a meter that estimates with est.
func New(est Estimator) *Meter { return &Meter{est: est} }

// SetHeader says which header the next request has. With an equal header it costs
// a comparison.
func (m *Meter) SetHeader(h header.Header) {
	if m.hasHeader && m.header.Equal(h) {
		return
	}
	m.header, m.hasHeader = h, true
	m.fingerprint, m.parts = FingerprintOf(h), m.est.Header(h)
}

// Follow says which messages the next request has behind its header. Only messages
// that are new are estimated: those at the end of a history of the same generation;
// of another one those between what it begins and ends with as the last one did.
func (m *Meter) Follow(h session.History) {
	kept, tail := len(m.messages), 0
	if h.Generation != m.generation || len(h.Messages) < kept {
		kept = 0
		shorter := min(len(m.messages), len(h.Messages))
		for kept < shorter && m.messages[kept] == h.Messages[kept] {
			kept++
		}
		for tail < shorter-kept && m.messages[len(m.messages)-1-tail] == h.Messages[len(h.Messages)-1-tail] {
			tail++
		}
	}
	var replaced Tokens
	for _, p := range m.prices[kept : len(m.prices)-tail] {
		replaced += p.tokens
		if p.request <= m.anchor.number {
			m.measured -= p.tokens
		}
	}
	m.history -= replaced
	ending := slices.Clone(m.prices[len(m.prices)-tail:])
	m.prices = m.prices[:kept]
	for _, message := range h.Messages[kept : len(h.Messages)-tail] {
		n := m.est.Message(message)
		m.prices = append(m.prices, price{n, m.requests + 1})
		m.history += n
	}
	m.prices = append(m.prices, ending...)
	m.messages, m.generation = h.Messages, h.Generation
}

// Sent is what is to be kept of the request that is sent now, for Reported.
func (m *Meter) Sent() Request {
	m.requests++
	return Request{header: m.fingerprint, history: m.history, estimate: m.parts.Total() + m.history, number: m.requests}
}

// mostReported is how many tokens a report may name: more than any model reads.
const mostReported = 1 << 32

// Reported says how many tokens of input, cached ones included, the provider
// counted for a request (msg.Usage.TotalInput). What is less than half of the estimate
// is no report: no tokenizer is that much better, and who counts nothing must not keep a
// session from being compacted. Nor is a number that no request can have.
func (m *Meter) Reported(r Request, input int64) {
	if input <= 0 || input > mostReported || Tokens(input) < r.estimate/2 {
		return
	}
	m.anchored, m.anchor, m.base, m.measured = true, r, Tokens(input), m.history
	for i := len(m.prices) - 1; i >= 0 && m.prices[i].request > r.number; i-- {
		m.measured -= m.prices[i].tokens
	}
}

// Pressure returns what the next request costs. It takes constant time.
func (m *Meter) Pressure() Pressure {
	p := Pressure{Header: m.parts, History: m.history, Total: m.parts.Total() + m.history}
	if m.anchored && m.anchor.header == m.fingerprint {
		p.Measured, p.Base = true, m.base
		left := m.base // of the report, for what is still there
		if m.measured < m.anchor.history {
			left = m.base * (m.parts.Total() + m.measured) / m.anchor.estimate
		}
		p.Total = max(0, left+m.history-m.measured)
		p.Since = p.Total - p.Base
	}
	return p
}

// Len is how many messages the history has that was followed last.
func (m *Meter) Len() int { return len(m.prices) }

// Price is the estimate of message i of the history that was followed last, 0-based.
func (m *Meter) Price(i int) Tokens { return m.prices[i].tokens }
