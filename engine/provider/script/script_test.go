package script_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
	"github.com/dsh-hcl/dsh/engine/provider/openai"
	"github.com/dsh-hcl/dsh/engine/provider/script"
)

// body is a provider.Body.
type body string

func (b body) Len() int64        { return int64(len(b)) }
func (b body) Reader() io.Reader { return strings.NewReader(string(b)) }

const (
	withUsage    = `{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}` // 81 bytes
	withoutUsage = `{"model":"m","messages":[],"stream":true}`
	noStream     = `{"model":"m","messages":[]}` // 27 bytes
)

func client(t *script.Transport) *openai.Client {
	return openai.New(exchange.Access{BaseURL: "http://script/v1", Transport: t})
}

// ask sends one request through the real client.
func ask(ctx context.Context, t *script.Transport, request string) (*provider.Assembler, []msg.Chunk, error) {
	a := new(provider.Assembler)
	var chunks []msg.Chunk
	for chunk, err := range client(t).Stream(ctx, body(request)) {
		if err != nil {
			return a, chunks, err
		}
		a.Add(chunk)
		chunks = append(chunks, chunk)
	}
	return a, chunks, nil
}

// TestReplies: what a script says comes out of the real client, streamed or not.
func TestReplies(t *testing.T) {
	usage := func(in, out int64) msg.Usage { return msg.Usage{Input: in, Output: out} }
	tests := []struct {
		name    string
		reply   script.Reply
		content string
		usage   msg.Usage // of the stream
		finish  msg.FinishKind
	}{
		{"text", script.Reply{Text: "Looks good."}, `[{"type":"text","text":"Looks good."}]`, usage(21, 3), msg.FinishStop},
		{"nothing", script.Reply{}, `[]`, usage(21, 0), msg.FinishStop},
		{"reasoning", script.Reply{Reasoning: "Hm", Text: "\"é\"\n"}, `[{"type":"reasoning","text":"Hm"},{"type":"text","text":"\"é\"\n"}]`,
			msg.Usage{Input: 21, Output: 3, Reasoning: msg.Some(int64(1))}, msg.FinishStop},
		{"tools", script.Reply{Text: "See", Tools: []script.Call{{Name: "read", Arguments: `{"path":"a long path/main.go"}`}, {ID: "mine", Name: "list"}}},
			`[{"type":"text","text":"See"},{"type":"tool-call","id":"call_1","name":"read","arguments":"{\"path\":\"a long path/main.go\"}"},` +
				`{"type":"tool-call","id":"mine","name":"list","arguments":""}]`, usage(21, 11), msg.FinishToolCalls},
		{"cut short", script.Reply{Text: "So", Finish: "max-tokens"}, `[{"type":"text","text":"So"}]`, usage(21, 1), msg.FinishMaxTokens},
		{"stop", script.Reply{Text: "So", Finish: "stop"}, `[{"type":"text","text":"So"}]`, usage(21, 1), msg.FinishStop},
		{"filtered", script.Reply{Text: "So", Finish: "content_filter"}, `[{"type":"text","text":"So"}]`, usage(21, 1), msg.FinishError},
		{"usage", script.Reply{Text: "So", Usage: &script.Usage{Input: 10, CachedInput: 64, Output: 20, Reasoning: 5}}, `[{"type":"text","text":"So"}]`,
			msg.Usage{Input: 10, Output: 20, CacheRead: msg.Some(int64(64)), Reasoning: msg.Some(int64(5))}, msg.FinishStop},
	}
	for _, test := range tests {
		for _, request := range []string{withUsage, withoutUsage, noStream} {
			a, _, err := ask(t.Context(), script.New(script.Options{Replies: []script.Reply{test.reply}}), request)
			content, e := a.Content()
			if err != nil || e != nil || content.Raw() != test.content || a.Finish().Kind != test.finish {
				t.Errorf("%s: %s %v %v %v\nwant %s %v", test.name, content.Raw(), a.Finish(), err, e, test.content, test.finish)
			}
			want := msg.Some(test.usage)
			switch {
			case request == withoutUsage:
				want = msg.Opt[msg.Usage]{}
			case request == noStream && test.reply.Usage == nil:
				test.usage.Input = 7
				want = msg.Some(test.usage)
			}
			if a.Usage() != want {
				t.Errorf("%s: usage %v, want %v", test.name, a.Usage(), want)
			}
		}
	}
}

