package header_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func value(t testing.TB, s string) canon.Value {
	t.Helper()
	v, err := canon.ParseCanonical(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func message(t testing.TB, role msg.Role, text string) msg.Message {
	t.Helper()
	m, err := msg.NewMessage(role, msg.Text{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tool(name string) msg.Tool {
	return msg.Tool{Name: name, Description: "d", Parameters: `{"type":"object"}`}
}

// full is a header with every part.
func full(t testing.TB) header.Parts {
	return header.Parts{
		Config: msg.CallConfig{Model: "m", Temperature: msg.Some("0.70"), MaxTokens: msg.Some[int64](9), Stop: []string{"S"}},
		System: "be\nbrief",
		Tools:  []msg.Tool{tool("b"), tool("a")},
		Prefix: header.Seal([]msg.Message{message(t, msg.RoleUser, "<p>"), message(t, msg.RoleAssistant, "é")}),
		Wire:   header.Wire{Protocol: "openai", Dialect: "deepseek", TopP: msg.Some("0.9")},
	}
}

const fullRaw = `{"config":{"model":"m","temperature":0.70,"maxTokens":9,"stop":["S"]},` +
	`"system":"be\nbrief",` +
	`"tools":[{"name":"b","description":"d","parameters":{"type":"object"}},{"name":"a","description":"d","parameters":{"type":"object"}}],` +
	`"messagePrefix":[{"role":"user","content":[{"type":"text","text":"<p>"}]},{"role":"assistant","content":[{"type":"text","text":"é"}]}],` +
	`"wire":{"protocol":"openai","dialect":"deepseek","topP":0.9}}`

func TestHeaderBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts header.Parts
		want  string
	}{
		{"none", header.Parts{}, `{"config":{"model":""},"wire":{"protocol":"","dialect":""}}`},
		{"everything", full(t), fullRaw},
		{"L64: empty text and empty lists are absent", header.Parts{Config: msg.CallConfig{Model: "m"}, System: "", Tools: []msg.Tool{},
			Prefix: header.Seal([]msg.Message{}), Wire: header.Wire{Protocol: "openai", Dialect: "openai"}},
			`{"config":{"model":"m"},"wire":{"protocol":"openai","dialect":"openai"}}`},
		{"L64: what is there is kept", header.Parts{Config: msg.CallConfig{Model: "m"}, System: "s", Tools: []msg.Tool{tool("t")}},
			`{"config":{"model":"m"},"system":"s","tools":[{"name":"t","description":"d","parameters":{"type":"object"}}],"wire":{"protocol":"","dialect":""}}`},
		{"breakpoints and thinking", header.Parts{Wire: header.Wire{Protocol: "anthropic", Dialect: "anthropic", CacheTTL: "1h", Thinking: "4096"}},
			`{"config":{"model":""},"wire":{"protocol":"anthropic","dialect":"anthropic","cacheTtl":"1h","thinking":"4096"}}`},
		{"an empty stop list is not absent", header.Parts{Config: msg.CallConfig{Model: "m", Stop: []string{}}},
			`{"config":{"model":"m","stop":[]},"wire":{"protocol":"","dialect":""}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := header.New(c.parts)
			if got := h.Raw(); got != c.want {
				t.Fatalf("got  %s\nwant %s", got, c.want)
			}
			parsed, err := header.Parse(value(t, c.want))
			if err != nil || !parsed.Equal(h) || !h.Equal(parsed) || parsed.Raw() != c.want {
				t.Errorf("parsed as %s, %v", parsed.Raw(), err)
			}
		})
	}
}

func TestAccessors(t *testing.T) {
	p := full(t)
	h, err := header.Parse(value(t, fullRaw))
	if err != nil {
		t.Fatal(err)
	}
	if !h.Config().Equal(p.Config) || h.System() != p.System || h.Wire() != p.Wire {
		t.Errorf("config %+v system %q wire %+v", h.Config(), h.System(), h.Wire())
	}
	var names []string
	for _, tool := range h.Tools() {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"b", "a"}) {
		t.Errorf("tools %v, want the order of declaration", names)
	}
	if h.Prefix().Len() != 2 || h.Prefix().At(1) != p.Prefix.At(1) {
		t.Errorf("prefix of %d", h.Prefix().Len())
	}
	for i, m := range h.Prefix().All() {
		if m != p.Prefix.At(i) {
			t.Errorf("message %d of the prefix: %s", i, m.Raw())
		}
	}
}

// Reading a header copies no message of its prefix.
func TestPrefixShares(t *testing.T) {
	raw := strings.Clone(fullRaw)
	h, err := header.Parse(value(t, raw))
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range h.Prefix().All() {
		at := uintptr(unsafe.Pointer(unsafe.StringData(m.Content.Raw()))) - uintptr(unsafe.Pointer(unsafe.StringData(raw)))
		if at >= uintptr(len(raw)) {
			t.Errorf("message %d of the prefix is a copy", i)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*header.Parts)
		same   bool
	}{
		{"nothing", func(*header.Parts) {}, true},
		{"model", func(p *header.Parts) { p.Config.Model = "n" }, false},
		{"no stop", func(p *header.Parts) { p.Config.Stop = nil }, false},
		{"empty stop", func(p *header.Parts) { p.Config.Stop = []string{} }, false},
		{"number with another text", func(p *header.Parts) { p.Config.Temperature = msg.Some("0.7") }, false},
		{"system", func(p *header.Parts) { p.System += " " }, false},
		{"tools in another order", func(p *header.Parts) { slices.Reverse(p.Tools) }, false},
		{"a tool less", func(p *header.Parts) { p.Tools = p.Tools[:1] }, false},
		{"parameters in another order", func(p *header.Parts) { p.Tools[0].Parameters = `{"x":1,"type":"object"}` }, false},
		{"no prefix", func(p *header.Parts) { p.Prefix = header.Prefix{} }, false},
		{"shorter prefix", func(p *header.Parts) { p.Prefix = header.Seal([]msg.Message{p.Prefix.At(0)}) }, false},
		{"another prefix", func(p *header.Parts) { p.Prefix = header.Seal([]msg.Message{p.Prefix.At(1), p.Prefix.At(0)}) }, false},
		{"protocol", func(p *header.Parts) { p.Wire.Protocol = "x" }, false},
		{"dialect", func(p *header.Parts) { p.Wire.Dialect = "openai" }, false},
		{"no topP", func(p *header.Parts) { p.Wire.TopP = msg.Opt[string]{} }, false},
	} {
		p := full(t)
		c.change(&p)
		a, b := header.New(full(t)), header.New(p)
		if a.Equal(b) != c.same || b.Equal(a) != c.same {
			t.Errorf("%s: equal is %v", c.name, !c.same)
		}
		if (a.Raw() == b.Raw()) != c.same {
			t.Errorf("%s: headers are equal when their canonical JSON is", c.name)
		}
	}
	t.Run("L74", func(t *testing.T) {
		with := func(texts ...string) header.Header {
			ms := []msg.Message{}
			for _, s := range texts {
				ms = append(ms, message(t, msg.RoleUser, s))
			}
			return header.New(header.Parts{Config: msg.CallConfig{Model: "m"}, Prefix: header.Seal(ms)})
		}
		absent := header.New(header.Parts{Config: msg.CallConfig{Model: "m"}})
		if !absent.Equal(with()) || with("a").Equal(with("b")) || with("a").Equal(absent) || absent.Equal(with("a")) {
			t.Error("an absent prefix equals an empty one and no other")
		}
		read, err := header.Parse(value(t, `{"config":{"model":"m"},"system":"","tools":[],"messagePrefix":[],"wire":{"protocol":"","dialect":""}}`))
		if err != nil || !read.Equal(absent) || read.Raw() != absent.Raw() {
			t.Errorf("empty members of another writer: %s, %v", read.Raw(), err)
		}
	})
}

// What was sealed cannot be reached through anything that was passed in or
// handed out.
func TestSealed(t *testing.T) {
	messages := []msg.Message{message(t, msg.RoleUser, "<p>"), message(t, msg.RoleAssistant, "é")}
	p := full(t)
	p.Prefix = header.Seal(messages)
	h := header.New(p)
	messages[0] = message(t, msg.RoleUser, "changed")
	p.Tools[0].Name = "changed"
	p.Config.Stop[0] = "changed"
	h.Config().Stop[0] = "changed"
	if h.Raw() != fullRaw {
		t.Errorf("the header became %s", h.Raw())
	}
	if empty := header.New(header.Parts{}).Config().Stop; empty != nil {
		t.Error("an absent stop list came back empty")
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`null`, "header: no config"},
		{`[]`, "header: no config"},
		{`{}`, "header: no config"},
		{`{"wire":{}}`, "header: no config"},
		{`{"config":null}`, "header: config without model"},
		{`{"config":{"model":"m","stop":1}}`, "header: config stop is not an array"},
		{`{"config":{"model":"m"},"system":null,"wire":{}}`, "header: system is not text"},
		{`{"config":{"model":"m"},"tools":{},"wire":{}}`, "header: tools is not a list"},
		{`{"config":{"model":"m"},"tools":[{"name":"t"},{"name":"u","description":"","parameters":{}}],"wire":{}}`, `header: tool "t" without description`},
		{`{"config":{"model":"m"},"messagePrefix":{},"wire":{}}`, "header: messagePrefix is not a list"},
		{`{"config":{"model":"m"},"messagePrefix":[{"role":"tool","content":[]},{"role":"user","content":[]}],"wire":{}}`, `header: unknown role "tool"`},
		{`{"config":{"model":"m"},"wire":"openai"}`, "header: wire is not an object"},
		{`{"config":{"model":"m"},"wire":{"protocol":1}}`, "header: wire protocol is not text"},
		{`{"config":{"model":"m"},"wire":{"dialect":null}}`, "header: wire dialect is not text"},
		{`{"config":{"model":"m"},"wire":{"cacheTtl":1}}`, "header: wire cacheTtl is not text"},
		{`{"config":{"model":"m"},"wire":{"thinking":4096}}`, "header: wire thinking is not text"},
		{`{"config":{"model":"m"},"wire":{"topP":"0.9"}}`, "header: wire topP is not a number"},
		{`{"config":{"model":"m"},"wire":{"protocol":"openai","mood":"1h"}}`, `header: header has the unknown wire setting "mood": a newer dsh wrote it`},
		{`{"config":{"model":"m"},"seed":1,"wire":{}}`, `header: unknown member "seed"`},
	} {
		h, err := header.Parse(value(t, c.in))
		if fmt.Sprint(err) != c.want {
			t.Errorf("%s: error %v, want %s", c.in, err, c.want)
		}
		if !h.Equal(header.Header{}) {
			t.Errorf("%s: a header beside the error", c.in)
		}
	}
	_, err := header.Parse(value(t, `{"config":{"model":"m"},"wire":{"new":1}}`))
	var unknown *header.UnknownWireError
	if !errors.As(err, &unknown) || unknown.Member != "new" || msg.CodeOf(err) != "UNKNOWN_WIRE" {
		t.Errorf("error %v", err)
	}
}

func TestSources(t *testing.T) {
	s := header.Sources{
		System: []header.Source{{Address: "system.file.a", Origin: "prompts/é.md", Bytes: 8, SHA256: "ab"}},
		Prefix: []header.Source{{Address: "text.x", Origin: "dsh.hcl:3", Bytes: 1, SHA256: "cd"}, {}},
	}
	want := `{"system":[{"address":"system.file.a","origin":"prompts/é.md","bytes":8,"sha256":"ab"}],` +
		`"messagePrefix":[{"address":"text.x","origin":"dsh.hcl:3","bytes":1,"sha256":"cd"},{"address":"","origin":"","bytes":0,"sha256":""}]}`
	if got := s.Raw(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := header.ParseSources(value(t, want)); !slices.Equal(got.System, s.System) || !slices.Equal(got.Prefix, s.Prefix) {
		t.Errorf("parsed as %+v", got)
	}
	if got, want := (header.Sources{}).Raw(), `{"system":[],"messagePrefix":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, in := range []string{`{}`, `null`, `{"system":{},"messagePrefix":1}`} {
		if got := header.ParseSources(value(t, in)); got.System != nil || got.Prefix != nil {
			t.Errorf("%s: %+v", in, got)
		}
	}
}

// Headers of every shape read back to themselves.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		return strings.Repeat([]string{"", "a\n", "\"q\\", "漢", "<&>\u2028", "\x00"}[r.IntN(6)], r.IntN(4))
	}
	for range 500 {
		p := header.Parts{Config: msg.CallConfig{Model: text()}, System: text(), Wire: header.Wire{Protocol: text(), Dialect: text()}}
		if r.IntN(2) == 0 {
			p.Config.Temperature = msg.Some([]string{"0", "0.70", "1e-7", "-2"}[r.IntN(4)])
			p.Wire.TopP = p.Config.Temperature
		}
		if r.IntN(2) == 0 {
			p.Config.MaxTokens = msg.Some(r.Int64())
		}
		for range r.IntN(3) {
			p.Config.Stop = append(p.Config.Stop, text())
			p.Tools = append(p.Tools, msg.Tool{Name: text(), Description: text(), Parameters: `{"a":[` + canon.Quote(text()) + `]}`})
		}
		var prefix []msg.Message
		for range r.IntN(4) {
			prefix = append(prefix, message(t, []msg.Role{msg.RoleUser, msg.RoleAssistant}[r.IntN(2)], text()))
		}
		p.Prefix = header.Seal(prefix)
		h := header.New(p)
		parsed, err := header.Parse(value(t, h.Raw()))
		if err != nil || !parsed.Equal(h) || parsed.Raw() != h.Raw() {
			t.Fatalf("%s was parsed as %s, %v", h.Raw(), parsed.Raw(), err)
		}
	}
}

// FuzzParse: whatever is accepted as a header has one canonical form, which reads
// back to itself.
func FuzzParse(f *testing.F) {
	f.Add(fullRaw)
	f.Add(`{"wire":{"dialect":"d"},"messagePrefix":[],"tools":[],"system":"","config":{"stop":[],"model":"m"}}`)
	f.Add(`{"config":{"model":"m"},"wire":{"x":1}}`)
	f.Add(`{"config":{"model":"m"},"messagePrefix":[{"role":"user","content":[{"type":"widget"}]}]}`)
	f.Add(`{"system":[{"address":"a","origin":"o","bytes":1,"sha256":"s"}],"messagePrefix":[{}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := canon.ParseCanonical(s)
		if err != nil {
			return
		}
		sources := header.ParseSources(v)
		if again := header.ParseSources(value(t, sources.Raw())); again.Raw() != sources.Raw() {
			t.Fatalf("sources %q were parsed as %q", sources.Raw(), again.Raw())
		}
		h, err := header.Parse(v)
		if err != nil {
			return
		}
		again, err := header.Parse(value(t, h.Raw()))
		if err != nil || !again.Equal(h) || again.Raw() != h.Raw() {
			t.Fatalf("%q was parsed as %q, %v", h.Raw(), again.Raw(), err)
		}
		if (h.System() == "") != !strings.Contains(h.Raw(), `,"system":`) && h.Prefix().Len() == 0 {
			t.Fatalf("%q: empty text is absent", h.Raw())
		}
	})
}
