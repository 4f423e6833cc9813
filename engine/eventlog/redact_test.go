package eventlog

import (
	"strings"
	"testing"
)

func hideKey(s string) string { return strings.ReplaceAll(s, "KEY", "(sensitive)") }

const redactHeader = `{"type":"session","version":1,"id":"00000000-0000-7000-8000-000000000001","createdAt":0,"agent":"a","configDigest":"d"}` + "\n"

// What is hidden goes wherever a person or a program could have put it, and nowhere
// else: words of the format stay, and so does every byte of other lines.
func TestRedact(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		n              int
	}{
		{"nothing", `{"type":"user/message","data":{"content":"none"}}`, `{"type":"user/message","data":{"content":"none"}}`, 0},
		{"deep", `{"type":"x","seq":0,"data":{"a":[{"b":"a KEY b"}],"c":"KEYKEY"}}`, `{"type":"x","seq":0,"data":{"a":[{"b":"a (sensitive) b"}],"c":"(sensitive)(sensitive)"}}`, 2},
		{"escaped", `{"type":"x","data":{"c":"\n\"KEY\""}}`, `{"type":"x","data":{"c":"\n\"(sensitive)\""}}`, 1},
		{"structure", `{"type":"KEY","data":{"kind":"KEY","id":"KEY","reason":"KEY"}}`, `{"type":"KEY","data":{"kind":"KEY","id":"KEY","reason":"KEY"}}`, 0},
		{"the reason of an end", `{"type":"turn/end","data":{"reason":{"kind":"error","message":"KEY"}}}`, `{"type":"turn/end","data":{"reason":{"kind":"error","message":"(sensitive)"}}}`, 1},
		{"names", `{"type":"x","data":{"KEY":1}}`, `{"type":"x","data":{"KEY":1}}`, 0},
		{"no JSON", `{"torn":"KE` + "\n" + `{"torn":"KEY`, `{"torn":"KE` + "\n" + `{"torn":"(sensitive)`, 1},
		{"numbers stay", `{"type":"x","data":{"n":1e400,"c":"KEY"}}`, `{"type":"x","data":{"n":1e400,"c":"(sensitive)"}}`, 1},
		{"pieces", `{"type":"assistant/chunk","seq":1,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a K"}}}
{"type":"assistant/chunk","seq":2,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":1,"text":"K"}}}
{"type":"assistant/chunk","seq":3,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"EY b"}}}
{"type":"assistant/chunk","seq":4,"data":{"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":"EY b"}}}`,
			`{"type":"assistant/chunk","seq":1,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a (sensitive) b"}}}
{"type":"assistant/chunk","seq":2,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":1,"text":"K"}}}
{"type":"assistant/chunk","seq":3,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":""}}}
{"type":"assistant/chunk","seq":4,"data":{"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":"EY b"}}}`, 1},
		{"pieces of arguments", `{"type":"assistant/chunk","data":{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"KEY","argumentsDelta":"{\"k\":\"K"}}}
{"type":"assistant/chunk","data":{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"KEY","argumentsDelta":"EY\"}"}}}`,
			`{"type":"assistant/chunk","data":{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"KEY","argumentsDelta":"{\"k\":\"(sensitive)\"}"}}}
{"type":"assistant/chunk","data":{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"KEY","argumentsDelta":""}}}`, 1},
	} {
		got, n := Redact(redactHeader+c.in, hideKey)
		if n != c.n {
			t.Errorf("%s: %d texts were replaced, not %d", c.name, n, c.n)
		}
		first, rest, _ := strings.Cut(got, "\n")
		if rest != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, rest, c.want)
		}
		h, err := ParseHeader(first)
		if err != nil || h.Redacted != int64(c.n) {
			t.Errorf("%s: the header %s says %d, %v", c.name, first, h.Redacted, err)
		}
		if again, n := Redact(got, hideKey); n != 0 || again != got {
			t.Errorf("%s: a second time replaces %d texts", c.name, n)
		}
	}
}