// TestDeltas: text comes in several deltas, cut between characters.
func TestDeltas(t *testing.T) {
	text := strings.Repeat("aé想😀", 10)
	_, chunks, err := ask(t.Context(), script.New(script.Options{Replies: []script.Reply{{Text: text}}}), withUsage)
	if err != nil {
		t.Fatal(err)
	}
	var deltas []string
	for _, c := range chunks {
		if d, ok := c.(msg.TextDelta); ok {
			deltas = append(deltas, d.Text)
		}
	}
	if len(deltas) != 3 || strings.Join(deltas, "") != text || deltas[0] != strings.Repeat("aé想😀", 4) {
		t.Errorf("got %q", deltas)
	}
}

// TestWire pins the bytes of one answer, so that a change of them is seen.
func TestWire(t *testing.T) {
	tr := script.New(script.Options{Replies: []script.Reply{{Reasoning: "r", Text: "t", Tools: []script.Call{{Name: "n", Arguments: "{}"}}}}})
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://script/v1/chat/completions", strings.NewReader(withUsage))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(resp.Status, err)
	}
	const golden = "testdata/answer.sse"
	if os.Getenv("DSH_UPDATE") != "" {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s%v", got, want, err)
	}
}

// TestOrder: replies are used in order, then the default, and call ids count on.
func TestOrder(t *testing.T) {
	call := []script.Call{{Name: "n"}, {Name: "n"}}
	replies := []script.Reply{{Tools: call}, {Text: "second"}}
	fallback := &script.Reply{Tools: call[:1]}
	tr := script.New(script.Options{Replies: replies, Default: fallback})
	replies[1].Text, call[0].Name, fallback.Tools = "changed", "changed", nil // the script was copied
	var got []string
	for range 4 {
		a, _, err := ask(t.Context(), tr, withoutUsage)
		if err != nil {
			t.Fatal(err)
		}
		content, err := a.Content()
		if err != nil {
			t.Fatal(err)
		}
		line := content.Text()
		for _, c := range content.ToolCalls() {
			line += c.Name + " " + c.ID + ";"
		}
		got = append(got, line)
	}
	if want := `["n call_1;n call_2;" "second" "n call_3;" "n call_4;"]`; fmt.Sprintf("%q", got) != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

func TestExhausted(t *testing.T) {
	for _, test := range []struct {
		opt  script.Options
		want string
	}{
		{script.Options{}, "the script has no reply; add a reply block or a default block to the script (SCRIPT_EXHAUSTED)"},
		{script.Options{Replies: make([]script.Reply, 1), Source: "model.hcl"}, "the script has one reply, which is used up; add a reply block or a default block to model.hcl (SCRIPT_EXHAUSTED)"},
		{script.Options{Replies: make([]script.Reply, 2), Source: "model.hcl"}, "the script has 2 replies, which are used up; add a reply block or a default block to model.hcl (SCRIPT_EXHAUSTED)"},
	} {
		tr := script.New(test.opt)
		for range test.opt.Replies {
			if _, _, err := ask(t.Context(), tr, withUsage); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := ask(t.Context(), tr, withUsage)
		var e *provider.Error
		if !errors.As(err, &e) || e.Code != provider.CodeUnavailable || e.Status != 501 || e.ProviderCode != "SCRIPT_EXHAUSTED" ||
			!strings.HasSuffix(err.Error(), ": "+test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		err  script.Error
		code string
		want string
	}{
		{script.Error{}, provider.CodeUnavailable, "HTTP 500 Internal Server Error (scripted_error)"},
		{script.Error{Status: 429, Message: "slow down", Code: "rate_limit_exceeded"}, provider.CodeRateLimited, "HTTP 429 Too Many Requests: slow down (rate_limit_exceeded)"},
		{script.Error{Status: 400, Code: "context_length_exceeded"}, provider.CodeContextWindow, "HTTP 400 Bad Request (context_length_exceeded)"},
	} {
		_, _, err := ask(t.Context(), script.New(script.Options{Default: &script.Reply{Text: "no", Error: &test.err}}), withUsage)
		if msg.CodeOf(err) != test.code || err.Error() != "script/v1/chat/completions: "+test.want {
			t.Errorf("got %s %v, want %s %s", msg.CodeOf(err), err, test.code, test.want)
		}
	}
}

// TestRefused: a request that is no chat completion is the fault of who sent it; it
// is recorded and takes no reply.
func TestRefused(t *testing.T) {
	tr := script.New(script.Options{Replies: make([]script.Reply, 1)})
	bodies := []string{``, `{`, `[]`, `{"messages":{}}`, `{"model":"m"}`}
	for _, b := range bodies {
		if _, _, err := ask(t.Context(), tr, b); msg.CodeOf(err) != provider.CodeInvalidRequest || !strings.Contains(err.Error(), "the body is not") {
			t.Errorf("%s: %s %v", b, msg.CodeOf(err), err)
		}
	}
	req, _ := http.NewRequest("GET", "http://script/v1/models", nil)
	if resp, err := tr.RoundTrip(req); err != nil || resp.StatusCode != 404 {
		t.Errorf("%v %v", resp, err)
	}
	req, _ = http.NewRequest("POST", "http://script/v1/chat/completions", strings.NewReader(noStream))
	req.ContentLength++
	if _, err := tr.RoundTrip(req); err == nil {
		t.Error("a wrong length is accepted")
	}
	if _, _, err := ask(t.Context(), tr, noStream); err != nil {
		t.Error(err)
	}
	requests := tr.Requests()
	if len(requests) != len(bodies)+2 || string(requests[1]) != "{" || string(requests[len(bodies)+1]) != noStream {
		t.Errorf("recorded %q", requests)
	}
	requests[1][0] = 'x'
	if string(tr.Requests()[1]) != "{" {
		t.Error("a caller changes what was recorded")
	}
}

// TestCut: half of the deltas arrive, the larger half, and no end.
func TestCut(t *testing.T) {
	piece := strings.Repeat("x", 16)
	for _, test := range []struct {
		reply script.Reply
		want  string
	}{
		{script.Reply{Cut: true}, ""},
		{script.Reply{Cut: true, Text: "short"}, "short"},
		{script.Reply{Cut: true, Text: piece + piece + piece}, piece + piece},
		{script.Reply{Cut: true, Text: piece + piece, Tools: []script.Call{{Name: "n", Arguments: "{}"}}}, piece + piece},
	} {
		for _, request := range []string{withUsage, withoutUsage} {
			a, _, err := ask(t.Context(), script.New(script.Options{Default: &test.reply}), request)
			if msg.CodeOf(err) != provider.CodeStreamCut || a.Partial().Text() != test.want {
				t.Errorf("got %q %v, want %q", a.Partial().Text(), err, test.want)
			}
		}
		if _, _, err := ask(t.Context(), script.New(script.Options{Default: &test.reply}), noStream); msg.CodeOf(err) != provider.CodeBadResponse {
			t.Errorf("no stream: %v", err)
		}
	}
}

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script.New(script.Options{Default: &script.Reply{Delay: time.Minute}})
		start := time.Now()
		if _, _, err := ask(t.Context(), tr, withUsage); err != nil || time.Since(start) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		stop := errors.New("stop it")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		if _, _, err := ask(ctx, tr, withUsage); err != stop || time.Since(start) != 61*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		late := openai.New(exchange.Access{BaseURL: "http://script", Transport: tr, HeaderTimeout: time.Second})
		for _, err := range late.Stream(t.Context(), body(withUsage)) {
			if msg.CodeOf(err) != provider.CodeTimeout {
				t.Error(err)
			}
		}
	})
	var slept time.Duration
	tr := script.New(script.Options{Default: &script.Reply{Delay: time.Hour}, Sleep: func(_ context.Context, d time.Duration) error { slept += d; return nil }})
	if _, _, err := ask(t.Context(), tr, withUsage); err != nil || slept != time.Hour {
		t.Errorf("%v after %s", err, slept)
	}
}

