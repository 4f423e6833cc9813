package script

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Options are a script.
type Options struct {
	Replies []Reply   // used in order, one for each request
	Default *Reply    // answers when Replies are used up, nil for an error
	Source  string    // where the script was written, for the message of that error
	Used    int       // replies that earlier runs of the session have used up
	Earlier []Earlier // requests that earlier runs sent, in order, for the cache
	Cache   Rules     // what the usage of replies without one reports as cached
	// Now tells the time for the cache; nil reads the real clock.
	Now func() time.Time
	// Sleep passes the delay of a reply or returns when ctx is done; nil sleeps on
	// the real clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Earlier is a request that was answered at a time.
type Earlier struct {
	Body []byte
	At   time.Time
}

// Transport is an http.RoundTripper that answers from a script. It is safe for
// concurrent use; requests take replies in the order in which they arrive.
type Transport struct {
	opt Options

	mu       sync.Mutex
	requests [][]byte
	unmet    []string // messages of expectations that were not met
	cache    cache
	used     int // replies handed out, those of Default included
	calls    int // tool calls that were given an id
}

// New returns a transport that keeps its own copy of the replies.
func New(opt Options) *Transport {
	opt.Replies = slices.Clone(opt.Replies)
	for i := range opt.Replies {
		opt.Replies[i].Tools = slices.Clone(opt.Replies[i].Tools)
	}
	if opt.Default != nil {
		d := *opt.Default
		d.Tools = slices.Clone(d.Tools)
		opt.Default = &d
	}
	if opt.Sleep == nil {
		opt.Sleep = sleep
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	t := &Transport{opt: opt, used: opt.Used, cache: cache{rules: opt.Cache}}
	for _, e := range opt.Earlier {
		if v, err := canon.Parse(string(e.Body)); err == nil {
			t.cache.read(promptOf(v), e.At)
		}
	}
	t.opt.Earlier = nil
	for _, r := range opt.Replies[:min(opt.Used, len(opt.Replies))] {
		for _, call := range r.Tools {
			if call.ID == "" {
				t.calls++
			}
		}
	}
	return t
}

// Requests returns copies of the bodies that arrived, in order of arrival, refused
// ones included.
func (t *Transport) Requests() [][]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([][]byte, len(t.requests))
	for i, r := range t.requests {
		out[i] = bytes.Clone(r)
	}
	return out
}

// Unmet returns what replies expected of requests and did not find, in order.
func (t *Transport) Unmet() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.unmet)
}

// Unasked returns the replies with an expectation that no request has come to, by
// their names.
func (t *Transport) Unasked() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for i := t.used; i < len(t.opt.Replies); i++ {
		if t.opt.Replies[i].Expect != nil {
			out = append(out, fmt.Sprintf("reply %d of %s", i+1, cmp.Or(t.opt.Source, "the script")))
		}
	}
	return out
}

// RoundTrip implements http.RoundTripper. A request that is neither a chat completion
// nor one of the messages protocol is refused with status 400 and takes no reply. The body of the answer must be
// closed. Errors: reading the request's body; the cause of its context.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	ctx := req.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	asked, refusal := parse(req, body)
	reply := t.take(body, &asked, refusal)
	if reply.Delay > 0 {
		if err := t.opt.Sleep(ctx, reply.Delay); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, err
		}
	}
	switch {
	case reply.Error != nil:
		status := reply.Error.Status
		if status == 0 {
			status = http.StatusInternalServerError
		}
		text := reply.Error.encode()
		if isMessages(req) {
			text = reply.Error.messagesError()
		}
		resp := respond(req, status, "application/json", text)
		if after := reply.Error.RetryAfter; after > 0 {
			resp.Header.Set("Retry-After", seconds(after))
		}
		return resp, nil
	case asked.messages && !asked.stream:
		return respond(req, http.StatusOK, "application/json", asked.messagesObject(reply)), nil
	case asked.messages:
		return respond(req, http.StatusOK, "text/event-stream", asked.messagesEvents(reply)...), nil
	case !asked.stream:
		return respond(req, http.StatusOK, "application/json", asked.object(reply)), nil
	}
	return respond(req, http.StatusOK, "text/event-stream", asked.events(reply)...), nil
}

