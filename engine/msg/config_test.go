package msg_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dsh-hcl/dsh/engine/msg"
)

func TestCallConfigBytes(t *testing.T) {
	for _, c := range []struct {
		config msg.CallConfig
		want   string
	}{
		{msg.CallConfig{}, `{"model":""}`},
		{msg.CallConfig{Model: "m"}, `{"model":"m"}`},
		{msg.CallConfig{Model: "m", Temperature: msg.Some("0")}, `{"model":"m","temperature":0}`},
		{msg.CallConfig{Model: "m", MaxTokens: msg.Some[int64](0)}, `{"model":"m","maxTokens":0}`},
		{msg.CallConfig{Model: "m", Stop: []string{}}, `{"model":"m","stop":[]}`},
		{msg.CallConfig{Model: "m\"", Temperature: msg.Some("0.70"), MaxTokens: msg.Some[int64](8192), Stop: []string{"\n", "é", ""}},
			`{"model":"m\"","temperature":0.70,"maxTokens":8192,"stop":["\n","é",""]}`},
	} {
		if got := c.config.Raw(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		got, err := msg.ParseCallConfig(value(t, c.want))
		if err != nil || !got.Equal(c.config) || got.Raw() != c.want {
			t.Errorf("%s was parsed as %+v, %v", c.want, got, err)
		}
	}
}

func TestCallConfigEqual(t *testing.T) {
	full := func(change func(*msg.CallConfig)) msg.CallConfig {
		c := msg.CallConfig{Model: "m", Temperature: msg.Some("0.7"), MaxTokens: msg.Some[int64](9), Stop: []string{"a", "b"}}
		if change != nil {
			change(&c)
		}
		return c
	}
	for _, c := range []struct {
		name string
		b    msg.CallConfig
		same bool
	}{
		{"itself", full(nil), true},
		{"model", full(func(c *msg.CallConfig) { c.Model = "n" }), false},
		{"temperature", full(func(c *msg.CallConfig) { c.Temperature = msg.Some("0.8") }), false},
		{"no temperature", full(func(c *msg.CallConfig) { c.Temperature = msg.Opt[string]{} }), false},
		{"tokens", full(func(c *msg.CallConfig) { c.MaxTokens = msg.Some[int64](8) }), false},
		{"no tokens", full(func(c *msg.CallConfig) { c.MaxTokens = msg.Opt[int64]{} }), false},
		{"stop in another order", full(func(c *msg.CallConfig) { c.Stop = []string{"b", "a"} }), false},
		{"shorter stop", full(func(c *msg.CallConfig) { c.Stop = []string{"a"} }), false},
		{"no stop", full(func(c *msg.CallConfig) { c.Stop = nil }), false},
	} {
		if full(nil).Equal(c.b) != c.same || c.b.Equal(full(nil)) != c.same {
			t.Errorf("%s: equal is %v", c.name, !c.same)
		}
	}
	// Spec 0.1: an absent stop list differs from an empty one; zero is not absent.
	absent := msg.CallConfig{Model: "m"}
	for _, b := range []msg.CallConfig{{Model: "m", Stop: []string{}}, {Model: "m", MaxTokens: msg.Some[int64](0)}, {Model: "m", Temperature: msg.Some("")}} {
		if absent.Equal(b) || b.Equal(absent) {
			t.Errorf("%+v is equal to one without", b)
		}
	}
}

func TestCallConfigRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, "config without model"},
		{`null`, "config without model"},
		{`{"model":1}`, "config without model"},
		{`{"model":"m","temperature":"1"}`, "config temperature is not a number"},
		{`{"model":"m","temperature":null}`, "config temperature is not a number"},
		{`{"model":"m","maxTokens":1.5}`, "config maxTokens is not an integer"},
		{`{"model":"m","maxTokens":"1"}`, "config maxTokens is not an integer"},
		{`{"model":"m","stop":"x"}`, "config stop is not an array"},
		{`{"model":"m","stop":null}`, "config stop is not an array"},
		{`{"model":"m","stop":["x",1]}`, "config stop holds something besides strings"},
	} {
		if _, err := msg.ParseCallConfig(value(t, c.in)); fmt.Sprint(err) != c.want {
			t.Errorf("%s: error %v, want %s", c.in, err, c.want)
		}
	}
}

func TestTool(t *testing.T) {
	// The parameters stay as they were declared; equality is by bytes.
	raw := `{"name":"ls","description":"list <dir>\n","parameters":{"type":"object","required":[],"max":1.0}}`
	tool, err := msg.ParseTool(value(t, raw))
	if err != nil || tool.Raw() != raw {
		t.Fatalf("got %s, %v", tool.Raw(), err)
	}
	if want := (msg.Tool{Name: "ls", Description: "list <dir>\n", Parameters: `{"type":"object","required":[],"max":1.0}`}); tool != want {
		t.Errorf("got %+v", tool)
	}
	if !shares(raw, tool.Parameters) {
		t.Error("the parameters are a copy")
	}
	for _, c := range []struct{ in, want string }{
		{`[]`, "tool without name"},
		{`{"description":"d","parameters":{}}`, "tool without name"},
		{`{"name":"t","parameters":{}}`, `tool "t" without description`},
		{`{"name":"t","description":"d"}`, `tool "t" without parameters object`},
		{`{"name":"t","description":"d","parameters":[]}`, `tool "t" without parameters object`},
	} {
		if _, err := msg.ParseTool(value(t, c.in)); fmt.Sprint(err) != c.want {
			t.Errorf("%s: error %v, want %s", c.in, err, c.want)
		}
	}
}

func TestOpt(t *testing.T) {
	var none msg.Opt[int64]
	zero := msg.Some[int64](0)
	if _, ok := none.Get(); ok || none.Or(7) != 7 {
		t.Error("the zero Opt is present")
	}
	if v, ok := zero.Get(); !ok || v != 0 || zero.Or(7) != 0 {
		t.Error("a present zero is absent")
	}
	if none == zero {
		t.Error("absence equals zero")
	}
}

func TestCodeOf(t *testing.T) {
	cause := errors.New("cause")
	coded := &msg.Error{Code: "C1", Message: "what happened", Err: cause}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, msg.CodeUnknown},
		{cause, msg.CodeUnknown},
		{coded, "C1"},
		{fmt.Errorf("around: %w", coded), "C1"},
		{&msg.Error{Code: "OUTER", Err: coded}, "OUTER"},
		{errors.Join(cause, coded), "C1"},
	} {
		if got := msg.CodeOf(c.err); got != c.want {
			t.Errorf("CodeOf(%v) = %s, want %s", c.err, got, c.want)
		}
	}
	if coded.Error() != "what happened" || !errors.Is(coded, cause) {
		t.Errorf("%v does not hold its cause", coded)
	}
}
