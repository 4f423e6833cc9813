package meter_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

func message(t testing.TB, role msg.Role, blocks ...msg.Block) msg.Message {
	t.Helper()
	m, err := msg.NewMessage(role, blocks...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func user(t testing.TB, text string) msg.Message {
	t.Helper()
	return message(t, msg.RoleUser, msg.Text{Text: text})
}

// Blocks, messages and headers cost their text and the overheads of spec, section 6.
func TestOverheads(t *testing.T) {
	e := estimator(t, "o200k")
	hello := e.Text("hello")
	if hello != 1 {
		t.Fatalf("hello has %d tokens", hello)
	}
	result, err := msg.TextContent("hello")
	if err != nil {
		t.Fatal(err)
	}
	tool := msg.Tool{Name: "bash", Description: "runs a command", Parameters: `{"type":"object"}`}
	h := header.New(header.Parts{
		System: "hello", Tools: []msg.Tool{tool}, Prefix: header.Seal([]msg.Message{user(t, "hello"), user(t, "hello")}),
	})
	parts := e.Header(h)
	for name, c := range map[string][2]meter.Tokens{
		"nothing":     {e.Text(""), 0},
		"a text":      {e.Block(msg.Text{Text: "hello"}), hello + 4},
		"reasoning":   {e.Block(msg.Reasoning{Text: "hello"}), hello + 4},
		"a call":      {e.Block(msg.ToolCall{ID: "some-long-identifier", Name: "hello", Arguments: "hello"}), 2*hello + 4},
		"a result":    {e.Block(msg.ToolResult{CallID: "some-long-identifier", Content: result}), hello + 8},
		"a message":   {e.Message(user(t, "hello")), hello + 8},
		"system":      {parts.System, hello + 4},
		"tools":       {parts.Tools, e.Text("["+tool.Raw()+"]") + 4},
		"the prefix":  {parts.Prefix, 2 * (hello + 8)},
		"a header":    {parts.Total(), parts.System + parts.Tools + parts.Prefix},
		"no header":   {e.Header(header.Header{}).Total(), 0},
		"stray bytes": {min(1, e.Text("\xff\xfe")), 1},
	} {
		if c[0] != c[1] {
			t.Errorf("%s costs %d tokens, not %d", name, c[0], c[1])
		}
	}
}

// words counts words: an exact tokenizer of its own kind.
type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return len(strings.Fields(text)) }

func TestExactly(t *testing.T) {
	e := meter.Exactly(words{})
	if typical, worst := e.Error(); !e.Exact() || e.Family() != "words" || typical != 0 || worst != 0 {
		t.Errorf("%s is exact: %v, off by %d and %d %%", e.Family(), e.Exact(), typical, worst)
	}
	if n := e.Message(user(t, "one two three")); n != 3+4+4 {
		t.Errorf("the message has %d tokens", n)
	}
	if e := estimator(t, "o200k"); e.Exact() {
		t.Error("an estimate is exact")
	}
}

func TestUnknownFamily(t *testing.T) {
	_, err := meter.For("gpt2")
	if err == nil || err.Error() != `there is no tokenizer "gpt2"; there are o200k, cl100k, deepseek` {
		t.Errorf("the error is %v", err)
	}
	if e := estimator(t, ""); e.Family() != meter.DefaultFamily || (meter.Estimator{}).Family() != meter.DefaultFamily {
		t.Errorf("the default family is %s", e.Family())
	}
}

// A report counts for its own header, and the difference since may be negative.
func TestCalibration(t *testing.T) {
	e := estimator(t, "o200k")
	first := header.New(header.Parts{System: "You are terse."})
	second := header.New(header.Parts{System: "You are verbose."})
	question, answer := user(t, "Where is the harbour?"), message(t, msg.RoleAssistant, msg.Text{Text: "By the sea."})

	m := meter.New(e)
	m.SetHeader(first)
	m.Follow(session.History{Messages: []msg.Message{question}})
	p := m.Pressure()
	if p.Measured || p.Total != e.Header(first).Total()+e.Message(question) || p.Total != p.Header.Total()+p.History {
		t.Fatalf("before any report: %+v", p)
	}
	sent := m.Sent()
	for _, nothing := range []int64{0, -1, int64(m.Pressure().Total)/2 - 1} {
		m.Reported(sent, nothing)
		if m.Pressure().Measured {
			t.Errorf("a report of %d counts", nothing)
		}
	}
	m.Reported(sent, 1000)
	m.Follow(session.History{Messages: []msg.Message{question, answer}})
	if p := m.Pressure(); !p.Measured || p.Base != 1000 || p.Since != e.Message(answer) || p.Total != 1000+p.Since {
		t.Errorf("after a report: %+v", p)
	}
	m.SetHeader(second)
	if p := m.Pressure(); p.Measured || p.Total != e.Header(second).Total()+e.Message(question)+e.Message(answer) {
		t.Errorf("with another header: %+v", p)
	}
	// A report that comes late is still that of the header it was sent with.
	m.Reported(sent, 1000)
	if m.Pressure().Measured {
		t.Error("the report of another header counts")
	}
	m.SetHeader(header.New(header.Parts{System: "You are terse."}))
	if p := m.Pressure(); !p.Measured || p.Total != 1000+e.Message(answer) {
		t.Errorf("with the first header again: %+v", p)
	}
	m.Follow(session.History{Generation: 1, Messages: []msg.Message{answer}})
	// As much of the report is gone as of the estimate of what it was of; the answer was
	// no part of it.
	before := e.Header(first).Total() + e.Message(question)
	if p := m.Pressure(); p.Total != 1000*e.Header(first).Total()/before+e.Message(answer) || p.Since != p.Total-1000 || p.Since >= 0 {
		t.Errorf("after a replacement: %+v", p)
	}
}

// Following histories in any order is the same as pricing each of them.
func TestFollow(t *testing.T) {
	e := estimator(t, "deepseek")
	random := rand.New(rand.NewPCG(7, 50))
	m := meter.New(e)
	var h session.History
	for round := range 2000 {
		switch at := random.IntN(len(h.Messages) + 1); random.IntN(4) {
		case 0: // a range is replaced
			end := at + random.IntN(len(h.Messages)-at+1)
			h.Messages = slices.Concat(h.Messages[:at], []msg.Message{user(t, fmt.Sprint("checkpoint ", round))}, h.Messages[end:])
			h.Generation++
		case 1: // another session's
			h = session.History{Messages: slices.Clone(h.Messages[:at]), Generation: h.Generation + 1}
		default:
			for range random.IntN(3) {
				h.Messages = append(h.Messages, user(t, strings.Repeat("more ", random.IntN(9))))
			}
		}
		followed := h
		if random.IntN(8) == 0 {
			followed.Messages = h.Messages[:random.IntN(len(h.Messages)+1)]
		}
		m.Follow(followed)
		var want meter.Tokens
		for i, message := range followed.Messages {
			want += e.Message(message)
			if m.Price(i) != e.Message(message) {
				t.Fatalf("round %d: message %d costs %d, not %d", round, i, m.Price(i), e.Message(message))
			}
		}
		if got := m.Pressure().History; got != want {
			t.Fatalf("round %d: a history of %d messages costs %d, not %d", round, len(followed.Messages), got, want)
		}
	}
}
