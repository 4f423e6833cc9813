package golden_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/golden"
)

const id = "0c942a69-9eee-49c9-ac37-85eece6a56d0"

func normalized(t *testing.T, log string) string {
	t.Helper()
	v := golden.Varying{SessionIDs: []string{"sess-1", "parent"}, Cwd: "/tmp/work"}
	got, err := golden.NormalizeLog(log, v)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := golden.NormalizeLog(got, v); err != nil || again != got {
		t.Errorf("S88: normalising %q again gives %q, %v", got, again, err)
	}
	return got
}

func TestNormalizeLog(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"S81: workspace, then ids, then what looks like one",
			`{"type":"x","data":{"a":["/tmp/work/sess-1","parent of ` + strings.ToUpper(id) + `x"],"sess-1":"/tmp/workparent"}}`,
			`{"type":"x","data":{"a":["{{cwd}}/{{sessionId}}","{{sessionId}} of {{sessionId}}x"],"sess-1":"{{cwd}}{{sessionId}}"}}` + "\n"},
		{"S81: in the header as well",
			`{"type":"session","version":0,"id":"sess-1","createdAt":5,"cwd":"/tmp/work","parentSession":"parent"}`,
			`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","parentSession":"{{sessionId}}"}` + "\n"},
		{"S83: times go, seq stays",
			`{"type":"x","seq":7,"time":1783008262738,"data":{"time":3,"createdAt":4}}`, `{"type":"x","seq":7,"time":0,"data":{"time":3,"createdAt":4}}` + "\n"},
		{"S83: what has no time gets none", `{"type":"session","version":0,"id":"x"}` + "\n" + `{"type":"x","seq":1}`, `{"type":"session","version":0,"id":"x"}` + "\n" + `{"type":"x","seq":1}` + "\n"},
		{"S83: the time of a header line stays", `{"type":"session","time":5,"createdAt":6}`, `{"type":"session","time":5,"createdAt":0}` + "\n"},
		{"S84: the duration of a hook and of nothing else",
			`{"type":"hook/result","data":{"durationMs":12.75,"x":{"durationMs":1}}}` + "\n" + `{"type":"x","data":{"durationMs":9}}` + "\n" + `{"type":"hook/result","data":["durationMs"]}`,
			`{"type":"hook/result","data":{"durationMs":0,"x":{"durationMs":1}}}` + "\n" + `{"type":"x","data":{"durationMs":9}}` + "\n" + `{"type":"hook/result","data":["durationMs"]}` + "\n"},
		{"blank lines go", "\n \t\u00a0\ufeff\r\n{\"type\":\"x\"}\n\n", `{"type":"x"}` + "\n"},
		{"lines become compact", ` { "type" : "x" , "n" : 3.0 , "2" : 1 , "\u0061" : "\u2028<&>" } ` + "\r\n", `{"2":1,"type":"x","n":3,"a":"` + "\u2028" + `<&>"}` + "\n"},
		{"nothing", "", ""},
	} {
		if got := normalized(t, c.in); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
	for _, in := range []string{"x", `{"a":1}` + "\n[]", `{"a":1}` + "\n\n{"} {
		if got, err := golden.NormalizeLog(in, golden.Varying{}); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d: ", strings.Count(in, "\n")+1)) {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

func TestScrubHeaders(t *testing.T) {
	header := func(h string) string {
		return `{"type":"request/header","seq":1,"time":2,"data":{"header":` + h + `,"reason":"initial"}}`
	}
	delta := func(d string) string { return `{"type":"request/header-delta","seq":1,"time":2,"data":` + d + `}` }
	message := `{"role":"user","content":[]}`
	for _, c := range []struct{ name, in, want string }{
		{"S85: content goes, presence and counts stay",
			header(`{"config":{"model":"m"},"system":"s","tools":[{"name":"a"},{"name":"b"}],"messagePrefix":[` + message + `,` + message + `]}`),
			header(`{"config":{"model":"m"},"system":"{{system}}","tools":"{{tools}}","messagePrefix":["{{messagePrefix}}","{{messagePrefix}}"]}`)},
		{"S85: what is absent stays absent", header(`{"config":{"model":"m"}}`), header(`{"config":{"model":"m"}}`)},
		{"S85: a prefix that is no list stays", header(`{"messagePrefix":"x","system":""}`), header(`{"messagePrefix":"x","system":"{{system}}"}`)},
		{"S86: positions, lines and names stay",
			delta(`{"system":{"keepStart":1,"keepEnd":2,"insert":["a","b"]},"tools":{"added":[{"description":"d","name":"n","x":1}],"removed":["r"],"changed":[5,{"name":"c","parameters":{}}]},"config":{"model":"s"},"messagePrefix":[]}`),
			delta(`{"system":{"keepStart":1,"keepEnd":2,"insert":["{{system}}","{{system}}"]},"tools":{"added":[{"description":"{{tools}}","name":"n","x":"{{tools}}"}],"removed":["r"],"changed":[5,{"name":"c","parameters":"{{tools}}"}]},"config":{"model":"s"},"messagePrefix":[]}`)},
		{"S86: one token a message", delta(`{"messagePrefix":[` + message + `]}`), delta(`{"messagePrefix":["{{messagePrefix}}"]}`)},
		{"S87: a change of configuration stays to the byte", ` {"type": "request/header-delta", "data": {"config": {"model":"m"}}} `, ` {"type": "request/header-delta", "data": {"config": {"model":"m"}}} `},
		{"S87: so do odd shapes", delta(`{"system":null,"tools":[],"messagePrefix":"x"}`) + "\n" + delta(`7`) + "\n" + header(`"x"`), delta(`{"system":null,"tools":[],"messagePrefix":"x"}`) + "\n" + delta(`7`) + "\n" + header(`"x"`)},
		{"other lines stay to the byte", ` {"type": "x", "data": {"header": {"system": "s"}}}` + "\n\n \r\n" + `{"seq":3.0}`, ` {"type": "x", "data": {"header": {"system": "s"}}}` + "\n\n \r\n" + `{"seq":3.0}`},
		{"a line that is scrubbed becomes compact", `{"type": "request/header", "seq": 1.0, "data": {"header": {"system": "s"}}}` + "\n", `{"type":"request/header","seq":1,"data":{"header":{"system":"{{system}}"}}}` + "\n"},
	} {
		got, err := golden.ScrubHeaders(c.in)
		if err != nil || got != c.want {
			t.Errorf("%s:\n%s, %v, want\n%s", c.name, got, err, c.want)
		}
		if again, err := golden.ScrubHeaders(got); err != nil || again != got {
			t.Errorf("S88: scrubbing %q again gives %q, %v", got, again, err)
		}
	}
	if got, err := golden.ScrubHeaders(`{"a":1}` + "\nx"); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzNormalize: both normal forms are idempotent and panic for nobody.
func FuzzNormalize(f *testing.F) {
	f.Add(`{"type":"request/header","data":{"header":{"system":"` + id + `","tools":[]}}}` + "\n" + `{"type":"session","createdAt":1}`)
	f.Add(`{"type":"request/header-delta","data":{"tools":{"added":[{"name":1}]},"messagePrefix":[1]},"time":5}`)
	f.Add(`{"__proto__":{"1":2},"type":"hook/result","data":{"durationMs":"\ud800"}}`)
	f.Fuzz(func(t *testing.T, log string) {
		v := golden.Varying{SessionIDs: []string{"session-1"}, Cwd: "/tmp/work"}
		if got, err := golden.NormalizeLog(log, v); err == nil {
			if again, err := golden.NormalizeLog(got, v); err != nil || again != got {
				t.Errorf("%q, then %q, %v", got, again, err)
			}
		}
		if got, err := golden.ScrubHeaders(log); err == nil {
			if again, err := golden.ScrubHeaders(got); err != nil || again != got {
				t.Errorf("%q, then %q, %v", got, again, err)
			}
		}
	})
}
