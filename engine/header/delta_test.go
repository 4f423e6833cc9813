package header_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// parts makes headers that differ in little.
func parts(change func(*header.Parts)) header.Header {
	p := header.Parts{Config: msg.CallConfig{Model: "m"}}
	change(&p)
	return header.New(p)
}

func system(text string) header.Header {
	return parts(func(p *header.Parts) { p.System = text })
}

func tools(list ...msg.Tool) header.Header {
	return parts(func(p *header.Parts) { p.Tools = list })
}

func prefix(t testing.TB, texts ...string) header.Header {
	return parts(func(p *header.Parts) {
		var ms []msg.Message
		for _, s := range texts {
			ms = append(ms, message(t, msg.RoleUser, s))
		}
		p.Prefix = header.Seal(ms)
	})
}

// through applies a delta as a reader does, who has only its text.
func through(t testing.TB, prev header.Header, d header.Delta) header.Header {
	t.Helper()
	read, err := header.ParseDelta(value(t, d.Raw()))
	if err != nil || read.Raw() != d.Raw() {
		t.Fatalf("%s was parsed as %s, %v", d.Raw(), read.Raw(), err)
	}
	got, err := prev.Apply(read)
	if err != nil {
		t.Fatalf("%s: %v", d.Raw(), err)
	}
	return got
}