// readBody reads and closes the body, and holds it to the length that was stated.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	body, err := io.ReadAll(req.Body)
	if err == nil && req.ContentLength > 0 && req.ContentLength != int64(len(body)) {
		err = fmt.Errorf("request states %d bytes and has %d", req.ContentLength, len(body))
	}
	return body, err
}

// parse reads what the answer depends on, or says why the request is refused.
func parse(req *http.Request, body []byte) (request, *Reply) {
	refuse := func(status int, format string, args ...any) (request, *Reply) {
		return request{}, &Reply{Error: &Error{Status: status, Code: "invalid_request_error", Message: fmt.Sprintf(format, args...)}}
	}
	if req.Method != http.MethodPost || !isMessages(req) && !strings.HasSuffix(req.URL.Path, "/chat/completions") {
		return refuse(http.StatusNotFound, "the scripted model answers POST …/chat/completions and …/v1/messages only")
	}
	v, err := canon.Parse(string(body))
	switch {
	case err != nil:
		return refuse(http.StatusBadRequest, "the body is not JSON: %v", err)
	case v.Kind() != canon.ObjectKind || v.Get("messages").Kind() != canon.ArrayKind:
		return refuse(http.StatusBadRequest, "the body is not an object with an array of messages")
	}
	model, _ := v.Get("model").Text()
	return request{
		body: v, model: model, bytes: len(body),
		stream: v.Get("stream").IsTrue(),
		usage:  v.Get("stream_options").Get("include_usage").IsTrue(), messages: isMessages(req),
	}, nil
}

// isMessages reports whether a request is one of the messages protocol.
func isMessages(req *http.Request) bool { return strings.HasSuffix(req.URL.Path, "/v1/messages") }

// seconds are the whole seconds of a header, rounded up.
func seconds(d time.Duration) string {
	n := int64(d / time.Second)
	if d%time.Second > 0 {
		n++
	}
	return strconv.FormatInt(n, 10)
}

// take records a request and returns its reply, with ids for its tool calls. It
// completes what was asked by what the cache says.
func (t *Transport) take(body []byte, asked *request, refusal *Reply) Reply {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests = append(t.requests, body)
	if refusal != nil {
		return *refusal
	}
	var reply Reply
	var which string
	switch {
	case t.used < len(t.opt.Replies):
		reply, which = t.opt.Replies[t.used], "reply "+strconv.Itoa(t.used+1)
	case t.opt.Default != nil:
		reply, which = *t.opt.Default, "the default reply"
	default:
		return Reply{Error: &Error{Status: http.StatusNotImplemented, Code: "SCRIPT_EXHAUSTED", Message: t.exhausted()}}
	}
	t.used++
	if reply.Expect != nil {
		if wrong := reply.Expect.refuse(asked.body, t.opt.Source, which); wrong != nil {
			t.unmet = append(t.unmet, wrong.Message)
			return Reply{Error: wrong}
		}
	}
	if reply.Error == nil { // else no model has read the prompt
		asked.cached, asked.written = t.cache.read(promptOf(asked.body), t.opt.Now())
	}
	reply.Tools = slices.Clone(reply.Tools)
	for i := range reply.Tools {
		if reply.Tools[i].ID == "" {
			t.calls++
			reply.Tools[i].ID = "call_" + strconv.Itoa(t.calls)
		}
	}
	return reply
}

func (t *Transport) exhausted() string {
	count, where := "no reply", "the script"
	switch n := len(t.opt.Replies); {
	case n == 1:
		count = "one reply, which is used up"
	case n > 1:
		count = fmt.Sprintf("%d replies, which are used up", n)
	}
	if t.opt.Source != "" {
		where = t.opt.Source
	}
	return fmt.Sprintf("the script has %s; add a reply block or a default block to %s", count, where)
}

// sleep is the default of Options.Sleep.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
