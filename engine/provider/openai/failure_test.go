package openai_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
	"github.com/dsh-hcl/dsh/engine/provider/openai"
)

// TestRefusals: the code, the status and the words of what providers answer.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("é", 400)
	tests := []struct {
		name   string
		status int
		body   string
		code   string
		want   string // the message behind the endpoint
	}{
		{"OpenAI 401", 401, `{"error":{"message":"Incorrect API key provided: sk-pr***xyz.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			provider.CodeAuth, "HTTP 401 Unauthorized: Incorrect API key provided: sk-pr***xyz. (invalid_api_key); check api_key"},
		{"DeepSeek 401", 401, `{"error":{"message":"Authentication Fails","type":"authentication_error","param":null,"code":"invalid_request_error"}}`,
			provider.CodeAuth, "HTTP 401 Unauthorized: Authentication Fails (invalid_request_error); check api_key"},
		{"403", 403, `{"error":"Country not supported"}`, provider.CodeAuth, "HTTP 403 Forbidden: Country not supported; check api_key"},
		{"402", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`,
			provider.CodeInvalidRequest, "HTTP 402 Payment Required: Insufficient Balance (invalid_request_error)"},
		{"404", 404, "404 page not found\n", provider.CodeInvalidRequest, "HTTP 404 Not Found: 404 page not found; check base_url and the model's id"},
		{"408", 408, ``, provider.CodeTimeout, "HTTP 408 Request Timeout"},
		{"429", 429, `{"error":{"message":"Rate limit reached for gpt-4o\n on tokens per min","type":"tokens","code":"rate_limit_exceeded"}}`,
			provider.CodeRateLimited, "HTTP 429 Too Many Requests: Rate limit reached for gpt-4o on tokens per min (rate_limit_exceeded)"},
		{"OpenAI overflow", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			provider.CodeContextWindow, "HTTP 400 Bad Request: This model's maximum context length is 8192 tokens. (context_length_exceeded)"},
		{"llama.cpp overflow", 400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`,
			provider.CodeContextWindow, "HTTP 400 Bad Request: the request exceeds the available context size (exceed_context_size_error)"},
		{"Gemini overflow", 400, `[{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}]`,
			provider.CodeContextWindow, "HTTP 400 Bad Request: The input token count (9) exceeds the maximum number of tokens allowed (8)."},
		{"429 is no overflow", 429, `{"error":{"message":"Please reduce the length of the messages"}}`, provider.CodeRateLimited, ""},
		{"FastAPI", 422, `{"detail":[{"loc":["body", "messages"],"msg":"field required"}]}`,
			provider.CodeInvalidRequest, `HTTP 422 Unprocessable Entity: [{"loc":["body","messages"],"msg":"field required"}]`},
		{"unknown shape", 400, `{"oops": 1}`, provider.CodeInvalidRequest, `HTTP 400 Bad Request: {"oops":1}`},
		{"500", 500, `{"error":{"message":"The server had an error","type":"server_error","code":null}}`,
			provider.CodeUnavailable, "HTTP 500 Internal Server Error: The server had an error (server_error)"},
		{"502 page", 502, "<html>\r\n<head><title>502 Bad Gateway</title></head><body>…</body></html>",
			provider.CodeUnavailable, "HTTP 502 Bad Gateway: a page of HTML titled 502 Bad Gateway"},
		{"503 page without title", 503, "<p>no", provider.CodeUnavailable, "HTTP 503 Service Unavailable: a page of HTML"},
		{"529", 529, "\x1b[2Joverloaded\u202e\xff", provider.CodeUnavailable, "HTTP 529: [2Joverloaded \uFFFD"},
		{"long", 400, long, provider.CodeInvalidRequest, "HTTP 400 Bad Request: " + strings.Repeat("é", 248) + "…"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}))
			defer server.Close()
			c := openai.New(exchange.Access{BaseURL: server.URL + "/v1?token=hidden", APIKey: key("k-1"), Transport: exchange.DefaultTransport()})
			chunks, err := collect(t.Context(), c)
			var e *provider.Error
			if len(chunks) != 0 || !errors.As(err, &e) {
				t.Fatalf("got %v %v", chunks, err)
			}
			endpoint := strings.TrimPrefix(server.URL, "http://") + "/v1/chat/completions"
			if e.Code != test.code || e.StableCode() != test.code || e.Status != test.status || e.Endpoint != endpoint {
				t.Errorf("got %s, status %d, endpoint %s, want %s", e.Code, e.Status, e.Endpoint, test.code)
			}
			if test.want != "" && err.Error() != endpoint+": "+test.want {
				t.Errorf("got  %s\nwant %s: %s", err, endpoint, test.want)
			}
			if len(e.Provider) > provider.MaxProviderText || !utf8.ValidString(e.Message) {
				t.Errorf("provider's text has %d bytes", len(e.Provider))
			}
		})
	}
}

// TestNoKey: without credentials the advice is another one.
func TestNoKey(t *testing.T) {
	c := openai.New(exchange.Access{BaseURL: "http://h/v1", Transport: transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 401, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
	})})
	_, err := collect(t.Context(), c)
	if want := "h/v1/chat/completions: HTTP 401 Unauthorized; no api_key is configured"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestBadAnswers: answers with a success status that are not what the protocol says.
func TestBadAnswers(t *testing.T) {
	first := `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n"
	const sse = "text/event-stream"
	tests := []struct {
		name, contentType, body, code, want string
		chunks                              int
	}{
		{"empty", "", "", provider.CodeBadResponse, "the answer is empty", 0},
		{"empty stream", sse, "", provider.CodeStreamCut, "the stream was cut before its first event: EOF", 0},
		{"only comments", sse, ": keep-alive\n\n", provider.CodeStreamCut, "the stream ended without [DONE] after 0 events", 0},
		{"plain text", "text/plain", "hello\n", provider.CodeBadResponse, `the answer, of content type "text/plain", is neither an event stream nor JSON`, 0},
		{"page", "text/html", "\n<!doctype html><title>Log in</title>", provider.CodeBadResponse, "the answer is neither an event stream nor JSON: a page of HTML titled Log in", 0},
		{"no done", sse, first, provider.CodeStreamCut, "the stream ended without [DONE] after 1 event", 2},
		{"cut line", sse, first + first[:20], provider.CodeStreamCut, "the stream ended without [DONE] after 1 event", 2},
		{"cut before the blank line", sse, first + strings.TrimSpace(first), provider.CodeStreamCut, "the stream ended without [DONE] after 1 event", 2},
		{"not JSON", sse, first + "data: {\"a\":}\n\n", provider.CodeBadResponse, "event 2: unexpected character at byte 5", 2},
		{"not UTF-8", sse, "data: {\"a\":\"\xff\"}\n\n", provider.CodeBadResponse, "event 1: invalid UTF-8 at byte 6", 0},
		{"not an object", sse, "data: 1\n\n", provider.CodeBadResponse, "event 1 is not an object", 0},
		{"half a pair at the end", sse, `data: {"choices":[{"delta":{"content":"\ud83d"}}]}` + "\n\ndata: [DONE]\n", provider.CodeBadResponse, "event 1: a string holds half of a surrogate pair", 0},
		{"half a pair", sse, `data: {"choices":[{"delta":{"content":"\ud83d x"}}]}` + "\n\n", provider.CodeBadResponse, "event 1: a string holds half of a surrogate pair", 0},
		{"two halves of different streams", sse, `data: {"choices":[{"delta":{"reasoning":"\ud83d","content":"\ude00"}}]}` + "\n\n", provider.CodeBadResponse, "event 1: a string holds half of a surrogate pair", 0},
		{"JSON without choices", "application/json", "{}", provider.CodeBadResponse, "the answer is JSON without choices", 0},
		{"half of JSON", "application/json", `{"choices":[`, provider.CodeBadResponse, "the answer is not JSON: unexpected end at byte 12", 0},
		{"error of JSON", "application/json", `{"error":{"message":"no such model","type":"invalid_request_error"}}`, provider.CodeInvalidRequest, "the provider reported an error in its answer: no such model (invalid_request_error)", 0},
		{"string error", sse, `data: {"error":"boom"}` + "\n\n", provider.CodeUnavailable, "the provider reported an error in its answer: boom", 0},
		{"filtered prompt", sse, `data: {"error":{"message":"no","code":"content_filter"}}` + "\n\n", provider.CodeContentFilter, "the provider reported an error in its answer: no (content_filter)", 0},
		{"key in the stream", sse, `data: {"error":{"message":"no","code":"invalid_api_key"}}` + "\n\n", provider.CodeAuth, "the provider reported an error in its answer: no (invalid_api_key)", 0},
		{"quota in the stream", sse, `data: {"object":"error","message":"no","type":"insufficient_quota"}` + "\n\n", provider.CodeRateLimited, "the provider reported an error in its answer: no (insufficient_quota)", 0},
	}
	for _, test := range tests {
		c := openai.New(exchange.Access{BaseURL: "http://h/v1", APIKey: key("k-1"),
			Transport: answering(test.contentType, func() io.Reader { return strings.NewReader(test.body) })})
		chunks, err := collect(t.Context(), c)
		if len(chunks) != test.chunks || msg.CodeOf(err) != test.code || err.Error() != "h/v1/chat/completions: "+test.want {
			t.Errorf("%s: %d chunks, %s %v\nwant %d chunks, %s …: %s", test.name, len(chunks), msg.CodeOf(err), err, test.chunks, test.code, test.want)
		}
	}
}

// TestBrokenStream: an error of the connection in the middle.
func TestBrokenStream(t *testing.T) {
	reset := fmt.Errorf("read: %w", syscall.ECONNRESET)
	c := openai.New(exchange.Access{BaseURL: "http://h/v1", Transport: answering("text/event-stream", func() io.Reader {
		return io.MultiReader(strings.NewReader(`data: {"choices":[{"delta":{"content":"a"}}]}`+"\n\n"), iotest.ErrReader(reset))
	})})
	chunks, err := collect(t.Context(), c)
	if len(chunks) != 2 || msg.CodeOf(err) != provider.CodeStreamCut || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %d chunks, %v", len(chunks), err)
	}
}