func TestDelta(t *testing.T) {
	raw := func(name string) string {
		return `{"name":"` + name + `","description":"d","parameters":{"type":"object"}}`
	}
	changed := msg.Tool{Name: "a", Description: "new", Parameters: `{"type":"object"}`}
	for _, c := range []struct {
		name       string
		prev, next header.Header
		want       string
	}{
		{"nothing", system("s"), system("s"), `{}`},
		{"L66", system("keep1\nold\nkeep2\nkeep3"), system("keep1\nnew A\nnew B\nkeep2\nkeep3"),
			`{"system":{"keepStart":1,"keepEnd":2,"insert":["new A","new B"]}}`},
		{"L67", system(""), system("x\ny"), `{"system":{"keepStart":0,"keepEnd":0,"insert":["x","y"]}}`},
		{"L67 back", system("x\ny"), system(""), `{"system":{"keepStart":0,"keepEnd":0,"insert":[]}}`},
		{"L68", system("a\na"), system("a\na\na"), `{"system":{"keepStart":2,"keepEnd":0,"insert":["a"]}}`},
		{"L68 back", system("a\na\na"), system("a\na"), `{"system":{"keepStart":2,"keepEnd":0,"insert":[]}}`},
		{"a line feed more", system("a"), system("a\n"), `{"system":{"keepStart":1,"keepEnd":0,"insert":[""]}}`},
		{"only a line feed", system(""), system("\n"), `{"system":{"keepStart":0,"keepEnd":0,"insert":["",""]}}`},
		{"beginning and end are one line", system("a\nb\na"), system("a"), `{"system":{"keepStart":1,"keepEnd":0,"insert":[]}}`},
		{"the end stays", system("a\nb"), system("b"), `{"system":{"keepStart":0,"keepEnd":1,"insert":[]}}`},
		{"L70", tools(), tools(tool("t")), `{"tools":{"added":[` + raw("t") + `],"removed":[],"changed":[]}}`},
		{"L70 back", tools(tool("t")), tools(), `{"tools":{"added":[],"removed":["t"],"changed":[]}}`},
		{"one of each", tools(tool("x"), tool("a"), tool("y")), tools(changed, tool("y"), tool("z"), tool("b")),
			`{"tools":{"added":[` + raw("z") + `,` + raw("b") + `],"removed":["x"],"changed":[` + changed.Raw() + `]}}`},
		{"L72", parts(func(p *header.Parts) { p.System, p.Tools = "s", []msg.Tool{tool("t")} }),
			parts(func(p *header.Parts) {
				p.System, p.Tools = "s", []msg.Tool{tool("t")}
				p.Config = msg.CallConfig{Model: "m2", Temperature: msg.Some("0.1")}
			}), `{"config":{"model":"m2","temperature":0.1}}`},
		{"an empty stop list", system("s"), parts(func(p *header.Parts) { p.System = "s"; p.Config.Stop = []string{} }), `{"config":{"model":"m","stop":[]}}`},
		{"L75", prefix(t, "old"), prefix(t, "new", "more"),
			`{"messagePrefix":[{"role":"user","content":[{"type":"text","text":"new"}]},{"role":"user","content":[{"type":"text","text":"more"}]}]}`},
		{"L76", prefix(t), prefix(t, "p"), `{"messagePrefix":[{"role":"user","content":[{"type":"text","text":"p"}]}]}`},
		{"L76 back", prefix(t, "p"), prefix(t), `{"messagePrefix":[]}`},
		{"wire", system(""), parts(func(p *header.Parts) {
			p.Wire = header.Wire{Protocol: "openai", Dialect: "deepseek", TopP: msg.Some("0.9")}
		}),
			`{"wire":{"protocol":"openai","dialect":"deepseek","topP":0.9}}`},
		{"everything", header.New(header.Parts{}), header.New(full(t)),
			`{"system":{"keepStart":0,"keepEnd":0,"insert":["be","brief"]},"tools":{"added":[` + raw("b") + `,` + raw("a") + `],"removed":[],"changed":[]},` +
				`"config":{"model":"m","temperature":0.70,"maxTokens":9,"stop":["S"]},` +
				`"messagePrefix":[{"role":"user","content":[{"type":"text","text":"<p>"}]},{"role":"assistant","content":[{"type":"text","text":"é"}]}],` +
				`"wire":{"protocol":"openai","dialect":"deepseek","topP":0.9}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := header.Diff(c.prev, c.next)
			if got := d.Raw(); got != c.want {
				t.Fatalf("got  %s\nwant %s", got, c.want)
			}
			if d.IsEmpty() != (c.want == `{}`) {
				t.Errorf("IsEmpty is %v", d.IsEmpty())
			}
			if got := through(t, c.prev, d); !got.Equal(c.next) || got.Raw() != c.next.Raw() {
				t.Errorf("applied: %s\nwant     %s", got.Raw(), c.next.Raw())
			}
		})
	}
	// What a delta cannot say shows when it is applied.
	t.Run("L71", func(t *testing.T) {
		prev, next := tools(tool("a"), tool("b")), tools(tool("b"), tool("a"))
		d := header.Diff(prev, next)
		if d.IsEmpty() || d.Raw() != `{"tools":{"added":[],"removed":[],"changed":[]}}` {
			t.Errorf("delta %s", d.Raw())
		}
		if through(t, prev, d).Equal(next) {
			t.Error("another order came out of a delta that does not hold it")
		}
	})
	t.Run("an added tool that is not the last", func(t *testing.T) {
		prev, next := tools(tool("b")), tools(tool("a"), tool("b"))
		if got := through(t, prev, header.Diff(prev, next)); got.Equal(next) {
			t.Error("it came out in its place")
		}
	})
}

func TestApplyRefuses(t *testing.T) {
	const huge = 1<<63 - 1
	for _, c := range []struct {
		start, end int64
		want       string
	}{
		{2, 1, "system delta keeps 2 and 1 of 2 lines"},
		{3, 0, "system delta keeps 3 and 0 of 2 lines"},
		{0, 3, "system delta keeps 0 and 3 of 2 lines"},
		{-1, 1, "system delta keeps -1 and 1 of 2 lines"},
		{1, -1, "system delta keeps 1 and -1 of 2 lines"},
		{huge, 1, fmt.Sprintf("system delta keeps %d and 1 of 2 lines", huge)},
		{huge, huge, fmt.Sprintf("system delta keeps %d and %d of 2 lines", huge, huge)},
	} {
		h, err := system("a\nb").Apply(header.Delta{System: msg.Some(header.SystemDelta{KeepStart: c.start, KeepEnd: c.end})})
		if fmt.Sprint(err) != c.want || !h.Equal(header.Header{}) {
			t.Errorf("%d, %d: error %v, want %s", c.start, c.end, err, c.want)
		}
	}
}

// A header that a delta made is sealed like any other, and so is the one it was
// made from.
func TestApplySeals(t *testing.T) {
	d := header.Delta{Config: msg.Some(msg.CallConfig{Model: "m", Stop: []string{"a"}}), Tools: msg.Some(header.ToolsDelta{Added: []msg.Tool{tool("t")}})}
	prev := tools(tool("s"))
	h, err := prev.Apply(d)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := d.Config.Get()
	c.Stop[0] = "changed"
	added, _ := d.Tools.Get()
	added.Added[0].Name = "changed"
	want := parts(func(p *header.Parts) {
		p.Config.Stop = []string{"a"}
		p.Tools = []msg.Tool{tool("s"), tool("t")}
	})
	if !h.Equal(want) || !prev.Equal(tools(tool("s"))) {
		t.Errorf("the header became %s, the one before it %s", h.Raw(), prev.Raw())
	}
	next := parts(func(p *header.Parts) { p.Config.Stop = []string{"a"} })
	diff, _ := header.Diff(prev, next).Config.Get()
	diff.Stop[0] = "changed"
	if next.Config().Stop[0] != "a" {
		t.Error("a header can be written to through its delta")
	}
}

func TestParseDeltaRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"model":"m"}`, "header delta: model: unknown member"},
		{`{"system":"text"}`, "header delta: system: no keepStart, keepEnd and insert"},
		{`{"system":{"keepStart":1,"insert":[]}}`, "header delta: system: no keepStart, keepEnd and insert"},
		{`{"system":{"keepStart":1.5,"keepEnd":0,"insert":[]}}`, "header delta: system: no keepStart, keepEnd and insert"},
		{`{"system":{"keepStart":1,"keepEnd":0,"insert":"x"}}`, "header delta: system: no keepStart, keepEnd and insert"},
		{`{"system":{"keepStart":1,"keepEnd":0,"insert":[1]}}`, "header delta: system: an inserted line is not text"},
		{`{"tools":{"added":[],"changed":[]}}`, "header delta: tools: removed is not a list"},
		{`{"tools":{"added":[],"removed":[1],"changed":[]}}`, "header delta: tools: a removed tool is not a name"},
		{`{"tools":{"added":{},"removed":[],"changed":[]}}`, "header delta: tools: tools is not a list"},
		{`{"tools":{"added":[],"removed":[],"changed":[{"name":"t"}]}}`, `header delta: tools: tool "t" without description`},
		{`{"config":{}}`, "header delta: config: config without model"},
		{`{"messagePrefix":null}`, "header delta: messagePrefix: messagePrefix is not a list"},
		{`{"messagePrefix":[{"role":"x"}]}`, `header delta: messagePrefix: unknown role "x"`},
		{`{"wire":[]}`, "header delta: wire: wire is not an object"},
	} {
		d, err := header.ParseDelta(value(t, c.in))
		if fmt.Sprint(err) != c.want || !d.IsEmpty() {
			t.Errorf("%s: error %v, want %s", c.in, err, c.want)
		}
	}
	_, err := header.ParseDelta(value(t, `{"wire":{"later":1}}`))
	var unknown *header.UnknownWireError
	if !errors.As(err, &unknown) || unknown.Member != "later" {
		t.Errorf("error %v", err)
	}
}

