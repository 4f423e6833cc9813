package canon_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
)

func TestQuote(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{"a\"b\\c", `"a\"b\\c"`},
		{"\b\t\n\f\r", `"\b\t\n\f\r"`},
		{"\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"<a> & </a>", `"<a> & </a>"`},
		{"\u2028\u2029", "\"\u2028\u2029\""},
		{"é 漢 😀", `"é 漢 😀"`},
		{"/", `"/"`},
	} {
		if got := canon.Quote(c.in); got != c.want {
			t.Errorf("Quote(%q) = %s, want %s", c.in, got, c.want)
		}
		v, err := canon.ParseCanonical(c.want)
		if err != nil {
			t.Errorf("ParseCanonical(%s): %v", c.want, err)
			continue
		}
		if got, ok := v.Text(); !ok || got != c.in {
			t.Errorf("Text of %s = %q %v, want %q", c.want, got, ok, c.in)
		}
	}
}

func TestFormatFloat(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {0.7, "0.7"}, {-2.5, "-2.5"},
		{1e20, "100000000000000000000"}, {1e21, "1e+21"}, {1e-6, "0.000001"}, {1e-7, "1e-7"},
		{1.5e300, "1.5e+300"}, {123456789.125, "123456789.125"},
	} {
		if got, ok := canon.FormatFloat(c.in); !ok || got != c.want {
			t.Errorf("FormatFloat(%v) = %s, want %s", c.in, got, c.want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, ok := canon.FormatFloat(f); ok {
			t.Errorf("FormatFloat(%v) is accepted", f)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		in     string
		offset int
	}{
		{"", 0}, {"{", 1}, {"[1,]", 3}, {`{"a"}`, 4}, {`{"a":1,}`, 7}, {"01", 1}, {"-", 1}, {"1.", 2}, {"1e", 2},
		{"tru", 0}, {`"a`, 2}, {"\"a\nb\"", 2}, {`"\x"`, 1}, {`"\u12g4"`, 1}, {"1 2", 2}, {"\"\xff\"", 1},
		{strings.Repeat("[", 2000), 1001}, {"nul", 0}, {`{1:2}`, 1},
	} {
		_, err := canon.Parse(c.in)
		var syntax *canon.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Parse(%.20q) = %v, want a syntax error", c.in, err)
			continue
		}
		if syntax.Offset != c.offset {
			t.Errorf("Parse(%.20q): offset %d, want %d (%v)", c.in, syntax.Offset, c.offset, err)
		}
	}
}

func TestParseCanonicalRefusesWhatParseAccepts(t *testing.T) {
	for _, in := range []string{
		` 1`, `1 `, `{ "a":1}`, `{"a": 1}`, `{"a":1 }`, `[1, 2]`, `"\/"`, `"\u0041"`, `"\u000a"`, `"\u001F"`, `"\u00e9"`,
		`{"a":1,"a":2}`,
		`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"a":1}`,
	} {
		if _, err := canon.Parse(in); err != nil {
			t.Errorf("Parse(%s): %v", in, err)
		}
		if _, err := canon.ParseCanonical(in); err == nil {
			t.Errorf("ParseCanonical(%s) is accepted", in)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{" { \"b\" : [ 1 , 2.50 ] , \"a\" : \"\\u0041\\/\" } ", `{"b":[1,2.50],"a":"A/"}`},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{`"\ud83d\ude00"`, `"😀"`},
		{`[]`, `[]`}, {`{}`, `{}`}, {"null", "null"},
	} {
		v, err := canon.Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := canon.Canonical(v)
		if err != nil || got != c.want {
			t.Errorf("Canonical(%s) = %s, %v, want %s", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{`"\ud83d"`, `"\ude00x"`, `{"\ud83d":1}`, `["\ud83d\u0041"]`} {
		v, err := canon.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := canon.Canonical(v); err == nil {
			t.Errorf("Canonical(%s) = %s, want an error: UTF-8 has no lone surrogates", in, got)
		}
	}
}

func TestAccessors(t *testing.T) {
	v, err := canon.Parse(`{"s":"x\n","n":42,"f":1.5,"b":true,"z":null,"o":{"k":[1,"2",{}]},"n":43}`)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := v.Get("s").Text(); !ok || s != "x\n" {
		t.Errorf("s = %q %v", s, ok)
	}
	if got := v.Get("s").Inner(); got != `x\n` {
		t.Errorf("inner of s = %q", got)
	}
	if n, ok := v.Get("n").Int(); !ok || n != 43 {
		t.Errorf("n = %d %v, want the last of two", n, ok)
	}
	if _, ok := v.Get("f").Int(); ok {
		t.Error("1.5 is taken for an integer")
	}
	if f, ok := v.Get("f").Float(); !ok || f != 1.5 {
		t.Errorf("f = %v %v", f, ok)
	}
	if !v.Get("b").IsTrue() || v.Get("z").IsTrue() {
		t.Error("b and z")
	}
	if !v.Get("z").Exists() || v.Get("missing").Exists() {
		t.Error("null exists, a missing member does not")
	}
	var elems []string
	for e := range v.Get("o").Get("k").Elements() {
		elems = append(elems, e.Raw())
	}
	if got := strings.Join(elems, " "); got != `1 "2" {}` {
		t.Errorf("elements: %s", got)
	}
}

func TestObject(t *testing.T) {
	var o canon.Object
	o.String("s", "a\"")
	o.Int("i", -3)
	o.Bool("b", false)
	o.Raw("r", `[1]`)
	o.Strings("l", []string{"x", "y"})
	o.Ints("n", nil)
	if got, want := o.End(), `{"s":"a\"","i":-3,"b":false,"r":[1],"l":["x","y"],"n":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var empty canon.Object
	if got := empty.End(); got != "{}" {
		t.Errorf("empty object = %s", got)
	}
}

// FuzzRoundTrip: every valid string survives writing and reading, and what the
// writer writes is canonical.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"", "a", "\x00\x1f\"\\", "\u2028<>&", "\xff", "😀\ud7ff", "\\u0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if canon.CheckText(s) != nil {
			return
		}
		q := canon.Quote(s)
		v, err := canon.ParseCanonical(q)
		if err != nil {
			t.Fatalf("%q is written as %s: %v", s, q, err)
		}
		if got, ok := v.Text(); !ok || got != s {
			t.Fatalf("%q came back as %q", s, got)
		}
	})
}

// An object with many members costs what its length costs.
func TestParseMembersOfMany(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, `,"%d":%d`, i, i)
	}
	text := "{" + b.String()[1:] + "}"
	v, members, err := canon.ParseMembers(text, nil)
	if err != nil || v.Raw() != text || len(members) != 200_000 || members[199_999].Value.Raw() != "199999" || members[7].Name.Raw() != `"7"` {
		t.Errorf("%d members, %v", len(members), err)
	}
	if _, _, err := canon.ParseMembers(text[:len(text)-1]+`,"7":1}`, nil); err == nil {
		t.Error("a member stands there twice")
	}
}

// FuzzParse: no text panics; what is canonical is its own canonical form; the
// canonical form of anything is canonical.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\n",null,true]}`, ` [ ] `, `{"a":1,"a":2}`, `"\ud83d"`, `{"":{"":""}}`, "[[[[", `"\u001f"`, "-0", `{"a":1,"a":2`, `{"a":{"a":1},"b":[{}]}`, `{"a":1}x`, `{"a":1,"\u0061":2,"\ud83d":3,"\/":4}`, `{"é":"é\"\\","12345678":"12345678901234567\t"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := canon.Parse(s)
		strict, serr := canon.ParseCanonical(s)
		with, members, merr := canon.ParseMembers(s, nil)
		if with != strict || (merr == nil) != (serr == nil) || merr != nil && merr.Error() != serr.Error() {
			t.Fatalf("%q: with members %v, without %v", s, merr, serr)
		}
		for name := range v.Members() {
			var last canon.Value
			for n, m := range v.Members() {
				if n == name {
					last = m
				}
			}
			if v.Get(name) != last {
				t.Fatalf("%q: member %q is %s", s, name, v.Get(name).Raw())
			}
		}
		i := 0
		for name, m := range strict.Members() {
			if got, _ := members[i].Name.Text(); got != name || members[i].Value != m {
				t.Fatalf("%q: member %d is %v", s, i, members[i])
			}
			i++
		}
		if i != len(members) {
			t.Fatalf("%q: %d members", s, len(members))
		}
		if serr == nil && (err != nil || strict.Raw() != s) {
			t.Fatalf("%q is canonical but not JSON: %v", s, err)
		}
		if err != nil {
			return
		}
		c, err := canon.Canonical(v)
		if err != nil {
			return
		}
		if _, err := canon.ParseCanonical(c); err != nil {
			t.Fatalf("canonical form %q of %q: %v", c, s, err)
		}
		if serr == nil && c != s {
			t.Fatalf("canonical %q became %q", s, c)
		}
		v2, _ := canon.Parse(c)
		for range v2.Members() {
		}
		for range v2.Elements() {
		}
	})
}

func BenchmarkParseCanonical(b *testing.B) {
	line := `{"type":"user/message","seq":12,"time":1767323045000,"data":{"id":"00000000-0000-7000-8000-000000000001","content":[{"type":"text","text":` +
		canon.Quote(strings.Repeat("a line of text\n", 40)) + `}],"source":{"kind":"user"}},"surfaceOp":"append"}`
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := canon.ParseCanonical(line); err != nil {
			b.Fatal(err)
		}
	}
}