// TestServerCutsStream: a server that dies in the middle of its answer.
func TestServerCutsStream(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"a"}}]}`+"\n\ndata: {\"cho")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	chunks, err := collect(t.Context(), openai.New(exchange.Access{BaseURL: server.URL, Transport: exchange.DefaultTransport()}))
	if len(chunks) != 2 || msg.CodeOf(err) != provider.CodeStreamCut || !strings.Contains(err.Error(), "the stream was cut after 1 event: ") {
		t.Errorf("got %d chunks, %v", len(chunks), err)
	}
}

// TestCutRefusal: of a body that breaks off, the beginning of a secret is not shown.
func TestCutRefusal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(401)
		io.WriteString(w, "bad key sk-123456")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	_, err := collect(t.Context(), openai.New(exchange.Access{BaseURL: server.URL, APIKey: key("sk-1234567890"), Transport: exchange.DefaultTransport()}))
	if msg.CodeOf(err) != provider.CodeAuth || !strings.HasSuffix(err.Error(), "HTTP 401 Unauthorized: bad key; check api_key") {
		t.Errorf("got %v", err)
	}
}

// TestStreamedStatus: a status that a gateway tells within a stream is the error's.
func TestStreamedStatus(t *testing.T) {
	for said, want := range map[string]int{"503": 503, `"429"`: 429, "7": 200, "null": 200} {
		c := openai.New(exchange.Access{BaseURL: "http://h", Transport: answering("text/event-stream", func() io.Reader {
			return strings.NewReader(`data: {"error":{"message":"no","code":` + said + "}}\n\n")
		})})
		_, err := collect(t.Context(), c)
		var e *provider.Error
		if !errors.As(err, &e) || e.Status != want || e.Provider != "no" {
			t.Errorf("%s: got %#v", said, err)
		}
	}
}

// TestUnreachable: nobody listens.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	c := openai.New(exchange.Access{BaseURL: "http://" + l.Addr().String() + "/v1", APIKey: key("sk-secret"), Transport: exchange.DefaultTransport()})
	_, err = collect(t.Context(), c)
	want := l.Addr().String() + "/v1/chat/completions: cannot be reached: "
	if msg.CodeOf(err) != provider.CodeUnreachable || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %s %v, want %s…", msg.CodeOf(err), err, want)
	}
}

// TestRedirect: credentials go to the host of base_url and to no other one.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/elsewhere?with=query", status)
		}))
		_, err := collect(t.Context(), openai.New(exchange.Access{BaseURL: server.URL, APIKey: key("sk-secret"), Transport: exchange.DefaultTransport()}))
		server.Close()
		want := strings.TrimPrefix(other.URL, "http://") + "/elsewhere, which is not followed"
		if msg.CodeOf(err) != provider.CodeBadResponse || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "query") {
			t.Errorf("%d: got %s %v", status, msg.CodeOf(err), err)
		}
	}
}

// TestSecretsStayHidden: whatever a server repeats, no error shows a credential,
// not in its text, its fields or its causes.
func TestSecretsStayHidden(t *testing.T) {
	const apiKey, token, password, part = `sk-a+b/c"d&e`, "tok-12345678", "dXNlcjpodW50ZXIyMg==", "part-5678"
	secrets := []string{apiKey, token, password, part}
	echoes := map[string]http.HandlerFunc{}
	for _, status := range []int{200, 302, 400, 401, 500} {
		for _, spelt := range []struct {
			name  string
			spell func(string) string
		}{
			{"plain", func(s string) string { return s }},
			{"JSON", func(s string) string { return `{"error":{"message":` + quoted(s) + `,"code":` + quoted(s) + `}}` }},
			{"escaped JSON", func(s string) string {
				return `{"error":{"message":"` + strings.ReplaceAll(strings.Trim(quoted(s), `"`), "/", `\/`) + `"}}`
			}},
			{"JSON of another shape", func(s string) string { return `{"headers":["\u0042earer ` + strings.Trim(quoted(s), `"`) + `"]}` }},
			{"details", func(s string) string { return `{"detail":{"got": ` + quoted(s) + `}}` }},
			{"broken JSON", func(s string) string { return `{"error":` + quoted(s) }},
			{"HTML", func(s string) string { return "<html><title>" + s + "</title>" }},
			{"escaped HTML", func(s string) string {
				return "<TITLE>" + strings.NewReplacer("&", "&amp;", `"`, "&#34;", "+", "&#43;").Replace(s) + "</TITLE>"
			}},
			{"URL", func(s string) string { return "/v1?key=" + url.QueryEscape(s) + "/" + url.PathEscape(s) }},
			{"numbers of HTML", func(s string) string { return "<title>" + each(s, "&#%d;") + "</title>" }},
			{"numbers of JSON, cut", func(s string) string { return `{"error":{"message":"` + each(s, `\u%04x`) + `"` }},
			{"numbers of URLs", func(s string) string { return each(s, "%%%02X") }},
			{"at the edge", func(s string) string { return strings.Repeat("x", 495) + s }},
			{"event", func(s string) string { return "data: {\"error\":" + quoted(s) + "}\n\n" }},
			{"broken event", func(s string) string { return "data: " + s + "\n\n" }},
		} {
			for _, secret := range secrets {
				echoes[fmt.Sprint(status, " ", spelt.name, " ", secret)] = func(w http.ResponseWriter, r *http.Request) {
					h := w.Header()
					h.Set("Location", "http://x/"+url.PathEscape(secret)+"/"+each(secret, "%%%02x")+"?"+url.QueryEscape(secret))
					h.Set("Content-Type", "text/"+secret)
					w.WriteHeader(status)
					io.WriteString(w, spelt.spell(secret))
				}
			}
		}
	}
	echoes["content encoding"] = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", apiKey)
		io.WriteString(w, "data: [DONE]\n\n")
	}
	echoes["not HTTP"] = func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprintf(conn, "%s\r\n%s %s\r\n\r\n", apiKey, token, password)
		conn.Close()
	}
	if u, err := base64.StdEncoding.DecodeString(password); err != nil || len(u) == 0 {
		t.Fatal("not a basic credential")
	}
	for name, echo := range echoes {
		server := httptest.NewServer(echo)
		c := openai.New(exchange.Access{BaseURL: server.URL + "/" + token, APIKey: key(apiKey), Transport: exchange.DefaultTransport(), Hidden: func() []string { return []string{part} }, Headers: []exchange.Header{
			{Name: "X-Token", Value: key(token)}, {Name: "X-Made", Value: key("Token token=" + part)}, {Name: "Proxy-Authorization", Value: key("Basic " + password)}}})
		_, err := collect(t.Context(), c)
		server.Close()
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			shown := fmt.Sprintf("%v %+v %#v", e, e, e)
			for _, s := range secrets {
				if strings.Contains(shown, s) || strings.Contains(shown, strings.Trim(quoted(s), `"`)) || strings.Contains(shown, url.QueryEscape(s)) ||
					strings.Contains(shown, each(s[:4], "&#%d;")) || strings.Contains(shown, each(s[:4], `\u%04x`)) || strings.Contains(strings.ToLower(shown), each(s[:4], "%%%02x")) {
					t.Errorf("%s: an error shows %s: %s", name, s, shown)
				}
			}
		}
	}
}

// quoted spells a secret of the test as JSON.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// each spells every byte of a text in that format.
func each(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}
