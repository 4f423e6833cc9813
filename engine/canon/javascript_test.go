package canon_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
)

func TestParseJavaScript(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{" { \"b\" : [ 1 , 2.50 ] ,\t\"a\" : \"\\u0041\\/\" }\r", `{"b":[1,2.5],"a":"A/"}`},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{`{"a":1,"b":2,"\u0061":3}`, `{"a":3,"b":2}`},
		{`[3.0,3e0,-0,-0.0,1E2,1e21,1e20,123456789012345678,-1.50,1e-7,0.000001,1e-400]`,
			`[3,3,0,0,100,1e+21,100000000000000000000,123456789012345680,-1.5,1e-7,0.000001,0]`},
		{`[9007199254740992,9007199254740993,999999999999999,0.1,-7]`, `[9007199254740992,9007199254740992,999999999999999,0.1,-7]`},
		// Names of array indices come first, ascending; no other name does.
		{`{"b":1,"10":2,"9":3,"a":4,"0":5}`, `{"0":5,"9":3,"10":2,"b":1,"a":4}`},
		{`{"05":1,"-1":2,"1.0":3,"4294967295":4,"":5,"4294967294":6}`, `{"4294967294":6,"05":1,"-1":2,"1.0":3,"4294967295":4,"":5}`},
		{`{"1":1,"0":2,"1":3}`, `{"0":2,"1":3}`},
		{`{"x":{"2":1,"1":2}}`, `{"x":{"1":2,"2":1}}`},
		{`{"__proto__":{"a":1},"constructor":2,"__proto__":3}`, `{"__proto__":3,"constructor":2}`},
		// Lone surrogates cannot be carried.
		{`["\ud83d\ude00","\ud83d","\ude00x","\ud83d\u0041","\uD83D\uD83D\uDE00"]`, "[\"😀\",\"\ufffd\",\"\ufffdx\",\"\ufffdA\",\"\ufffd😀\"]"},
		{`{"\ud83d":1}`, "{\"\ufffd\":1}"},
		{"\"\u2028<>&\\u007f\\b\\u000b\"", "\"\u2028<>&\u007f\\b\\u000b\""},
		{"null", "null"}, {" true ", "true"}, {"[]", "[]"}, {"{ }", "{}"},
	} {
		v, err := canon.ParseJavaScript(c.in)
		if err != nil || v.Raw() != c.want {
			t.Errorf("%s: got  %s, %v\nwant %s", c.in, v.Raw(), err, c.want)
		}
		if again, err := canon.ParseJavaScript(c.want); err != nil || again.Raw() != c.want {
			t.Errorf("%s became %s, %v", c.want, again.Raw(), err)
		}
		if _, err := canon.ParseCanonical(c.want); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
	}
	for _, in := range []string{"1e999", `{"a":[-1e400]}`} {
		var out *canon.RangeError
		if v, err := canon.ParseJavaScript(in); !errors.As(err, &out) || v.Exists() {
			t.Errorf("%s: %s, %v", in, v.Raw(), err)
		}
	}
	for _, in := range []string{"", "{", "01", "NaN", "'a'", "[1,]", "\ufeff1", "1\u00a0", "\"a\tb\"", "\v1"} {
		var syntax *canon.SyntaxError
		if v, err := canon.ParseJavaScript(in); !errors.As(err, &syntax) || v.Exists() {
			t.Errorf("%q: %s, %v", in, v.Raw(), err)
		}
	}
	line := `{"type":"x","seq":12,"time":1767323045000,"data":{"a":[1,-2.5,"\n"],"01":null}}`
	if n := testing.AllocsPerRun(100, func() {
		if v, err := canon.ParseJavaScript(line); err != nil || v.Raw() != line {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("text that JavaScript wrote makes %v allocations", n)
	}
}

// Every maximal part of a cut character is one replacement, as in the Encoding
// standard of the web.
func TestValidText(t *testing.T) {
	const r = "\ufffd"
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"plain é 漢 😀", "plain é 漢 😀"}, {"\ufffd", "\ufffd"},
		{"a\xffb", "a" + r + "b"},
		{"\xf0\x9f\x99", r}, {"\xf0\x9f\x99x", r + "x"}, {"\xf0\x9f\xf0\x9f\x99\x82", r + "🙂"},
		{"\xe6\xbc", r}, {"\xe6\xbcA", r + "A"}, {"\xc3", r}, {"\xc3\xc3\xa9", r + "é"},
		{"\x80\xbf", r + r},                 // no character begins so
		{"\xc0\xaf", r + r},                 // overlong
		{"\xe0\x80\xaf", r + r + r},         // overlong
		{"\xe0\xa0", r},                     // may go on
		{"\xed\xa0\x80", r + r + r},         // a surrogate
		{"\xed\x9f", r},                     // no surrogate yet
		{"\xf0\x80\x80\x80", r + r + r + r}, // overlong
		{"\xf4\x90\x80\x80", r + r + r + r}, // beyond U+10FFFF
		{"\xf4\x8f\xbf", r},
		{"\xf5\x80", r + r},
	} {
		if got := canon.ValidText(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

// FuzzParseJavaScript: what it returns is canonical, and returned as it is.
func FuzzParseJavaScript(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\n",null,true]}`, ` [ ] `, `{"2":1,"1":2,"2":3}`, `"\ud83d"`, `{"":{"":""}}`, "-0", "1e999", `"\u001f"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = canon.ValidText(s)
		if !utf8.ValidString(s) {
			t.Fatalf("%q is not UTF-8", s)
		}
		v, err := canon.ParseJavaScript(s)
		if err != nil {
			return
		}
		if _, err := canon.ParseCanonical(v.Raw()); err != nil && !strings.Contains(err.Error(), "deep") {
			t.Fatalf("%q became %q: %v", s, v.Raw(), err)
		}
		if again, err := canon.ParseJavaScript(v.Raw()); err != nil || again != v {
			t.Fatalf("%q became %q, then %q, %v", s, v.Raw(), again.Raw(), err)
		}
	})
}
