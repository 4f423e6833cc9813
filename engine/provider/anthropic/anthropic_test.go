package anthropic_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/anthropic"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
)

// body is a request body.
type body string

func (b body) Len() int64        { return int64(len(b)) }
func (b body) Reader() io.Reader { return strings.NewReader(string(b)) }

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func key(k string) func() (string, error) { return func() (string, error) { return k, nil } }

// transcript is what a request yields, one line for each chunk, and the answer that
// the chunks make.
func transcript(ctx context.Context, c *anthropic.Client) (lines string, err error) {
	var b strings.Builder
	var asm provider.Assembler
	for chunk, e := range c.Stream(ctx, body(`{"model":"m"}`)) {
		if e != nil {
			err = e
			break
		}
		asm.Add(chunk)
		b.WriteString(chunk.Raw() + "\n")
	}
	if err != nil {
		fmt.Fprintf(&b, "%s: %v\nkept %s\n", msg.CodeOf(err), err, asm.Partial().Raw())
		return b.String(), err
	}
	content, e := asm.Content()
	if e != nil {
		return b.String(), e
	}
	fmt.Fprintf(&b, "content %s\n", content.Raw())
	return b.String(), nil
}

// TestAnswers compares the chunks and the content of every answer in testdata with
// NAME.chunks, as a server delivers it and one byte at a time.
func TestAnswers(t *testing.T) {
	names, err := filepath.Glob("testdata/*.*")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".chunks") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			kind := "text/event-stream; charset=utf-8"
			if strings.HasSuffix(name, ".json") {
				kind = "application/json"
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", kind)
				w.Write(raw)
			}))
			defer server.Close()
			got, _ := transcript(t.Context(), anthropic.New(exchange.Access{BaseURL: server.URL, APIKey: key("sk-ant"), Transport: exchange.DefaultTransport()}))
			got = strings.ReplaceAll(got, strings.TrimPrefix(server.URL, "http://"), "provider.example")
			golden := name + ".chunks"
			if os.Getenv("DSH_UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("%v: got\n%s\nwant\n%s", err, got, want)
			}
			slowly := anthropic.New(exchange.Access{BaseURL: "http://provider.example", Transport: transport(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(iotest.OneByteReader(bytes.NewReader(raw))), Request: r}, nil
			})})
			if got, _ := transcript(t.Context(), slowly); got != string(want) {
				t.Errorf("one byte at a time: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestRequest: where a request goes and what it carries.
func TestRequest(t *testing.T) {
	var seen *http.Request
	var sent []byte
	c := anthropic.New(exchange.Access{BaseURL: "https://h.example/base?x=1", APIKey: key("sk-ant-1"),
		Headers: []exchange.Header{{Name: "Anthropic-Beta", Value: key("some-beta")}},
		Transport: transport(func(r *http.Request) (*http.Response, error) {
			seen = r
			sent, _ = io.ReadAll(r.Body)
			return nil, errors.New("that is all")
		})})
	_, err := transcript(t.Context(), c)
	if msg.CodeOf(err) != provider.CodeUnreachable {
		t.Fatal(err)
	}
	if got := seen.URL.String(); got != "https://h.example/base/v1/messages?x=1" {
		t.Errorf("URL %s", got)
	}
	for name, want := range map[string]string{"X-Api-Key": "sk-ant-1", "Anthropic-Version": anthropic.Version, "Anthropic-Beta": "some-beta", "Authorization": "", "Content-Type": "application/json"} {
		if got := seen.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if string(sent) != `{"model":"m"}` {
		t.Errorf("body %s", sent)
	}
	_, err = transcript(t.Context(), anthropic.New(exchange.Access{BaseURL: "https://h.example", Dialect: "deepseek"}))
	if msg.CodeOf(err) != provider.CodeInvalidRequest {
		t.Errorf("dialect: %v", err)
	}
}

// TestRefusals: the code and the words of what the service answers, and whether it
// is worth another attempt.
func TestRefusals(t *testing.T) {
	said := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	for _, c := range []struct {
		status  int
		body    string
		code    string
		passing bool
		want    string
	}{
		{400, said("invalid_request_error", "messages.0: text content blocks must be non-empty"), provider.CodeInvalidRequest, false, "HTTP 400 Bad Request: messages.0: text content blocks must be non-empty (invalid_request_error)"},
		{400, said("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"), provider.CodeContextWindow, false, ""},
		{400, said("invalid_request_error", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"), provider.CodeContextWindow, false, ""},
		{401, said("authentication_error", "invalid x-api-key sk-ant-secret"), provider.CodeAuth, false, "HTTP 401 Unauthorized: invalid x-api-key (sensitive) (authentication_error); check api_key"},
		{403, said("permission_error", "no"), provider.CodeAuth, false, ""},
		{404, said("not_found_error", "model: x"), provider.CodeInvalidRequest, false, "HTTP 404 Not Found: model: x (not_found_error); check base_url and the model's id"},
		{413, said("request_too_large", "too large"), provider.CodeInvalidRequest, false, ""},
		{429, said("rate_limit_error", "slow down"), provider.CodeRateLimited, true, ""},
		{500, said("api_error", "oops"), provider.CodeUnavailable, true, ""},
		{529, said("overloaded_error", "Overloaded"), provider.CodeUnavailable, true, "HTTP 529: Overloaded (overloaded_error)"},
		{200, "event: error\ndata: " + said("overloaded_error", "Overloaded") + "\n\n", provider.CodeUnavailable, true, "the provider reported an error in its answer: Overloaded (overloaded_error)"},
		{200, "event: error\ndata: " + said("rate_limit_error", "slow") + "\n\n", provider.CodeRateLimited, true, ""},
		{200, "event: error\ndata: " + said("invalid_request_error", "prompt is too long: 2 tokens > 1 maximum") + "\n\n", provider.CodeContextWindow, false, ""},
		{200, "event: error\ndata: " + said("new_error", "hm") + "\n\n", provider.CodeUnavailable, false, ""},
		{200, said("api_error", "oops"), provider.CodeUnavailable, true, ""},
		{200, `{"id":"x"}`, provider.CodeBadResponse, false, "the answer is JSON without content"},
		{200, "event: ping\ndata: {\"type\":\"ping\"}\n\n", provider.CodeStreamCut, false, "the stream ended without message_stop after 1 event"},
		{200, "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{}}\n\n", provider.CodeBadResponse, false, "event 1 continues a block that is not open"},
		{200, "data: {\"type\":\"content_block_stop\",\"index\":3}\n\n", provider.CodeBadResponse, false, "event 1 ends a block that did not begin"},
		{200, "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"smell_delta\"}}\n\n",
			provider.CodeBadResponse, false, `event 2: a text block has a delta of type "smell_delta", which this dsh does not know`},
	} {
		client := anthropic.New(exchange.Access{BaseURL: "http://h.example", APIKey: key("sk-ant-secret"), Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: c.status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(c.body)), Request: r}, nil
		})})
		_, err := transcript(t.Context(), client)
		var e *provider.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Passing() != c.passing || c.want != "" && e.Message != "h.example/v1/messages: "+c.want {
			t.Errorf("%d %s:\ngot  %s %v\nwant %s %s", c.status, c.body, msg.CodeOf(err), err, c.code, c.want)
		}
	}
}

// TestLeaving: a consumer that leaves gets nothing more, at any chunk.
func TestLeaving(t *testing.T) {
	raw, err := os.ReadFile("testdata/thinking-tools.sse")
	if err != nil {
		t.Fatal(err)
	}
	c := anthropic.New(exchange.Access{BaseURL: "http://h.example", Transport: transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(raw)), Request: r}, nil
	})})
	all := 0
	for range c.Stream(t.Context(), body("{}")) {
		all++
	}
	for n := 1; n < all; n++ {
		seen := 0
		for _, err := range c.Stream(t.Context(), body("{}")) {
			if err != nil {
				t.Fatal(err)
			}
			if seen++; seen == n {
				break
			}
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	enough := errors.New("enough")
	for _, err := range c.Stream(ctx, body("{}")) {
		if cancel(enough); err != nil && err != enough {
			t.Errorf("after a cancel: %v", err)
		}
	}
}