// Between any two headers a delta leads from one to the other, unless tools were
// reordered or one was added before an old one; then it leads to the same tools in
// another order.
func TestDeltaRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func() header.Header {
		return parts(func(p *header.Parts) {
			var lines []string
			for range r.IntN(6) {
				lines = append(lines, []string{"", "a", "b"}[r.IntN(3)])
			}
			p.System = strings.Join(lines, "\n")
			for _, i := range r.Perm(4)[:r.IntN(4)] {
				p.Tools = append(p.Tools, msg.Tool{Name: string(rune('a' + i)), Description: []string{"d", "e"}[r.IntN(2)], Parameters: `{}`})
			}
			p.Config.Model = []string{"m", "n"}[r.IntN(2)]
			p.Wire.Dialect = []string{"", "openai"}[r.IntN(2)]
			var ms []msg.Message
			for range r.IntN(3) {
				ms = append(ms, message(t, msg.RoleUser, []string{"p", "q"}[r.IntN(2)]))
			}
			p.Prefix = header.Seal(ms)
		})
	}
	exact := 0
	sorted := func(h header.Header) []string {
		var out []string
		for _, t := range h.Tools() {
			out = append(out, t.Raw())
		}
		slices.Sort(out)
		return out
	}
	for range 2000 {
		prev, next := random(), random()
		d := header.Diff(prev, next)
		got := through(t, prev, d)
		if d.IsEmpty() != prev.Equal(next) {
			t.Fatalf("%s to %s: delta %s", prev.Raw(), next.Raw(), d.Raw())
		}
		if got.Equal(next) {
			exact++
			continue
		}
		if !slices.Equal(sorted(got), sorted(next)) {
			t.Fatalf("%s to %s: delta %s leads to %s", prev.Raw(), next.Raw(), d.Raw(), got.Raw())
		}
		if got.System() != next.System() || !got.Config().Equal(next.Config()) || got.Wire() != next.Wire() || !slices.Equal(slices.Collect(messages(got)), slices.Collect(messages(next))) {
			t.Fatalf("%s to %s: delta %s leads to %s", prev.Raw(), next.Raw(), d.Raw(), got.Raw())
		}
	}
	if exact < 500 {
		t.Errorf("only %d of 2000 deltas are exact", exact)
	}
}

