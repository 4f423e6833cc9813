package header_test

import (
	"testing"

	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

const (
	oldTool    = `{"name":"t","description":"d","parameters":{"type":"object"}}`
	oldMessage = `{"role":"user","content":[{"type":"text","text":"p"}]}`
)

func old(t *testing.T, text string) header.Header {
	t.Helper()
	h, err := header.Parse(value(t, text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !h.IsVersion0() {
		t.Fatalf("%s is of a later version", text)
	}
	return h
}

// A header without wire settings is of version 0 and keeps the text of its parts.
func TestParseVersion0(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		sendable       bool
	}{
		{"all parts, in their order", `{"messagePrefix":[` + oldMessage + `],"tools":[` + oldTool + `],"system":"s","config":{"model":"m"}}`,
			`{"config":{"model":"m"},"system":"s","tools":[` + oldTool + `],"messagePrefix":[` + oldMessage + `]}`, true},
		{"what is empty is absent", `{"config":{"model":""},"system":"","tools":[],"messagePrefix":[]}`, `{"config":{"model":""}}`, true},
		{"so is what has no length", `{"config":{"model":"m"},"system":null,"tools":{"a":1},"messagePrefix":7}`, `{"config":{"model":"m"}}`, true},
		{"unknown members go", `{"config":{"model":"m"},"extra":1}`, `{"config":{"model":"m"}}`, true},
		{"unknown members of the configuration stay", `{"config":{"topP":0.9,"stop":[],"model":"m"}}`, `{"config":{"topP":0.9,"stop":[],"model":"m"}}`, true},
		{"tools keep their order and members", `{"config":{"model":"m"},"tools":[{"1":2,"parameters":{},"name":"t","description":""}]}`, `{"config":{"model":"m"},"tools":[{"1":2,"parameters":{},"name":"t","description":""}]}`, true},
		{"so do messages", `{"config":{"model":"m"},"messagePrefix":[{"content":[],"role":"user","id":"i"}]}`, `{"config":{"model":"m"},"messagePrefix":[{"content":[],"role":"user","id":"i"}]}`, true},
		{"scrubbed tools", `{"config":{"model":"m"},"system":"{{system}}","tools":"{{tools}}"}`, `{"config":{"model":"m"},"system":"{{system}}","tools":"{{tools}}"}`, false},
		{"scrubbed messages", `{"config":{"model":"m"},"messagePrefix":["{{messagePrefix}}","{{messagePrefix}}"]}`, `{"config":{"model":"m"},"messagePrefix":["{{messagePrefix}}","{{messagePrefix}}"]}`, false},
		{"scrubbed members of a tool", `{"config":{"model":"m"},"tools":[{"name":"t","description":"{{tools}}","parameters":"{{tools}}"}]}`, `{"config":{"model":"m"},"tools":[{"name":"t","description":"{{tools}}","parameters":"{{tools}}"}]}`, false},
		{"tools that are no objects", `{"config":{"model":"m"},"tools":[7]}`, `{"config":{"model":"m"},"tools":[7]}`, false},
	} {
		h := old(t, c.in)
		if h.Raw() != c.want || (h.Sendable() == nil) != c.sendable {
			t.Errorf("%s: %s, %v", c.name, h.Raw(), h.Sendable())
		}
		if again := old(t, h.Raw()); !again.Equal(h) || again.Raw() != h.Raw() {
			t.Errorf("%s: read again as %s", c.name, again.Raw())
		}
	}
	for _, in := range []string{`{}`, `{"config":{}}`, `{"config":{"model":"m"},"system":7}`, `{"config":{"model":"m","maxTokens":1.5}}`} {
		if h, err := header.Parse(value(t, in)); err == nil {
			t.Errorf("%s was read as %s", in, h.Raw())
		}
	}
	if h := header.New(full(t)); h.IsVersion0() || h.Sendable() != nil {
		t.Error("a header of this program")
	}
}

func TestVersion0Equal(t *testing.T) {
	const base = `{"config":{"model":"m","temperature":1},"tools":[` + oldTool + `],"messagePrefix":[` + oldMessage + `]}`
	for _, c := range []struct {
		other string
		same  bool
	}{
		{`{"config":{"temperature":1,"model":"m","topP":0.5},"tools":[` + oldTool + `],"messagePrefix":[` + oldMessage + `]}`, true},
		{`{"config":{"model":"m","temperature":1},"tools":[{"description":"d","name":"t","parameters":{"type":"object"}}],"messagePrefix":[` + oldMessage + `]}`, false},
		{`{"config":{"model":"m","temperature":1},"tools":[` + oldTool + `],"messagePrefix":[{"content":[{"type":"text","text":"p"}],"role":"user"}]}`, false},
		{`{"config":{"model":"m","temperature":1},"tools":"{{tools}}","messagePrefix":[` + oldMessage + `]}`, false},
		{`{"config":{"model":"m","temperature":1},"tools":[` + oldTool + `],"messagePrefix":[` + oldMessage + `],"wire":{"protocol":"","dialect":""}}`, false},
	} {
		other, err := header.Parse(value(t, c.other))
		if err != nil {
			t.Fatal(err)
		}
		if h := old(t, base); h.Equal(other) != c.same || other.Equal(h) != c.same {
			t.Errorf("%s: equal is %v", c.other, !c.same)
		} else if d := header.Diff(h, other); other.IsVersion0() && d.IsEmpty() != c.same {
			t.Errorf("%s: delta %s", c.other, d.Raw())
		}
	}
}

// A delta of version 0 may hold what nobody knows and what was scrubbed.
func TestVersion0Delta(t *testing.T) {
	const base = `{"config":{"model":"m"},"system":"a\nb"}`
	for _, c := range []struct{ from, delta, want string }{
		{base, `{"later":{"a":1}}`, base},
		{base, `{"system":{"keepStart":1,"keepEnd":0,"insert":["{{system}}"]}}`, `{"config":{"model":"m"},"system":"a\n{{system}}"}`},
		{base, `{"config":{"topP":1,"model":"n"}}`, `{"config":{"topP":1,"model":"n"},"system":"a\nb"}`},
		{base, `{"tools":{"added":[{"name":"t","description":"{{tools}}"}],"removed":[],"changed":[]}}`, `{"config":{"model":"m"},"system":"a\nb","tools":[{"name":"t","description":"{{tools}}"}]}`},
		{base, `{"messagePrefix":["{{messagePrefix}}"]}`, `{"config":{"model":"m"},"system":"a\nb","messagePrefix":["{{messagePrefix}}"]}`},
		{`{"config":{"model":"m"},"messagePrefix":["{{messagePrefix}}"]}`, `{"messagePrefix":[]}`, `{"config":{"model":"m"}}`},
		{`{"config":{"model":"m"},"tools":[{"name":"t","x":1},` + oldTool + `]}`, `{"tools":{"added":[],"removed":[],"changed":[{"x":2,"name":"t"}]}}`, `{"config":{"model":"m"},"tools":[{"x":2,"name":"t"},{"x":2,"name":"t"}]}`},
	} {
		h := old(t, c.from)
		d, err := h.ParseDelta(value(t, c.delta))
		if err != nil {
			t.Errorf("%s: %v", c.delta, err)
			continue
		}
		if got, err := h.Apply(d); err != nil || got.Raw() != c.want || !got.IsVersion0() {
			t.Errorf("%s leads to %s, %v", c.delta, got.Raw(), err)
		}
	}
	scrubbed := old(t, `{"config":{"model":"m"},"tools":"{{tools}}"}`)
	d, err := scrubbed.ParseDelta(value(t, `{"tools":{"added":[],"removed":["t"],"changed":[]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := scrubbed.Apply(d); err == nil {
		t.Errorf("tools that are no list became %s", got.Raw())
	}
	for _, in := range []string{`{"system":null}`, `{"tools":{"added":[]}}`, `{"tools":{"added":"{{tools}}","removed":[],"changed":[]}}`} {
		if _, err := scrubbed.ParseDelta(value(t, in)); err == nil {
			t.Errorf("%s was read", in)
		}
	}
	// What later versions log is read strictly.
	if _, err := header.New(full(t)).ParseDelta(value(t, `{"later":1}`)); err == nil {
		t.Error("an unknown member was left out")
	}
}

// The messages of a prefix stand there as the log has them.
func TestPrefixRawAt(t *testing.T) {
	h := old(t, `{"config":{"model":"m"},"messagePrefix":[`+oldMessage+`,{"content":[],"role":"assistant"}]}`)
	if p := h.Prefix(); p.Len() != 2 || p.RawAt(0) != oldMessage || p.RawAt(1) != `{"content":[],"role":"assistant"}` || p.At(1).Role != msg.RoleAssistant {
		t.Errorf("%s", h.Raw())
	}
	sealed := header.Seal([]msg.Message{h.Prefix().At(1)})
	if sealed.RawAt(0) != `{"role":"assistant","content":[]}` {
		t.Error(sealed.RawAt(0))
	}
}
