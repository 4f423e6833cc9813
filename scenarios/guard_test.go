package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
)

// spoken is a model that was asked certain bodies.
type spoken [][]byte

func (spoken) Unmet() []string { return nil }

func (spoken) Unasked() []string { return nil }

func (s spoken) Requests() [][]byte { return s }

func (spoken) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrNotSupported }

// logOf is a log that names the bodies as sent, with other events in between.
func logOf(t *testing.T, bodies [][]byte, between ...string) *current {
	t.Helper()
	c := &current{path: "log"}
	add := func(kind, data string) {
		e, err := event.Parse(fmt.Sprintf(`{"type":%q,"seq":%d,"time":1,"data":%s}`, kind, len(c.events), data))
		if err != nil {
			t.Fatal(err)
		}
		c.events = append(c.events, e)
	}
	for i, b := range bodies {
		if i > 0 {
			for _, kind := range between {
				add(kind, `{"turn":1,"step":1}`)
			}
		}
		sum := sha256.Sum256(b)
		add("request/sent", fmt.Sprintf(`{"turn":1,"step":%d,"bytes":%d,"sha256":%q,"purpose":"step","marks":""}`, i+1, len(b), hex.EncodeToString(sum[:])))
	}
	return c
}

// The prefix guard compares what arrived, whatever the log says of it. No scenario can
// get past the verifier to break it, as requests are rebuilt from the log and what
// replaces messages is an event: so it is shown bodies that an engine at fault would
// send.
func TestPrefixGuard(t *testing.T) {
	const first = `{"model":"m","messages":[{"role":"user","content":"one"}]}`
	for name, c := range map[string]struct {
		bodies []string
		want   string
	}{
		"extends":             {[]string{first, `{"model":"m","messages":[{"role":"user","content":"one"},{"role":"user","content":"two"}]}`}, ""},
		"a changed message":   {[]string{first, `{"model":"m","messages":[{"role":"user","content":"One"},{"role":"user","content":"two"}]}`}, "the first difference is at byte 51 of"},
		"a changed head":      {[]string{first, `{"model":"n","messages":[{"role":"user","content":"one"}]}`}, "the first difference is at byte 10 of"},
		"a message less":      {[]string{first, `{"model":"m","messages":[]}`}, "the first difference is at byte"},
		"later ones count":    {[]string{first, strings.Replace(first, "]}", `,{"role":"user","content":"two"}]}`, 1), first}, "request 3 does not extend request 2"},
		"no body of messages": {[]string{`{}`, first}, "does not end its messages where the protocol says"},
	} {
		var bodies [][]byte
		for _, b := range c.bodies {
			bodies = append(bodies, []byte(b))
		}
		w := newWorld(Options{}, "x", t.TempDir())
		w.model = spoken(bodies)
		err := w.guardPrefix(nil, logOf(t, bodies, "step/end", "step/start"))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "nothing in the log explains it") ||
			!strings.Contains(err.Error(), "report what you find") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