// TestCancel: a cancellation falls between two deltas.
func TestCancel(t *testing.T) {
	stop := errors.New("stop it")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	tr := script.New(script.Options{Default: &script.Reply{Text: strings.Repeat("x", 64)}})
	var a provider.Assembler
	var last error
	for chunk, err := range client(tr).Stream(ctx, body(withUsage)) {
		a.Add(chunk)
		last = err
		if a.Partial().Text() != "" {
			cancel(stop)
		}
	}
	if last != stop || a.Partial().Text() != strings.Repeat("x", 16) {
		t.Errorf("got %q %v", a.Partial().Text(), last)
	}
	if _, _, err := ask(ctx, tr, withUsage); err != stop || len(tr.Requests()) != 1 {
		t.Errorf("cancelled before: %v, %d requests", err, len(tr.Requests()))
	}
}

// TestBody: the transport reads and closes the body it was given, as its contract
// says, and ends its own when the request is cancelled or the reader is done.
func TestBody(t *testing.T) {
	stop := errors.New("stop it")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	sent := &closing{Reader: strings.NewReader(withUsage)}
	req, err := http.NewRequestWithContext(ctx, "POST", "http://script/chat/completions", sent)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := script.New(script.Options{Default: &script.Reply{Text: "hi"}}).RoundTrip(req)
	if err != nil || !sent.closed {
		t.Fatalf("%v, closed %v", err, sent.closed)
	}
	if n, err := resp.Body.Read(make([]byte, 10)); n != 10 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	cancel(stop)
	if n, err := resp.Body.Read(make([]byte, 10)); n != 0 || err != stop {
		t.Errorf("cancelled: read %d, %v", n, err)
	}
	resp.Body.Close()
	if _, err := resp.Body.Read(make([]byte, 10)); err != http.ErrBodyReadAfterClose {
		t.Errorf("closed: read %v", err)
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// TestConcurrent: requests at the same time get one reply each.
func TestConcurrent(t *testing.T) {
	const n = 50
	replies := make([]script.Reply, n)
	for i := range replies {
		replies[i].Text = fmt.Sprint(i)
		replies[i].Tools = []script.Call{{Name: "n"}}
	}
	tr := script.New(script.Options{Replies: replies})
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			a, _, err := ask(t.Context(), tr, fmt.Sprintf(`{"messages":[%d],"stream":true}`, i))
			content, _ := a.Content()
			tr.Requests()
			mu.Lock()
			defer mu.Unlock()
			seen[content.Text()] = true
			for _, c := range content.ToolCalls() {
				seen[c.ID] = true
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(seen) != 2*n || len(tr.Requests()) != n {
		t.Errorf("%d replies and calls, %d requests", len(seen), len(tr.Requests()))
	}
}

// FuzzReply: any valid reply goes through the real client unchanged.
func FuzzReply(f *testing.F) {
	f.Add("Hm.", "Looks good.", "read", `{"path":"main.go"}`, true)
	f.Add("", "\"\\\u2028<&>\x00\x1f😀", "", "", false)
	f.Fuzz(func(t *testing.T, reasoning, text, name, arguments string, stream bool) {
		for _, s := range []string{reasoning, text, name, arguments} {
			if canon.CheckText(s) != nil {
				return
			}
		}
		request := noStream
		if stream {
			request = withUsage
		}
		reply := script.Reply{Reasoning: reasoning, Text: text, Tools: []script.Call{{ID: "c", Name: name, Arguments: arguments}}}
		a, _, err := ask(t.Context(), script.New(script.Options{Default: &reply}), request)
		if err != nil {
			t.Fatal(err)
		}
		var blocks []msg.Block
		if reasoning != "" {
			blocks = append(blocks, msg.Reasoning{Text: reasoning})
		}
		if text != "" {
			blocks = append(blocks, msg.Text{Text: text})
		}
		want, err := msg.NewContent(append(blocks, msg.ToolCall{ID: "c", Name: name, Arguments: arguments})...)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Content(); err != nil || got != want {
			t.Fatalf("got %s %v, want %s", got.Raw(), err, want.Raw())
		}
	})
}
