// Package replay is a recorded session as the model: a transport that answers each
// request with what was answered when it was recorded. A request that is not the
// recorded one fails, with the first byte that differs, and nothing is ever asked of a
// network.
package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/script"
)

// The provider's codes of requests that have no recorded answer.
const (
	CodeDiffers   = "REPLAY_DIFFERS"   // it is not the request that was recorded
	CodeExhausted = "REPLAY_EXHAUSTED" // the recording has no further one
)

// Exchange is a recorded request and its answer.
type Exchange struct {
	Request provider.Body
	Reply   script.Reply
}

// Transport is an http.RoundTripper that answers from a recording, in its order. It is
// safe for concurrent use.
type Transport struct {
	recorded []Exchange
	source   string
	answers  *script.Transport

	mu   sync.Mutex
	used int
}

// New returns a transport over a recording, of which earlier runs of the session have
// used up the first exchanges. source names the recording in messages.
func New(recorded []Exchange, used int, source string) *Transport {
	replies := make([]script.Reply, len(recorded))
	for i, x := range recorded {
		replies[i] = x.Reply
	}
	return &Transport{recorded: recorded, source: source, used: used,
		answers: script.New(script.Options{Replies: replies, Source: source, Used: min(used, len(recorded))})}
}

// RoundTrip implements http.RoundTripper. Errors: reading the request's body; the cause
// of its context.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		defer req.Body.Close()
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	if ctx := req.Context(); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.used >= len(t.recorded) {
		return refuse(req, CodeExhausted, fmt.Sprintf("the recording %s has %d requests, and this is another one", t.source, len(t.recorded))), nil
	}
	if wrong, err := t.differs(body, t.recorded[t.used].Request); err != nil || wrong != "" {
		if err != nil {
			return nil, err
		}
		return refuse(req, CodeDiffers, wrong), nil
	}
	t.used++
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return t.answers.RoundTrip(again)
}

// window is how many bytes around a difference are shown, on either side.
const window = 30

// differs says where a request is not the recorded one, "" when it is.
func (t *Transport) differs(body []byte, recorded provider.Body) (string, error) {
	want, err := io.ReadAll(recorded.Reader())
	if err != nil {
		return "", err
	}
	if bytes.Equal(body, want) {
		return "", nil
	}
	at := 0
	for at < len(body) && at < len(want) && body[at] == want[at] {
		at++
	}
	return fmt.Sprintf("request %d is not the one of the recording %s: the first differing byte is %d: recorded %s, now %s",
		t.used+1, t.source, at, around(want, at), around(body, at)), nil
}

// around is what stands around a place, quoted.
func around(b []byte, at int) string {
	if at >= len(b) {
		return "the end"
	}
	return strconv.Quote(string(b[max(at-window, 0):min(at+window, len(b))]))
}

func refuse(req *http.Request, code, message string) *http.Response {
	var e, o canon.Object
	e.String("message", message)
	e.String("type", "invalid_request_error")
	e.String("code", code)
	o.Raw("error", e.End())
	text := o.End()
	return &http.Response{
		Status: "400 Bad Request", StatusCode: http.StatusBadRequest, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader([]byte(text))),
		ContentLength: int64(len(text)), Request: req,
	}
}