func messages(h header.Header) func(func(msg.Message) bool) {
	return func(yield func(msg.Message) bool) {
		for _, m := range h.Prefix().All() {
			if !yield(m) {
				return
			}
		}
	}
}

// FuzzSystemDelta: a delta leads from any text to any other.
func FuzzSystemDelta(f *testing.F) {
	for _, s := range [][2]string{{"", ""}, {"", "\n"}, {"a\na", "a\na\na"}, {"a\nb\na", "a"}, {"a", "a\n"}, {"\n\n", "\n"}, {"x\r\ny", "x\ny"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if canon.CheckText(a) != nil || canon.CheckText(b) != nil {
			return
		}
		prev, next := system(a), system(b)
		d := header.Diff(prev, next)
		if got := through(t, prev, d); got.System() != b || !got.Equal(next) {
			t.Fatalf("%q to %q: delta %s leads to %q", a, b, d.Raw(), got.System())
		}
		if s, ok := d.System.Get(); ok && len(s.Insert)+int(s.KeepStart+s.KeepEnd) != len(lines(b)) {
			t.Fatalf("%q to %q: delta %s", a, b, d.Raw())
		}
	})
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// FuzzParseDelta: a delta of any file panics nobody, and one that is accepted
// reads back to itself.
func FuzzParseDelta(f *testing.F) {
	f.Add(`{}`)
	f.Add(`{"system":{"keepStart":9223372036854775807,"keepEnd":1,"insert":[]}}`)
	f.Add(`{"system":{"keepStart":1,"keepEnd":0,"insert":["x"]},"tools":{"added":[{"name":"b","description":"","parameters":{}}],"removed":["a"],"changed":[]},"config":{"model":"m"},"messagePrefix":[],"wire":{}}`)
	f.Add(`{"tools":{"added":[],"removed":["a","a"],"changed":[{"name":"b","description":"e","parameters":{}}]}}`)
	base := header.New(header.Parts{Config: msg.CallConfig{Model: "m"}, System: "one\ntwo", Tools: []msg.Tool{tool("a"), tool("b")}})
	f.Fuzz(func(t *testing.T, s string) {
		v, err := canon.ParseCanonical(s)
		if err != nil {
			return
		}
		d, err := header.ParseDelta(v)
		if err != nil {
			return
		}
		again, err := header.ParseDelta(value(t, d.Raw()))
		if err != nil || again.Raw() != d.Raw() {
			t.Fatalf("%q was parsed as %q, %v", d.Raw(), again.Raw(), err)
		}
		h, err := base.Apply(d)
		if err != nil {
			return
		}
		if read, err := header.Parse(value(t, h.Raw())); err != nil || !read.Equal(h) {
			t.Fatalf("%q leads to %q, which was parsed as %q, %v", s, h.Raw(), read.Raw(), err)
		}
	})
}
