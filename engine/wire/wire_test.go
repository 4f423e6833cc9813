package wire_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/wire"
)

func message(t testing.TB, role msg.Role, blocks ...msg.Block) msg.Message {
	t.Helper()
	m, err := msg.NewMessage(role, blocks...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func content(t testing.TB, text string) msg.Content {
	t.Helper()
	c, err := msg.TextContent(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encoder(t testing.TB, p header.Parts) *wire.Encoder {
	t.Helper()
	if p.Wire.Protocol == "" {
		p.Wire = header.Wire{Protocol: "openai", Dialect: "openai"}
	}
	e, err := wire.NewEncoder(header.New(p))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestOpenAIBodies(t *testing.T) {
	user := message(t, msg.RoleUser, msg.Text{Text: "a\"b"}, msg.Text{Text: "<c>"})
	call := message(t, msg.RoleAssistant, msg.Reasoning{Text: "hm"}, msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{"d":"/"}`})
	talk := message(t, msg.RoleAssistant, msg.Text{Text: "done"}, msg.Reasoning{Text: "well"})
	result := message(t, msg.RoleUser, msg.ToolResult{CallID: "c1", Content: content(t, "x\ny")})
	mixed := message(t, msg.RoleUser, msg.Text{Text: "t1"}, msg.ToolResult{CallID: "c2", Content: content(t, "r")}, msg.Text{Text: "t2"})
	for _, c := range []struct {
		name    string
		parts   header.Parts
		history []msg.Message
		want    string
	}{
		{"bare", header.Parts{Config: msg.CallConfig{Model: "m"}}, []msg.Message{user},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"a\"b<c>"}]}`},
		{"everything", header.Parts{
			Config: msg.CallConfig{Model: "m", Temperature: msg.Some("0.7"), MaxTokens: msg.Some[int64](9), Stop: []string{"S"}},
			System: "be\nbrief", Tools: []msg.Tool{{Name: "ls", Description: "list", Parameters: `{"type":"object"}`}},
			Prefix: header.Seal([]msg.Message{message(t, msg.RoleUser, msg.Text{Text: "p"})}),
			Wire:   header.Wire{Protocol: "openai", Dialect: "openai", TopP: msg.Some("0.9")},
		}, []msg.Message{user, call, result, talk},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0.7,"top_p":0.9,"max_completion_tokens":9,"stop":["S"],` +
				`"tools":[{"type":"function","function":{"name":"ls","description":"list","parameters":{"type":"object"}}}],` +
				`"messages":[{"role":"system","content":"be\nbrief"},{"role":"user","content":"p"},{"role":"user","content":"a\"b<c>"},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"d\":\"/\"}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"x\ny"},{"role":"assistant","content":"done"}]}`},
		{"deepseek", header.Parts{Config: msg.CallConfig{Model: "m", MaxTokens: msg.Some[int64](9)}, Wire: header.Wire{Protocol: "openai", Dialect: "deepseek"}},
			[]msg.Message{user, call, result, talk},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"messages":[{"role":"user","content":"a\"b<c>"},` +
				`{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"d\":\"/\"}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"x\ny"},{"role":"assistant","content":"done"}]}`},
		{"text around a result keeps its place", header.Parts{Config: msg.CallConfig{Model: "m"}}, []msg.Message{mixed},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"t1"},{"role":"tool","tool_call_id":"c2","content":"r"},{"role":"user","content":"t2"}]}`},
		{"empty content", header.Parts{Config: msg.CallConfig{Model: "m"}}, []msg.Message{{Role: msg.RoleUser}, message(t, msg.RoleAssistant, msg.Reasoning{Text: "r"})},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":""},{"role":"assistant","content":""}]}`},
		{"empty history", header.Parts{Config: msg.CallConfig{Model: "m", Stop: []string{}}}, nil,
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"stop":[],"messages":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := encoder(t, c.parts)
			if err := e.Append(c.history...); err != nil {
				t.Fatal(err)
			}
			b := e.Body()
			if got := string(b.Bytes()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			checkBody(t, b)
		})
	}
}

// checkBody holds a body to its own length and digest, however it is read.
func checkBody(t *testing.T, b wire.Body) {
	t.Helper()
	if _, err := canon.ParseCanonical(string(b.Bytes())); err != nil {
		t.Errorf("the body is not canonical JSON: %v", err)
	}
	if err := iotest.TestReader(b.Reader(), b.Bytes()); err != nil {
		t.Error(err)
	}
	read, err := io.ReadAll(b.Reader())
	if err != nil || int64(len(read)) != b.Len() {
		t.Errorf("read %d bytes, %v; Len is %d", len(read), err, b.Len())
	}
	sum := sha256.Sum256(read)
	if got := hex.EncodeToString(sum[:]); got != b.SHA256() {
		t.Errorf("SHA256 is %s, the bytes have %s", b.SHA256(), got)
	}
}

func TestUnsupported(t *testing.T) {
	widget := msg.Unknown{Raw: `{"type":"widget"}`}
	inner, err := msg.NewContent(widget)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []msg.Message{
		message(t, msg.RoleUser, widget), message(t, msg.RoleAssistant, widget),
		message(t, msg.RoleUser, msg.ToolResult{CallID: "c", Content: inner}),
		message(t, msg.RoleUser, msg.Reasoning{Text: "r"}),
	} {
		e := encoder(t, header.Parts{Config: msg.CallConfig{Model: "m"}})
		err := e.Append(m)
		var unsupported *wire.UnsupportedError
		if !errors.As(err, &unsupported) || msg.CodeOf(err) != "UNSUPPORTED_CONTENT" {
			t.Errorf("%s: error %v", m.Raw(), err)
		}
	}
	for _, w := range []header.Wire{{}, {Protocol: "morse"}, {Protocol: "openai", Dialect: "x"}} {
		if _, err := wire.NewEncoder(header.New(header.Parts{Wire: w})); err == nil {
			t.Errorf("wire %v is accepted", w)
		}
	}
}

// conversation makes a history that looks like one.
func conversation(t testing.TB, r *rand.Rand, n int) []msg.Message {
	word := func() string {
		return strings.Repeat([]string{"alpha ", "βeta\n", "\"q\" ", "漢字", "😀\\"}[r.IntN(5)], r.IntN(60))
	}
	var out []msg.Message
	for i := 0; len(out) < n; i++ {
		id := fmt.Sprintf("call_%d", i)
		out = append(out, message(t, msg.RoleUser, msg.Text{Text: word()}))
		if r.IntN(2) == 0 {
			out = append(out, message(t, msg.RoleAssistant, msg.Text{Text: word()}, msg.ToolCall{ID: id, Name: "tool", Arguments: `{}`}),
				message(t, msg.RoleUser, msg.ToolResult{CallID: id, Content: content(t, word())}))
		}
		out = append(out, message(t, msg.RoleAssistant, msg.Text{Text: word()}))
	}
	return out[:n]
}

// Each request extends the one before it; growing an encoder gives what a fresh
// one gives; a body handed out never changes; marks name every 256th byte.
func TestGrowth(t *testing.T) {
	for _, w := range []header.Wire{{Protocol: "openai", Dialect: "openai"}, {Protocol: "openai", Dialect: "deepseek"},
		{Protocol: "anthropic", Dialect: "anthropic"}, {Protocol: "anthropic", Dialect: "anthropic", CacheTTL: "1h"}} {
		t.Run(w.Dialect+w.CacheTTL, func(t *testing.T) { growth(t, w) })
	}
}

func growth(t *testing.T, w header.Wire) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 30 {
		parts := header.Parts{Config: msg.CallConfig{Model: "m", MaxTokens: msg.Some[int64](9)}, System: strings.Repeat("s", r.IntN(600)),
			Prefix: header.Seal(conversation(t, r, r.IntN(4))), Wire: w}
		history := conversation(t, r, 40)
		grown := encoder(t, parts)
		var bodies []wire.Body
		var snapshots [][]byte
		var marks []byte
		for at := 0; at < len(history); {
			next := min(at+1+r.IntN(5), len(history))
			if err := grown.Append(history[at:next]...); err != nil {
				t.Fatal(err)
			}
			at = next
			b := grown.Body()
			bodies, snapshots = append(bodies, b), append(snapshots, b.Bytes())
			new, err := base64.RawStdEncoding.DecodeString(b.Marks())
			if err != nil {
				t.Fatal(err)
			}
			marks = append(marks, new...)
			for k := 0; k*wire.MarkSize < len(marks); k++ {
				sum := sha256.Sum256(b.Bytes()[:(k+1)*wire.MarkEvery])
				if !bytes.Equal(marks[k*wire.MarkSize:(k+1)*wire.MarkSize], sum[:wire.MarkSize]) {
					t.Fatalf("round %d: mark %d does not fit", round, k)
				}
			}
			if want := b.Head() / wire.MarkEvery; int64(len(marks)/wire.MarkSize) != want {
				t.Fatalf("round %d: %d marks for a head of %d bytes", round, len(marks)/wire.MarkSize, b.Head())
			}
			fresh := encoder(t, parts)
			if err := fresh.Append(history[:at]...); err != nil {
				t.Fatal(err)
			}
			if f := fresh.Body(); f.SHA256() != b.SHA256() || !bytes.Equal(f.Bytes(), b.Bytes()) {
				t.Fatalf("round %d: grown and fresh bodies differ at %d messages", round, at)
			}
		}
		for i, b := range bodies {
			if !bytes.Equal(b.Bytes(), snapshots[i]) {
				t.Fatalf("round %d: body %d changed after it was handed out", round, i)
			}
			checkBody(t, b)
			if i > 0 && !bytes.HasPrefix(snapshots[i], snapshots[i-1][:bodies[i-1].Head()]) {
				t.Fatalf("round %d: body %d does not extend its predecessor", round, i)
			}
		}
	}
}

// BenchmarkNextRequest is the cost of one more request at histories of different
// length: two new messages, a body, its digest.
func BenchmarkNextRequest(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { next(b, n) })
	}
}

func next(b *testing.B, n int) {
	r := rand.New(rand.NewPCG(3, 4))
	history := conversation(b, r, n)
	more := []msg.Message{message(b, msg.RoleUser, msg.Text{Text: strings.Repeat("question ", 30)}),
		message(b, msg.RoleAssistant, msg.Text{Text: strings.Repeat("answer ", 60)})}
	e := encoder(b, header.Parts{Config: msg.CallConfig{Model: "m"}})
	if err := e.Append(history...); err != nil {
		b.Fatal(err)
	}
	e.Body()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i > 0 && i%100 == 0 {
			// Start over, so that the history stays near n.
			b.StopTimer()
			e = encoder(b, header.Parts{Config: msg.CallConfig{Model: "m"}})
			if err := e.Append(history...); err != nil {
				b.Fatal(err)
			}
			e.Body()
			b.StartTimer()
		}
		if err := e.Append(more...); err != nil {
			b.Fatal(err)
		}
		if e.Body().Len() == 0 {
			b.Fatal("empty body")
		}
	}
}

// The next request costs what is new, not what is old: allocations do not depend
// on the length of the history at all, so they are compared exactly.
func TestNextRequestIsFlat(t *testing.T) {
	cost := func(n int) float64 {
		history := conversation(t, rand.New(rand.NewPCG(5, 6)), n)
		more := message(t, msg.RoleUser, msg.Text{Text: strings.Repeat("question ", 30)})
		e := encoder(t, header.Parts{Config: msg.CallConfig{Model: "m"}})
		if err := e.Append(history...); err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(200, func() {
			if err := e.Append(more); err != nil {
				t.Fatal(err)
			}
			e.Body()
		})
	}
	short, long := cost(100), cost(10000)
	if long > short*1.5 {
		t.Errorf("%v allocations at 100 messages, %v at 10,000", short, long)
	}
}
