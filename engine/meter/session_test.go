package meter_test

import (
	"bufio"
	"math"
	"os"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
)

// recorded is a session: its header, and messages each of which answers a request
// whose input had so many tokens, 0 for a message that is no answer.
type recorded struct {
	header   header.Header
	messages []msg.Message
	inputs   []int64
}

// readSession reads testdata/session.jsonl: the work of an agent on a program, with
// tool calls and five languages. The first line is the header, each other one a
// message with the input of the request that it answers. The inputs were counted with
// o200k, as a provider does: all texts, 4 tokens around a message, 3 around a call.
func readSession(t testing.TB) recorded {
	t.Helper()
	f, err := os.Open("testdata/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out recorded
	lines := bufio.NewScanner(f)
	for n := 0; lines.Scan(); n++ {
		v, err := canon.Parse(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			var p header.Parts
			p.System, _ = v.Get("system").Text()
			for e := range v.Get("tools").Elements() {
				tool, err := msg.ParseTool(e)
				if err != nil {
					t.Fatal(err)
				}
				p.Tools = append(p.Tools, tool)
			}
			out.header = header.New(p)
			continue
		}
		m, err := msg.ParseMessage(v.Get("message"))
		if err != nil {
			t.Fatal(err)
		}
		input := int64(0)
		if i := v.Get("input"); i.Exists() {
			input, _ = i.Int()
		}
		out.messages, out.inputs = append(out.messages, m), append(out.inputs, input)
	}
	if err := lines.Err(); err != nil || len(out.messages) == 0 {
		t.Fatalf("%d messages, %v", len(out.messages), err)
	}
	return out
}

// The inputs of the recorded session are what the exact tokenizer counts.
func TestRecordedInputs(t *testing.T) {
	s, e := readSession(t), exact(t)["o200k"]
	system, tools := s.header.System(), ""
	var raws []string
	for _, tool := range s.header.Tools() {
		raws = append(raws, tool.Raw())
	}
	tools = canon.Array(raws...)
	n := e.Text(system) + 4 + e.Text(tools) + 3
	for i, m := range s.messages {
		if s.inputs[i] > 0 && s.inputs[i] != int64(n) {
			t.Fatalf("message %d answers a request of %d tokens, not %d", i, n, s.inputs[i])
		}
		n += 4
		for b := range m.Content.Blocks() {
			switch b := b.(type) {
			case msg.Text:
				n += e.Text(b.Text)
			case msg.ToolCall:
				n += e.Text(b.Name) + e.Text(b.Arguments) + 3
			case msg.ToolResult:
				n += e.Text(b.Content.Text())
			}
		}
	}
}

// Calibrated, the pressure before a request is off by less than 3 % of what the
// request then has, estimated or counted, and by less than 5 % with the family of
// another model.
func TestCalibratedError(t *testing.T) {
	s := readSession(t)
	estimators := exact(t)
	for _, family := range families {
		estimators["estimate of "+family] = estimator(t, family)
	}
	for name, e := range estimators {
		m := meter.New(e)
		m.SetHeader(s.header)
		var first, sum, worst float64
		measured := 0
		for i, input := range s.inputs {
			if input == 0 {
				continue
			}
			m.Follow(session.History{Messages: s.messages[:i]})
			p := m.Pressure()
			off := 100 * (float64(p.Total)/float64(input) - 1)
			if p.Measured {
				measured++
				sum += math.Abs(off)
				worst = max(worst, math.Abs(off))
			} else {
				first = off
			}
			m.Reported(m.Sent(), input)
		}
		t.Logf("%-20s first request %+.1f %%, then of %d: mean %.2f %%, worst %.2f %%", name, first, measured, sum/float64(measured), worst)
		bound := 5.0
		if e.Family() == "o200k" {
			bound = 3
		}
		if measured < 18 || worst > bound {
			t.Errorf("%s: %d requests were off by up to %.2f %%", name, measured, worst)
		}
	}
}
